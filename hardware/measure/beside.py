"""What a kernel loses to its surroundings: launches by the host, transfers and other kernels that
run beside it, SMs left free for a collective."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import torch

from cuda_timer import CudaTimer
from results import microseconds
from timers import Call

SIZE = 8192  # of the square BF16 GEMM
COPY_BYTES = 1 << 30
LAUNCHES = 2000
SM_MARGINS = (4, 8, 16, 24, 32)


def launch(timer: CudaTimer, *_: Any) -> dict[str, str]:
    """Host time of a launch, and GPU time of the shortest kernel of a graph."""
    tiny = torch.ones(32, device="cuda")
    weight = torch.ones(16, 16, device="cuda", dtype=torch.bfloat16)
    graph = torch.cuda.CUDAGraph()

    def add() -> None:
        tiny.add_(1)

    add()
    with torch.cuda.graph(graph, stream=timer.stream):
        for _ in range(LAUNCHES):
            add()
    return {
        "eager_kernel": microseconds(_host_time(timer, add)),
        "eager_linear": microseconds(
            _host_time(timer, lambda: torch.nn.functional.linear(weight, weight))),
        "graph_kernel": microseconds(_host_time(timer, graph.replay, 10) / LAUNCHES),
        "synchronize": microseconds(_host_time(timer, lambda: (add(), timer.synchronize()))),
    }


def _host_time(timer: CudaTimer, call: Call, count: int = LAUNCHES) -> float:
    """Wall seconds of a call, many in a row. For kernels that are shorter than their launch this is
    the launch."""
    for _ in range(3):
        call()
    timer.synchronize()
    start = time.perf_counter()
    for _ in range(count):
        call()
    timer.synchronize()
    return (time.perf_counter() - start) / count


def _gemm() -> Call:
    a, b, out = (torch.randn(SIZE, SIZE, device="cuda", dtype=torch.bfloat16) for _ in range(3))
    return lambda: torch.mm(a, b, out=out)


def _add() -> Call:
    a, b, out = (torch.randn(COPY_BYTES // 4, device="cuda") for _ in range(3))
    return lambda: torch.add(a, b, out=out)


def _copy(**target: Any) -> Call:
    source = torch.randn(COPY_BYTES // 4, device="cuda")
    out = torch.empty(COPY_BYTES // 4, **target)
    return lambda: out.copy_(source, non_blocking=True)


def _neighbours() -> dict[str, Callable[[], Call]]:
    """What runs beside: a copy in the GPU's memory, to the host, to another GPU; a memory-bound
    kernel."""
    found = {
        "copy_on_device": lambda: _copy(device="cuda"),
        "copy_to_host": lambda: _copy(device="cpu", pin_memory=True),
        "add": _add,
    }
    if torch.cuda.device_count() > 1 and torch.cuda.can_device_access_peer(0, 1):
        found["copy_to_peer"] = lambda: _copy(device="cuda:1")
    return found


def interference(timer: CudaTimer, *_: Any) -> list[dict[str, str]]:
    """How many times as long a kernel takes beside a neighbour, and the neighbour beside it."""
    rows = []
    for kernel, make in {"gemm": _gemm, "add": _add}.items():
        for name, neighbour in _neighbours().items():
            if name == kernel:
                continue
            main, other = make(), neighbour()
            alone = _stretched(timer, main, None), _stretched(timer, other, None)
            both = (_stretched(timer, main, (other, alone[1])),
                    _stretched(timer, other, (main, alone[0])))
            rows.append({
                "kernel": f"gemm bf16 {SIZE} x {SIZE} x {SIZE}" if kernel == "gemm" else kernel,
                "beside": name, "stretch": f"{both[0] / alone[0]:.3f}",
                "stretch_of_other": f"{both[1] / alone[1]:.3f}",
                "alone": microseconds(alone[0]), "other_alone": microseconds(alone[1])})
    return rows


def _stretched(timer: CudaTimer, call: Call, neighbour: tuple[Call, float] | None) -> float:
    """Seconds of a call in a row of about 50 ms, while the neighbour (with its seconds alone) is
    kept busy on another stream for ten times as long."""
    call()
    timer.synchronize()
    count = max(5, round(0.05 / max(_host_time(timer, call, 5), 1e-6)))
    other_stream = torch.cuda.Stream()
    if neighbour:
        with torch.cuda.stream(other_stream):
            for _ in range(int(10 * count * _host_time(timer, call, 5) / neighbour[1])):
                neighbour[0]()
    start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    start.record()
    for _ in range(count):
        call()
    end.record()
    end.synchronize()
    timer.synchronize()
    return start.elapsed_time(end) * 1e-3 / count


def sm_margin(timer: CudaTimer, *_: Any) -> list[dict[str, str]]:
    """An FP8 GEMM that leaves SMs free, over one that does not; empty where PyTorch or the GPU
    cannot."""
    limit = getattr(torch._C, "_set_sm_carveout_experimental", None)
    if limit is None or torch.cuda.get_device_capability(0) < (8, 9):
        return []
    a, b = (torch.randn(SIZE, SIZE, device="cuda").to(torch.float8_e4m3fn) for _ in range(2))
    one = torch.ones((), device="cuda")

    def gemm() -> torch.Tensor:
        return torch._scaled_mm(a, b.t(), scale_a=one, scale_b=one, out_dtype=torch.bfloat16)

    alone = timer.burst([gemm])
    rows = []
    try:
        for sms in SM_MARGINS:
            limit(sms)
            rows.append({"kernel": f"gemm fp8 {SIZE} x {SIZE} x {SIZE}", "sms": str(sms),
                         "stretch": f"{timer.burst([gemm]) / alone:.3f}"})
    finally:
        limit(None)
    return rows
