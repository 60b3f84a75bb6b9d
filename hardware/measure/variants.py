"""Kernels of some stacks only: fused attention with dropout, operators that nothing fuses, what
experts run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
from torch.nn.attention import sdpa_kernel

from kernels import SDPA
from results import first_line, microseconds
from timers import Call

DROPOUT = 0.1
ATTENTIONS = [(1, 2048, 12, 128), (1, 4096, 16, 128), (1, 8192, 32, 128), (4, 2048, 16, 64)]
EAGER = [(4096, 8192), (8192, 4096)]  # rows, columns
# Experts of a rank, rows of each, outputs and inputs of one product: Qwen3 30B, Mixtral 8x7B,
# DeepSeek-V3.
EXPERTS = [
    (16, 4096, 1536, 2048),
    (16, 4096, 2048, 768),
    (1, 8192, 28672, 4096),
    (4, 4096, 28672, 4096),
    (8, 4096, 4096, 7168),
    (8, 4096, 7168, 2048),
    (32, 1024, 4096, 7168),
]


def _bf16(*shape: int, gradient: bool = False) -> torch.Tensor:
    return torch.randn(*shape, device="cuda", dtype=torch.bfloat16, requires_grad=gradient)


def _backward(function: Callable, inputs: list[torch.Tensor]) -> Call:
    out = function(*inputs)
    dy = torch.randn_like(out)
    return lambda: torch.autograd.grad(out, inputs, dy, retain_graph=True)


def attention_dropout(timer: Any, device: Any, *_: Any) -> list[dict[str, str]]:
    rows = []
    for name in [name for name in device.implementations if name in SDPA]:
        for batch, length, heads, dimension in ATTENTIONS:
            inputs = [_bf16(batch, heads, length, dimension, gradient=True) for _ in range(3)]

            def attend(*qkv: torch.Tensor, share: float) -> torch.Tensor:
                with sdpa_kernel([SDPA[name]]):
                    return F.scaled_dot_product_attention(*qkv, is_causal=True, dropout_p=share)

            row = {
                "implementation": name,
                "batch": str(batch),
                "length": str(length),
                "heads": str(heads),
                "head_dimension": str(dimension),
            }
            for label, share in (("", 0.0), ("_with_dropout", DROPOUT)):
                forward = [lambda: attend(*(x.detach() for x in inputs), share=share)]
                row["forward" + label] = microseconds(timer.burst(forward))
                row["backward" + label] = microseconds(
                    timer.burst([_backward(lambda *qkv: attend(*qkv, share=share), inputs)])
                )
            rows.append(row)
    return rows


def _rms_norm(x: torch.Tensor, gain: torch.Tensor) -> torch.Tensor:
    wide = x.float()
    return (wide * torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + 1e-5)).type_as(x) * gain


def _swiglu(gate: torch.Tensor, up: torch.Tensor) -> torch.Tensor:
    return F.silu(gate) * up


def _rotary(x: torch.Tensor, angles: torch.Tensor) -> torch.Tensor:
    pairs = torch.view_as_complex(x.float().reshape(*x.shape[:-1], -1, 2))
    return torch.view_as_real(pairs * angles).flatten(-2).type_as(x)


def _softmax(scores: torch.Tensor) -> torch.Tensor:
    return torch.softmax(scores.float(), -1).type_as(scores)


def eager(timer: Any, *_: Any) -> list[dict[str, str]]:
    """Operators as models write them, each in PyTorch's own kernels."""
    rows = []
    for count, columns in EAGER:
        x, other = (_bf16(count, columns, gradient=True) for _ in range(2))
        heads = _bf16(count, columns // 128, 128, gradient=True)
        angles = torch.polar(
            torch.ones(count, 1, 64, device="cuda"), torch.rand(count, 1, 64, device="cuda")
        )
        gain = _bf16(columns, gradient=True)
        targets = torch.randint(columns, (count,), device="cuda")
        for name, function, inputs in (
            ("rms_norm", _rms_norm, [x, gain]),
            ("swiglu", _swiglu, [x, other]),
            ("rotary", lambda t: _rotary(t, angles), [heads]),
            ("layer_norm", lambda t, g: F.layer_norm(t, (columns,), g), [x, gain]),
            ("gelu", lambda t: F.gelu(t, approximate="tanh"), [x]),
            ("dropout", lambda t: F.dropout(t, DROPOUT), [x]),
            ("softmax", _softmax, [x]),
            ("cross_entropy", lambda t: F.cross_entropy(t.float(), targets), [x]),
        ):
            forward = timer.burst([lambda: function(*(t.detach() for t in inputs))])
            rows.append(
                {
                    "operator": name,
                    "rows": str(count),
                    "columns": str(columns),
                    "forward": microseconds(forward),
                    "backward": microseconds(timer.burst([_backward(function, inputs)])),
                }
            )
    return rows


def experts(timer: Any, *_: Any) -> list[dict[str, str]]:
    """Grouped products, and rows gathered for experts and added back."""
    rows = []
    for count, each, outputs, inputs in EXPERTS:
        tokens = count * each
        x, dy = _bf16(tokens, inputs), _bf16(tokens, outputs)
        weights = _bf16(count, inputs, outputs)
        ends = torch.arange(each, tokens + 1, each, device="cuda", dtype=torch.int32)
        calls = {
            "forward": lambda: torch._grouped_mm(x, weights, offs=ends),
            "data_gradient": lambda: torch._grouped_mm(dy, weights.transpose(1, 2), offs=ends),
            "weight_gradient": lambda: torch._grouped_mm(x.t(), dy, offs=ends),
        }
        row = {
            "experts": str(count),
            "rows_each": str(each),
            "outputs": str(outputs),
            "inputs": str(inputs),
        }
        for name, call in calls.items():
            try:
                row[name] = f"{2e-12 * tokens * outputs * inputs / timer.burst([call]):.1f} TFLOP/s"
            except Exception as error:  # noqa: BLE001 - libraries raise what they like
                row[name] = first_line(error)
        rows.append(row)
    for tokens, hidden, top in ((4096, 2048, 8), (4096, 7168, 8), (8192, 4096, 2)):
        x = _bf16(tokens, hidden)
        order = torch.randperm(tokens * top, device="cuda") // top
        out, back = _bf16(tokens * top, hidden), torch.zeros_like(x)
        gathered = timer.burst([lambda: torch.index_select(x, 0, order, out=out)])
        added = timer.burst([lambda: back.index_add_(0, order, out)])
        rows.append(
            {
                "tokens": str(tokens),
                "hidden": str(hidden),
                "top": str(top),
                "gather_rows": microseconds(gathered),
                "add_rows_back": microseconds(added),
            }
        )
    return rows
