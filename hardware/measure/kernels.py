"""A point made into calls that launch its kernel, on buffers of random numbers: constant data draw
less power and overstate the rate of a GEMM by 10 to 25 %."""

from __future__ import annotations

import importlib
import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from types import ModuleType

import torch
import torch.nn.functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel

from shapes import ROPE_HEAD, Attention, Gemm, Streaming
from timers import Call

MOST_COPIES = 32
ENGINE = "transformer_engine.pytorch"
ENGINE_NORMS = {"rms_norm": "RMSNorm", "layer_norm": "LayerNorm"}
SDPA = {"cudnn": SDPBackend.CUDNN_ATTENTION, "flash-attention-2": SDPBackend.FLASH_ATTENTION,
        "math": SDPBackend.MATH}


def optional(name: str) -> ModuleType | None:
    try:
        return importlib.import_module(name)
    except (ImportError, OSError, RuntimeError):
        return None


@dataclass(frozen=True)
class Kernels:
    """Makes calls for one device. `cache_bytes` is its L2 cache."""

    device: str
    cache_bytes: int

    def calls(self, point: Gemm | Attention | Streaming) -> tuple[list[Call], list[str]]:
        """Calls on different buffers, and notes on how the kernel is launched."""
        make, bytes_each, notes = {Gemm: self._gemm, Attention: self._attention,
                                   Streaming: self._streaming}[type(point)](point)
        return [make() for _ in range(self._copies(bytes_each))], notes

    def included(self, point: Gemm | Attention | Streaming) -> list[Call]:
        """Calls whose time is in that of calls(point) but not the point's: the forward pass of
        Transformer Engine's norms, whose backward pass cannot be run twice."""
        if getattr(point, "kernel", "") in ENGINE_NORMS and point.direction == "backward":
            return self.calls(replace(point, direction="forward"))[0]
        return []

    def _copies(self, bytes_each: int) -> int:
        """As many as hold three times the L2 cache."""
        return max(1, min(math.ceil(3 * self.cache_bytes / bytes_each), MOST_COPIES))

    def _random(self, *shape: int) -> torch.Tensor:
        return torch.randn(*shape, device=self.device, dtype=torch.bfloat16)

    def _gemm(self, point: Gemm) -> tuple[Callable[[], Call], int, list[str]]:
        width = 1 if point.data_type == "fp8" else 2
        bytes_each = width * point.k * (point.m + point.n) + 2 * point.m * point.n
        if point.data_type == "fp8":
            return lambda: self._fp8_gemm(point), bytes_each, ["torch._scaled_mm per tensor"]
        return lambda: self._bf16_gemm(point), bytes_each, ["torch.mm"]

    def _bf16_gemm(self, point: Gemm) -> Call:
        """Operands lie as a linear layer has them: X[m, k] W[n, k]', dY[m, k] W[k, n] and
        dY[k, m]' X[k, n]."""
        m, n, k = point.m, point.n, point.k
        a = self._random(k, m).t() if point.role == "weight gradient" else self._random(m, k)
        b = self._random(n, k).t() if point.role == "forward" else self._random(k, n)
        out = torch.empty(m, n, device=self.device, dtype=torch.bfloat16)
        return lambda: torch.mm(a, b, out=out)

    def _fp8_gemm(self, point: Gemm) -> Call:
        """Both operands along k, as Hopper wants them; gradients in E5M2, and with the more precise
        accumulation that Transformer Engine takes for them."""
        forward = point.role == "forward"
        a = self._random(point.m, point.k).to(torch.float8_e4m3fn if forward else torch.float8_e5m2)
        b = self._random(point.n, point.k).to(torch.float8_e4m3fn).t()
        one = torch.ones((), device=self.device)
        return lambda: torch._scaled_mm(a, b, scale_a=one, scale_b=one, out_dtype=torch.bfloat16,
                                        use_fast_accum=forward)

    def _attention(self, point: Attention) -> tuple[Callable[[], Call], int, list[str]]:
        rows = point.queries * point.heads + point.keys * point.query_groups
        bytes_each = 2 * point.batch * rows * (point.head_dimension + point.value_dimension)
        return lambda: self._attention_call(point), bytes_each, []

    def _attention_call(self, point: Attention) -> Call:
        def input_of(length: int, heads: int, dimension: int) -> torch.Tensor:
            return self._random(point.batch, length, heads, dimension).requires_grad_()

        inputs = (input_of(point.queries, point.heads, point.head_dimension),
                  input_of(point.keys, point.query_groups, point.head_dimension),
                  input_of(point.keys, point.query_groups, point.value_dimension))
        forward = fused_attention(point)
        if point.direction == "forward":
            return lambda: forward(*(tensor.detach() for tensor in inputs))
        out = forward(*inputs)
        gradient = torch.randn_like(out)
        return lambda: torch.autograd.grad(out, inputs, gradient, retain_graph=True)

    def _streaming(self, point: Streaming) -> tuple[Callable[[], Call], int, list[str]]:
        function, note = streaming_function(point, self.device)
        return lambda: self._streaming_call(point, function), point.bytes(), [note]

    def _streaming_call(self, point: Streaming, function: Callable) -> Call:
        shape = (point.rows, point.columns)
        match point.base():
            case "swiglu":
                inputs = [self._random(point.rows, 2 * point.columns)]
            case "rms_norm" | "layer_norm":
                inputs = [self._random(*shape), self._random(point.columns)]
            case "rope":
                inputs = [self._random(*shape), self._random(point.rows, 1, ROPE_HEAD)]
            case "cross_entropy":
                targets = torch.randint(point.columns, (point.rows, 1), device=self.device)
                inputs = [self._random(*shape), targets]
            case "add":
                inputs = [self._random(*shape), self._random(*shape)]
            case _:
                inputs = [self._random(*shape)]
        if point.direction == "backward" and point.base() not in ("rope", "cross_entropy"):
            inputs.append(self._random(*shape))
        return lambda: function(*inputs)


def fused_attention(point: Attention) -> Callable:
    """A function of q, k, v, each [batch, length, heads, dimension]."""
    if point.implementation == "flash-attention-3":
        library = importlib.import_module("flash_attn_interface")

        def flash(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
            out = library.flash_attn_func(q, k, v, causal=point.causal)
            return out[0] if isinstance(out, tuple) else out
        return flash

    def sdpa(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
        with sdpa_kernel([SDPA[point.implementation]]):
            return F.scaled_dot_product_attention(
                q.transpose(1, 2), k.transpose(1, 2), v.transpose(1, 2), is_causal=point.causal,
                enable_gqa=point.query_groups != point.heads)
    return sdpa


def _normalized(x: torch.Tensor, centred: bool) -> tuple[torch.Tensor, torch.Tensor]:
    x = x.float()
    x = x - x.mean(-1, keepdim=True) if centred else x
    scale = torch.rsqrt(x.square().mean(-1, keepdim=True) + 1e-5)
    return x * scale, scale


def _norm(centred: bool) -> Callable:
    def forward(x: torch.Tensor, gain: torch.Tensor) -> torch.Tensor:
        return (_normalized(x, centred)[0] * gain).bfloat16()
    return forward


def _norm_backward(centred: bool) -> Callable:
    def backward(x: torch.Tensor, gain: torch.Tensor, dy: torch.Tensor) -> tuple:
        y, scale = _normalized(x, centred)
        g = dy.float() * gain
        dx = g - y * (g * y).mean(-1, keepdim=True)
        dx = dx - g.mean(-1, keepdim=True) if centred else dx
        return (dx * scale).bfloat16(), (dy * y).sum(0)
    return backward


def _swiglu(x: torch.Tensor) -> torch.Tensor:
    gate, up = x.chunk(2, -1)
    return F.silu(gate) * up


def _swiglu_backward(x: torch.Tensor, dy: torch.Tensor) -> torch.Tensor:
    gate, up = (half.float() for half in x.chunk(2, -1))
    share = torch.sigmoid(gate)
    d_gate = dy * up * share * (1 + gate * (1 - share))
    return torch.cat((d_gate, dy * gate * share), -1).bfloat16()


def _rope(sign: int) -> Callable:
    def rotate(x: torch.Tensor, angles: torch.Tensor) -> torch.Tensor:
        heads = x.view(x.shape[0], -1, ROPE_HEAD)
        left, right = heads.chunk(2, -1)
        turned = torch.cat((-right, left), -1)
        return heads * angles.cos() + sign * turned * angles.sin()
    return rotate


def _cross_entropy(logits: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
    return torch.logsumexp(logits.float(), -1) - logits.gather(1, targets)[:, 0]


def _cross_entropy_backward(logits: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
    columns = torch.arange(logits.shape[1], device=logits.device)
    return (torch.softmax(logits.float(), -1) - (columns == targets).float()).bfloat16()


FUNCTIONS: dict[tuple[str, str], Callable] = {
    ("add", "forward"): lambda x, y: x + y,
    ("cast", "forward"): lambda x: (x * 2.0).to(torch.float8_e4m3fn),
    ("rms_norm", "forward"): _norm(centred=False),
    ("rms_norm", "backward"): _norm_backward(centred=False),
    ("layer_norm", "forward"): _norm(centred=True),
    ("layer_norm", "backward"): _norm_backward(centred=True),
    ("swiglu", "forward"): _swiglu,
    ("swiglu", "backward"): _swiglu_backward,
    ("relu_squared", "forward"): lambda x: F.relu(x).square(),
    ("relu_squared", "backward"): lambda x, dy: 2 * F.relu(x) * dy,
    ("rope", "forward"): _rope(1),
    ("rope", "backward"): _rope(-1),
    ("cross_entropy", "forward"): _cross_entropy,
    ("cross_entropy", "backward"): _cross_entropy_backward,
}


def streaming_function(point: Streaming, device: str) -> tuple[Callable, str]:
    """The kernel as training software fuses it, and how: norms by Transformer Engine, the rest (and
    what is named so) by torch.compile. On a CPU, eagerly."""
    if point.kernel in ENGINE_NORMS:
        kind = getattr(importlib.import_module(ENGINE), ENGINE_NORMS[point.kernel])
        layer = kind(point.columns, device=device, params_dtype=torch.bfloat16)
        if point.direction == "forward":
            return lambda x, gain: layer(x), ENGINE
        return _engine_norm_backward(layer), f"{ENGINE}, forward and backward less forward"
    function = FUNCTIONS[point.base(), point.direction]
    if device == "cpu":
        return function, "eager"
    torch._dynamo.reset()  # shapes of the point before would make this one's dynamic
    return torch.compile(function, dynamic=False), "torch.compile"


def _engine_norm_backward(layer: torch.nn.Module) -> Callable:
    def both(x: torch.Tensor, gain: torch.Tensor, dy: torch.Tensor) -> tuple:
        leaf = x.detach().requires_grad_()
        return torch.autograd.grad(layer(leaf), (leaf, *layer.parameters()), dy)
    return both
