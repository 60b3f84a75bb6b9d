"""A GEMM beside a kernel that holds SMs and moves data, as a kernel of NCCL does. Needs CuPy."""

from __future__ import annotations

from typing import Any

import torch

from kernels import optional
from power import FP8_GEMM, GEMM
from results import first_line

SMS = (8, 16, 24, 32)
RATES = (0, 20)  # GB/s of each SM, read and written: none, and about what a channel of NCCL moves
CLUSTERS = (1, 4)  # blocks that lie together: alone, or as NCCL launches channels from Hopper on
SHARED_BYTES = 120 << 10  # no GEMM of full tiles finds room beside it
BLOCK_BYTES = 32 << 20  # of each SM: together more than the L2 cache holds
THREADS = 512

SOURCE = r"""
__device__ unsigned long long now() {
  unsigned long long t;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
  return t;
}

extern "C" __global__ void CLUSTER hold(
    const uint4* from, uint4* to, unsigned long long words, unsigned long long bytes_per_us,
    unsigned long long nanoseconds) {
  extern __shared__ char room[];
  __shared__ unsigned long long passed;
  const unsigned long long start = now(), base = blockIdx.x * words;
  unsigned long long word = 0, moved = 0;
  do {
    if (bytes_per_us) {
      for (int part = 0; part < 8; ++part) {
        to[base + word + threadIdx.x] = from[base + word + threadIdx.x];
        word = (word + blockDim.x) % words;
      }
      moved += 8 * 16 * blockDim.x;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
      while (bytes_per_us && now() - start < moved * 1000 / bytes_per_us) __nanosleep(100);
      if (!bytes_per_us) __nanosleep(1000);
      passed = now() - start;
    }
    __syncthreads();
  } while (passed < nanoseconds);
}
"""


class Holder:
    """Holds SMs from a stream of its own, in clusters of so many blocks."""

    def __init__(self, cluster: int) -> None:
        import cupy

        self._cupy = cupy
        together = f"__cluster_dims__({cluster}, 1, 1)" if cluster > 1 else ""
        self._kernel = cupy.RawKernel(
            SOURCE.replace("CLUSTER", together), "hold", options=("-std=c++17",)
        )
        self._kernel.max_dynamic_shared_size_bytes = SHARED_BYTES
        self._stream = torch.cuda.Stream(priority=-1)
        size = max(SMS) * BLOCK_BYTES // 4
        self._from, self._to = (torch.randn(size, device="cuda") for _ in range(2))
        torch.cuda.synchronize()

    def hold(self, sms: int, rate: float, seconds: float) -> None:
        """Holds SMs, each moving `rate` GB/s, for so long from when it starts."""
        whole = self._cupy.uint64
        with self._cupy.cuda.ExternalStream(self._stream.cuda_stream):
            self._kernel(
                (sms,),
                (THREADS,),
                (
                    whole(self._from.data_ptr()),
                    whole(self._to.data_ptr()),
                    whole(BLOCK_BYTES // 16),
                    whole(rate * 1000),
                    whole(seconds * 1e9),
                ),
                shared_mem=SHARED_BYTES,
            )


def held_sms(timer: Any, device: Any, kernels: Any, seconds: float) -> list[dict[str, str]]:
    """What SMs draw that a kernel holds alone, and how many times as long a GEMM takes beside it in
    short runs and in long ones; empty where CuPy is missing."""
    if optional("cupy") is None:
        return []
    rows = []
    for cluster in CLUSTERS:
        try:
            rows += _beside(Holder(cluster), cluster, timer, device, kernels, seconds)
        except Exception as error:  # noqa: BLE001 - compilers and libraries raise what they like
            rows.append({"cluster": str(cluster), "refused": first_line(error)})
            torch.cuda.synchronize()
    return rows


def _beside(
    holder: Holder, cluster: int, timer: Any, device: Any, kernels: Any, seconds: float
) -> list[dict[str, str]]:
    rows = []
    for rate in RATES if cluster == CLUSTERS[-1] else ():
        with device.power_log() as log:
            holder.hold(24, rate, seconds)
            torch.cuda.synchronize()
        rows.append(
            {
                "kernel": "none",
                "cluster": str(cluster),
                "sms": "24",
                "each": f"{rate} GB/s",
                **log.means(),
            }
        )
    for point in [GEMM, FP8_GEMM] if "fp8" in device.data_types else [GEMM]:
        calls, _ = kernels.calls(point)
        burst, loop = timer.burst(calls), timer.sustained(calls, seconds)
        for rate in RATES:
            for sms in SMS:
                short = timer.burst(calls, before=lambda: holder.hold(sms, rate, 0.05))
                row = {
                    "kernel": f"gemm {point.data_type}",
                    "cluster": str(cluster),
                    "sms": str(sms),
                    "each": f"{rate} GB/s",
                    "stretch": f"{short / burst:.3f}",
                }
                if rate:
                    with device.power_log() as log:
                        long = timer.sustained(
                            calls, seconds, before=lambda: holder.hold(sms, rate, seconds + 0.1)
                        )
                    torch.cuda.synchronize()
                    row |= {"stretch_of_loops": f"{long / loop:.3f}", **log.means()}
                rows.append(row)
    return rows
