"""The shapes that are measured: what a training step of Llama 3.1 and Nemotron4 launches under
TP 1 to 8. A point is one row of a table; its fields are the columns that distinguish it from others."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

ROLES = ("forward", "data gradient", "weight gradient")
MOST_FLOPS = 1e13  # a longer GEMM lasts over 10 ms: no burst
ROPE_HEAD = 128
COMPILED = "_torch_compile"


@dataclass(frozen=True)
class Model:
    """A dense decoder. `branches` is 2 where a gate doubles the first MLP weight (SwiGLU)."""

    hidden: int
    ffn: int
    branches: int
    heads: int
    query_groups: int
    head_dimension: int
    vocabulary: int

    def weights(self, tp: int) -> list[tuple[int, int]]:
        """(outputs, inputs) of a rank's linear layers: QKV, projection, FC1, FC2, logits."""
        attention = self.heads * self.head_dimension
        qkv = attention + 2 * self.query_groups * self.head_dimension
        return [
            (qkv // tp, self.hidden),
            (self.hidden, attention // tp),
            (self.branches * self.ffn // tp, self.hidden),
            (self.hidden, self.ffn // tp),
            (self.vocabulary // tp, self.hidden),
        ]


MODELS = {
    "llama3.1-8b": Model(4096, 14336, 2, 32, 8, 128, 128256),
    "llama3.1-70b": Model(8192, 28672, 2, 64, 8, 128, 128256),
    "llama3.1-405b": Model(16384, 53248, 2, 128, 8, 128, 128256),
    "nemotron4-15b": Model(6144, 24576, 1, 48, 8, 128, 256000),
    "nemotron4-340b": Model(18432, 73728, 1, 96, 8, 192, 256000),
}


@dataclass(frozen=True)
class Gemm:
    """C[m, n] = A[m, k] B[k, n]; the role gives how A and B lie in memory."""

    data_type: str  # bf16 or fp8
    run: str  # burst or sustained
    role: str  # one of ROLES
    m: int
    n: int
    k: int

    def flops(self) -> float:
        return 2.0 * self.m * self.n * self.k


@dataclass(frozen=True)
class Attention:
    implementation: str
    direction: str  # forward or backward
    causal: bool
    batch: int
    queries: int
    keys: int
    heads: int
    query_groups: int
    head_dimension: int
    value_dimension: int

    def flops(self) -> float:
        """Half the square if causal; the backward pass counts 2.5 times the forward pass."""
        dimensions = self.head_dimension + self.value_dimension
        forward = 2.0 * self.batch * self.heads * self.queries * self.keys * dimensions
        passes = 2.5 if self.direction == "backward" else 1.0
        return forward * passes * (0.5 if self.causal else 1.0)


@dataclass(frozen=True)
class Streaming:
    """A memory-bound kernel over rows x columns elements; see STREAMING for what it moves.
    Reductions that torch.compile has fused are named so: Transformer Engine's are faster."""

    kernel: str
    direction: str
    rows: int
    columns: int

    def base(self) -> str:
        return self.kernel.removesuffix(COMPILED)

    def bytes(self) -> int:
        return STREAMING[self.base(), self.direction] * self.rows * self.columns


# Bytes per element of (rows x columns) that a fused kernel cannot avoid: BF16 in and out, FP8 out
# of a cast. SwiGLU counts elements of its output; gains and tables shared by rows are not counted.
STREAMING = {
    ("add", "forward"): 6,
    ("cast", "forward"): 3,
    ("rms_norm", "forward"): 4,
    ("rms_norm", "backward"): 6,
    ("layer_norm", "forward"): 4,
    ("layer_norm", "backward"): 6,
    ("swiglu", "forward"): 6,
    ("swiglu", "backward"): 10,
    ("relu_squared", "forward"): 4,
    ("relu_squared", "backward"): 6,
    ("rope", "forward"): 4,
    ("rope", "backward"): 4,
    ("cross_entropy", "forward"): 2,
    ("cross_entropy", "backward"): 4,
}
REDUCTIONS = ("rms_norm", "layer_norm", "cross_entropy")
COLUMNS = {  # hidden sizes, or else FFN sizes and vocabularies of a rank
    "swiglu": (3584, 7168, 14336, 28672),
    "relu_squared": (3072, 9216, 24576, 36864),
    "cross_entropy": (16032, 32064, 128256),
}


def _role_shape(role: str, tokens: int, outputs: int, inputs: int) -> tuple[int, int, int]:
    """m, n, k of a linear layer Y[tokens, outputs] = X[tokens, inputs] W'."""
    if role == "forward":
        return tokens, outputs, inputs
    if role == "data gradient":
        return tokens, inputs, outputs
    return outputs, inputs, tokens


def burst_gemms(data_types: tuple[str, ...], quick: bool) -> list[Gemm]:
    models = ["llama3.1-8b", "llama3.1-70b"] if quick else list(MODELS)
    tps = (1, 8) if quick else (1, 2, 4, 8)
    tokens = (2048, 8192) if quick else (512, 1024, 2048, 4096, 8192, 16384)
    weights = {weight for name, tp in product(models, tps) for weight in MODELS[name].weights(tp)}
    points = [
        Gemm(data_type, "burst", role, *_role_shape(role, count, *weight))
        for data_type, weight, role, count in product(data_types, sorted(weights), ROLES, tokens)
    ]
    return [point for point in points if point.flops() <= MOST_FLOPS]


def sustained_gemms(data_types: tuple[str, ...], quick: bool) -> list[Gemm]:
    """Square, and the four weights of Llama 3.1 70B at TP 4: long loops are dear, so few."""
    weights = MODELS["llama3.1-70b"].weights(4)[:4]
    shapes = [("forward", 8192, 8192, 8192)]
    if not quick:
        shapes += [("forward", 8192, *weight) for weight in weights]
        shapes += [("data gradient", *_role_shape("data gradient", 8192, *weights[2]))]
        shapes += [("weight gradient", *_role_shape("weight gradient", 8192, *weights[2]))]
    return [Gemm(name, "sustained", *shape) for name, shape in product(data_types, shapes)]


def attentions(implementations: tuple[str, ...], quick: bool) -> list[Attention]:
    """By heads and length; then dense, other head dimensions, a batch, GQA, and the oblong blocks
    of context parallelism: half the queries against all keys, all queries against half the keys."""
    lengths = (2048, 8192) if quick else (1024, 2048, 4096, 8192, 16384)
    heads = (8, 32) if quick else (4, 8, 16, 32, 64)
    shapes = [(True, 1, s, s, a, a, 128) for s, a in product(lengths, heads)]
    if not quick:
        shapes += [(False, 1, s, s, 32, 32, 128) for s in lengths]
        shapes += [(True, 1, s, s, 32, 32, d) for s, d in product(lengths, (64, 192))]
        shapes += [(True, 4, s, s, 16, 16, 128) for s in lengths]
        shapes += [(True, 1, s, s, 32, 4, 128) for s in lengths]
        shapes += [(False, 1, s // 2, s, 16, 16, 128) for s in lengths]
        shapes += [(False, 1, s, s // 2, 16, 16, 128) for s in lengths]
    return [
        Attention(name, direction, *shape, shape[-1])
        for name, shape, direction in product(implementations, shapes, ("forward", "backward"))
    ]


def streamings(data_types: tuple[str, ...], quick: bool, engine: bool) -> list[Streaming]:
    """`engine`: Transformer Engine is there, and with it the norms of training."""
    rows = (8192,) if quick else (1024, 4096, 16384)
    kernels = [key for key in STREAMING if key[0] != "cast" or "fp8" in data_types]
    points = []
    for (kernel, direction), count in product(kernels, rows):
        columns = COLUMNS.get(kernel, (4096, 8192, 16384))
        fused = kernel not in REDUCTIONS or engine and kernel != "cross_entropy"
        name = kernel if fused else kernel + COMPILED
        points += [Streaming(name, direction, count, c) for c in columns[: 1 if quick else None]]
    return points


def tiny(points: list) -> list:
    """One small point of each kind, to try the program out on a CPU."""
    small: dict[tuple, object] = {}
    for point in points:
        match point:
            case Gemm():
                small[point.data_type, point.run, point.role] = Gemm(
                    point.data_type, point.run, point.role, 128, 192, 256)
            case Attention():
                small[point.implementation, point.direction, point.causal] = Attention(
                    point.implementation, point.direction, point.causal, 1, 64, 64, 2, 2, 32, 32)
            case Streaming():
                small[point.kernel, point.direction] = Streaming(
                    point.kernel, point.direction, 16, 2 * ROPE_HEAD)
    return list(small.values())
