"""Results as dataclasses. Times are seconds, sizes bytes, rates per second, shares from 0 to 1, unless a
name ends in another unit. Every record has to_dict() and to_pandas()."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, Dict, List, Optional

from simtrain.records import Document, Record, frame

if TYPE_CHECKING:
    import pandas

    from simtrain.scenario import Scenario


@dataclasses.dataclass(frozen=True)
class Interval(Record):
    """A range that holds 9 of 10 measured values."""

    low: float
    high: float


@dataclasses.dataclass(frozen=True)
class StageMemory(Record):
    """What fills the memory of a GPU of one pipeline stage, in bytes, at the worst moment of a step.

    Attributes:
        weights: with their FP8 copies
        fp8_copies: part of the weights
        gradients, optimizer, gemm_workspaces: kept all through a run
        activations: of all micro-batches in flight
        loss: logits, loss and what their backward needs
        temporary: in the course of a step
        cuda_context, communicators, user_buffers, dispatcher_buffers: outside of the
            framework's allocator
        allocated: sum of what is in the allocator
        total: sum of all
        fragmentation: likely on top of the total where there is room
    """

    weights: float
    fp8_copies: float
    gradients: float
    optimizer: float
    gemm_workspaces: float
    activations: float
    loss: float
    temporary: float
    cuda_context: float
    communicators: float
    user_buffers: float
    dispatcher_buffers: float
    allocated: float
    total: float
    fragmentation: float


@dataclasses.dataclass(frozen=True)
class Communication(Record):
    """What the busiest rank spends on one kind of call in a step.

    Attributes:
        group: tp, cp, pp, dp, ...
        collective: all_gather, reduce_scatter, ...
        algorithm, protocol: that NCCL chooses
        bytes: of one call, as nccl-tests counts them
        count: calls of a step
        total_s: seconds in a step
        exposed_s: seconds of it on the critical path
    """

    group: str
    collective: str
    algorithm: str
    protocol: str
    bytes: float
    count: int
    total_s: float
    exposed_s: float


@dataclasses.dataclass(frozen=True)
class Parameters(Record):
    """Counts of weights.

    Attributes:
        total: of the model
        fullest_gpu: of a GPU of the stage that holds most
        fullest_stage: that stage, from 0
        mean_gpu: of a GPU, mean
        trained: of the total: all, or with LoRA adapters alone
    """

    total: int
    fullest_gpu: int
    fullest_stage: int
    mean_gpu: float
    trained: int


class Documents:
    """The texts of a result: written when they are first asked for, and kept when it is pickled."""

    def __init__(self, native: Any) -> None:
        self._native = native
        self._texts: Dict[str, str] = {}

    def get(self, kind: str) -> str:
        if kind not in self._texts:
            self._texts[kind] = getattr(self._native, kind)()
        return self._texts[kind]

    def __getstate__(self) -> Dict[str, Any]:
        return {"_native": None, "_texts": {kind: self.get(kind) for kind in ("json", "text")}}


@dataclasses.dataclass(frozen=True)
class Result(Document):
    """One training step as predicted by simulate(). print(result.text()) shows it as the program does.

    Attributes:
        scenario, source: title, and where the scenario comes from
        cluster, model, software: names
        layout: "TP 4, PP 14, ..."
        gpus: of the job
        data_parallel_size: replicas
        micro_batches: of a replica in a step
        tokens_per_step: tokens
        parameters: counts of weights
        step_time_s: seconds of the mean step
        step_time_interval: seconds that hold 9 of 10 measured means
        step_time_std_s: seconds, from step to step, as GPU clocks make it
        steps_s: seconds of single steps, where simulate(steps=...) asks for them
        tokens_per_s: tokens per second of the job
        tflops_per_gpu: achieved, in TFLOP/s of model FLOPs
        peak_tflops_per_gpu: dense peak in TFLOP/s
        mfu: tflops_per_gpu over peak_tflops_per_gpu
        mfu_convention: how model FLOPs are counted
        model_flops_per_sample: FLOPs, forward and backward
        days_per_1t_tokens: days of training for 1e12 tokens
        sm_clock: share of the full clock, at the power limit
        breakdown: seconds of the critical path by share; they sum to step_time_s
        memory: by pipeline stage
        memory_capacity_bytes: of a GPU
        peak_bytes: the largest `allocated` of a stage
        fits: every stage has room for its total
        tight: it fits, but not with the usual fragmentation
        communication: of the busiest rank
        events: simulated
        ranks_simulated: each represents ranks that do the same
        fingerprint: of all spans of time; equal where the same events were simulated
    """

    scenario: str
    source: str
    cluster: str
    model: str
    software: str
    layout: str
    gpus: int
    data_parallel_size: int
    micro_batches: int
    tokens_per_step: int
    parameters: Parameters
    step_time_s: float
    step_time_interval: Interval
    step_time_std_s: float
    steps_s: List[float]
    tokens_per_s: float
    tflops_per_gpu: float
    peak_tflops_per_gpu: float
    mfu: float
    mfu_convention: str
    model_flops_per_sample: float
    days_per_1t_tokens: float
    sm_clock: float
    breakdown: Dict[str, float]
    memory: List[StageMemory]
    memory_capacity_bytes: float
    peak_bytes: float
    fits: bool
    tight: bool
    communication: List[Communication]
    events: int
    ranks_simulated: int
    fingerprint: str
    _documents: Documents = dataclasses.field(repr=False, compare=False)

    def json(self) -> str:
        """The whole result as `simtrain run --format json` prints it (schema simtrain.result/1)."""
        return self._documents.get("json")

    def text(self) -> str:
        """A report of 80 columns, as `simtrain run` prints it."""
        return self._documents.get("text")

    def fullest_stage(self) -> StageMemory:
        """The stage whose total is largest."""
        return max(self.memory, key=lambda stage: stage.total)


@dataclasses.dataclass(frozen=True)
class SweepRow(Record):
    """One combination of a sweep. Figures as in Result; 0 where nothing was simulated.

    Attributes:
        index: from 0; the first axis changes slowest
        values: value of each axis
        status: "ok", "does_not_fit" (simulated, but needs more memory than there is), "illegal" (no job)
            or "failed" (a fault of simtrain)
        reason: why not ok
        total_bytes: of the fullest stage
    """

    index: int
    values: Dict[str, Any] = dataclasses.field(metadata={"flat": True})
    status: str
    reason: str
    gpus: int
    data_parallel_size: int
    step_time_s: float
    step_time_interval: Interval
    tokens_per_s: float
    tflops_per_gpu: float
    mfu: float
    peak_bytes: float
    total_bytes: float
    memory_capacity_bytes: float
    breakdown: Dict[str, float]
    fingerprint: str


@dataclasses.dataclass(frozen=True)
class Sweep(Record):
    """All rows of a sweep, in the order of their index.

    Attributes:
        axes: keys that were varied
        rows: one for each combination
    """

    axes: List[str]
    rows: List[SweepRow]

    def __len__(self) -> int:
        return len(self.rows)

    def fastest(self) -> Optional[SweepRow]:
        """The row of least step time that fits; None where none does."""
        fitting = [row for row in self.rows if row.status == "ok"]
        return min(fitting, key=lambda row: row.step_time_s) if fitting else None

    def to_pandas(self) -> "pandas.DataFrame":
        """A table with a row for each combination, a column for each axis and figure."""
        return frame(self.rows)


@dataclasses.dataclass(frozen=True)
class PathStage(Record):
    """What the critical path of a step does on one pipeline stage, in seconds.

    Attributes:
        stage: from 0
        forward_s, backward_s: passes, with deferred weight gradients
        other_s: gradient norm and optimizer
        communication_s: transfers
    """

    stage: int
    forward_s: float
    backward_s: float
    other_s: float
    communication_s: float


@dataclasses.dataclass(frozen=True)
class WhatIf(Record):
    """The same step with one thing changed, simulated anew.

    Attributes:
        kind: "knob", or "cost_removed": a cost of the hardware set to nothing
        name: "VP"
        from_, to: values of the knob; empty where a cost is removed
        step_time_s: seconds
        relative: step time over that of the scenario, less one
        mfu: from 0 to 1
        fits: in memory
    """

    kind: str
    name: str
    from_: str
    to: str
    step_time_s: float
    relative: float
    mfu: float
    fits: bool


@dataclasses.dataclass(frozen=True)
class Explanation(Record):
    """Why a step takes as long as it does.

    Attributes:
        step_time_s: seconds of the scenario itself
        path: seconds of the critical path by stage, which sum to the step
        moves: how often the path goes from one stage to another
        what_ifs: legal changes: those that fit first, then by step time
        refused: changes that make no legal scenario
    """

    step_time_s: float
    path: List[PathStage]
    moves: int
    what_ifs: List[WhatIf]
    refused: int

    def to_pandas(self) -> "pandas.DataFrame":
        """A table with a row for each change."""
        return frame(self.what_ifs)


@dataclasses.dataclass(frozen=True)
class TunedPlan(Record):
    """A plan that was simulated.

    Attributes:
        plan: values of gpus, tp, pp, vp, cp, dp, mbs, ...
        result: of a step
        memory_bytes: that the fullest GPU needs
        spare_bytes: of its memory, beside the margin
        scenario: with the plan in it, to go on with
    """

    plan: Dict[str, Any] = dataclasses.field(metadata={"flat": True})
    memory_bytes: float
    spare_bytes: float
    result: Result
    scenario: "Scenario" = dataclasses.field(repr=False, compare=False, metadata={"own": True})

    def to_dict(self) -> Dict[str, Any]:
        """Plan, memory and the result's document."""
        return {"plan": dict(self.plan), "memory_bytes": self.memory_bytes, "spare_bytes": self.spare_bytes,
                "result": self.result.to_dict()}


@dataclasses.dataclass(frozen=True)
class Tuned(Document):
    """The best plans, best first.

    Attributes:
        considered: combinations whose sizes multiply to the GPUs and the batch
        legal: of them, those that can be laid out
        fitting: of the legal, those that fit in memory
        simulated: of the fitting; a lower bound rules the others out
        best: none where no plan fits
    """

    considered: int
    legal: int
    fitting: int
    simulated: int
    best: List[TunedPlan] = dataclasses.field(metadata={"own": True})
    _json: str = dataclasses.field(repr=False, compare=False)

    def json(self) -> str:
        """As `simtrain tune --format json` prints it (schema simtrain.tune/1)."""
        return self._json

    def to_pandas(self) -> "pandas.DataFrame":
        """A table with a row for each of the best plans."""
        import pandas

        rows = [{**plan.plan, "step_time_s": plan.result.step_time_s, "mfu": plan.result.mfu,
                 "tokens_per_s": plan.result.tokens_per_s, "memory_bytes": plan.memory_bytes,
                 "spare_bytes": plan.spare_bytes} for plan in self.best]
        return pandas.DataFrame(rows)


@dataclasses.dataclass(frozen=True)
class FrontPlan(Record):
    """A plan that was simulated in the search for a front.

    Attributes:
        plan: values of gpus, tp, pp, vp, cp, dp, mbs, ...
        on_front: no other has less of one objective without more of another
        tight: fits, but without room for fragmentation
        step_time_s: seconds
        tokens_per_s: of the job
        mfu: from 0 to 1
        memory_bytes: that the fullest GPU needs
        spare_bytes: of its memory, beside the margin
        joules_per_token: joules, site included
        usd_per_1t_tokens: dollars of 10^12 tokens by GPU hours; 0 without a price
        fingerprint: of the simulation
        scenario: with the plan in it, to simulate and go on with
    """

    plan: Dict[str, Any] = dataclasses.field(metadata={"flat": True})
    on_front: bool
    tight: bool
    step_time_s: float
    tokens_per_s: float
    mfu: float
    memory_bytes: float
    spare_bytes: float
    joules_per_token: float
    usd_per_1t_tokens: float
    fingerprint: str
    scenario: "Scenario" = dataclasses.field(repr=False, compare=False, metadata={"own": True})

    def to_dict(self) -> Dict[str, Any]:
        """Plan and figures."""
        return {key: value for key, value in super().to_dict().items() if key != "scenario"}


@dataclasses.dataclass(frozen=True)
class Front(Document):
    """The plans of a front by several objectives, and the others that were simulated.

    Attributes:
        considered: combinations whose sizes multiply to the GPUs and the batch
        legal: of them, those that can be laid out
        fitting: of the legal, those that fit in memory
        simulated: of the fitting; lower bounds rule others out, or they are tight
        plans: that were simulated, least of the first objective first; none where no plan fits
    """

    considered: int
    legal: int
    fitting: int
    simulated: int
    plans: List[FrontPlan] = dataclasses.field(metadata={"own": True})
    _json: str = dataclasses.field(repr=False, compare=False)

    @property
    def front(self) -> List[FrontPlan]:
        """The plans of which none has less of one objective without more of another."""
        return [plan for plan in self.plans if plan.on_front]

    def json(self) -> str:
        """As `simtrain tune --objectives ... --format json` prints it (schema simtrain.tune-front/1)."""
        return self._json

    def to_pandas(self) -> "pandas.DataFrame":
        """A table with a row for each plan that was simulated; on_front says which are on the front."""
        return frame(self.plans)


@dataclasses.dataclass(frozen=True)
class NcclSize(Record):
    """One size of a collective on an otherwise idle cluster.

    Attributes:
        bytes: as nccl-tests counts them
        algorithm, protocol, channels: that NCCL chooses
        time_s: seconds of a call
        algorithm_bandwidth: bytes per second (nccl-tests: algbw)
        bus_bandwidth: bytes per second (nccl-tests: busbw)
    """

    bytes: int
    algorithm: str
    protocol: str
    channels: int
    time_s: float
    algorithm_bandwidth: float
    bus_bandwidth: float


@dataclasses.dataclass(frozen=True)
class Nccl(Document):
    """What nccl-tests would measure.

    Attributes:
        sizes: a row for each
        table: in nccl-tests' own format
    """

    sizes: List[NcclSize]
    table: str = dataclasses.field(repr=False)
    _json: str = dataclasses.field(repr=False, compare=False)

    def json(self) -> str:
        """As `simtrain nccl --format json` prints it (schema simtrain.nccl/1)."""
        return self._json

    def to_pandas(self) -> "pandas.DataFrame":
        """A table with a row for each size."""
        return frame(self.sizes)


@dataclasses.dataclass(frozen=True)
class ValidationRow(Record):
    """A documented step time beside its prediction.

    Attributes:
        document, table, group: where it is printed, and what belongs together
        precision, scenario, row: what was simulated
        measured_s, predicted_s: seconds of a step
        error: predicted over measured, less one
    """

    document: str
    table: str
    group: str
    precision: str
    scenario: str
    row: str
    measured_s: float
    predicted_s: float
    error: float


@dataclasses.dataclass(frozen=True)
class Validation(Document):
    """Predictions beside documented or measured runs.

    Attributes:
        rows: of the headline tables
        mean_absolute_error, largest_absolute_error: shares of the measured step time
        bias: mean error with its sign; positive: predicted slower than measured
        broken: a sentence for each bound of the files that does not hold
    """

    rows: List[ValidationRow]
    mean_absolute_error: float
    largest_absolute_error: float
    bias: float
    broken: List[str]
    _json: str = dataclasses.field(repr=False, compare=False)

    def json(self) -> str:
        """As `simtrain validate --format json` prints it (schema simtrain.validation/1)."""
        return self._json

    def to_pandas(self) -> "pandas.DataFrame":
        """A table with a row for each run."""
        return frame(self.rows)


@dataclasses.dataclass(frozen=True)
class MachineValue(Record):
    """A value of one machine as its measurements have it.

    Attributes:
        key: behind `hardware.` in a scenario: "gpu.power.available"
        unit: of the values
        before, value: of the hardware file, and of the machine
        standard_error: relative, of the speed that it stands for
        points: measurements that it follows from
        source: of the value
    """

    key: str
    unit: str
    before: float
    value: float
    standard_error: float
    points: int
    source: str


@dataclasses.dataclass(frozen=True)
class MachineFit(Record):
    """One machine as measured.

    Attributes:
        node, gpu: names of hardware files
        values: that differ
        relative_error: of step times on the machine
        yaml: its file, for hardware/machines/NAME.yaml
    """

    node: str
    gpu: str
    values: List[MachineValue]
    relative_error: float
    yaml: str = dataclasses.field(repr=False)

    def hardware(self) -> Dict[str, str]:
        """The values as keys of Scenario.with_: {"hardware.gpu.power.available": "0.95"}."""
        return {f"hardware.{value.key}": f"{value.value:.6g} {value.unit}".strip() for value in self.values}

    def to_pandas(self) -> "pandas.DataFrame":
        """A table with a row for each value."""
        return frame(self.values)
