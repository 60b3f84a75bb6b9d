"""Weight gradients that add to an FP32 sum, as Megatron's fused kernel makes them:
cublasGemmEx with beta 1."""

from __future__ import annotations

import ctypes
from typing import Any

import torch

from timers import Call

BF16, FP32 = 14, 0  # cudaDataType
COMPUTE_FP32, DEFAULT = 68, -1  # cublasComputeType_t, cublasGemmAlgo_t
SHAPES = [  # tokens, outputs, inputs: Llama 3.1 70B at TP 4, 8B at TP 1, and a square
    (4096, 2560, 8192),
    (4096, 8192, 2048),
    (4096, 14336, 8192),
    (4096, 8192, 7168),
    (8192, 6144, 4096),
    (8192, 28672, 4096),
    (8192, 4096, 14336),
    (8192, 8192, 8192),
]


def _library() -> Any:
    major = torch.version.cuda.split(".")[0]
    return ctypes.CDLL(f"libcublas.so.{major}")


def _gradient(tokens: int, outputs: int, inputs: int, sum_type: torch.dtype) -> Call:
    """dW[outputs, inputs] (+)= dY[tokens, outputs]' X[tokens, inputs]."""
    x, dy = (
        torch.randn(tokens, width, device="cuda", dtype=torch.bfloat16)
        for width in (inputs, outputs)
    )
    dw = torch.zeros(outputs, inputs, device="cuda", dtype=sum_type)
    if sum_type == torch.bfloat16:
        return lambda: torch.mm(dy.t(), x, out=dw)
    library = _library()
    one = ctypes.c_float(1)

    def accumulate() -> None:
        pointer = ctypes.c_void_p
        status = library.cublasGemmEx(
            pointer(torch.cuda.current_blas_handle()),
            0,
            1,
            inputs,
            outputs,
            tokens,
            ctypes.byref(one),
            pointer(x.data_ptr()),
            BF16,
            inputs,
            pointer(dy.data_ptr()),
            BF16,
            outputs,
            ctypes.byref(one),
            pointer(dw.data_ptr()),
            FP32,
            inputs,
            COMPUTE_FP32,
            DEFAULT,
        )
        if status != 0:
            raise RuntimeError(f"cublasGemmEx: status {status}")

    return accumulate


def weight_gradients(timer: Any, device: Any, kernels: Any, seconds: float) -> list[dict[str, str]]:
    """TFLOP/s of the gradient written in BF16, and of that added to FP32."""
    rows = []
    for tokens, outputs, inputs in SHAPES:
        rates = []
        for sum_type in (torch.bfloat16, torch.float32):
            calls = [_gradient(tokens, outputs, inputs, sum_type) for _ in range(2)]
            rates.append(2e-12 * tokens * outputs * inputs / timer.burst(calls))
        rows.append(
            {
                "m": str(outputs),
                "n": str(inputs),
                "k": str(tokens),
                "bf16": f"{rates[0]:.1f} TFLOP/s",
                "added_to_fp32": f"{rates[1]:.1f} TFLOP/s",
                "ratio": f"{rates[1] / rates[0]:.3f}",
            }
        )
    return rows
