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
class Energy(Record):
    """What a step draws and takes.

    Attributes:
        gpu_w, gpu_limit_w: watts of a GPU, mean of the step, and those that it may draw
        node_w: watts of a node at the socket
        cluster_w: watts of the job, network and site with it
        joules_per_step, joules_per_token: joules of the job
        mwh_per_1t_tokens: MWh for 1e12 tokens
        pue: what the site takes over what its computers take
        by_part: joules of a step by what draws them; they sum to joules_per_step
        gpus_by_kernel: joules of all GPUs by what they are drawn for
        by_rule: facts that no file gives, with the rule that they follow
    """

    gpu_w: float
    gpu_limit_w: float
    node_w: float
    cluster_w: float
    joules_per_step: float
    joules_per_token: float
    mwh_per_1t_tokens: float
    pue: float
    by_part: Dict[str, float]
    gpus_by_kernel: Dict[str, float]
    by_rule: List[str]


@dataclasses.dataclass(frozen=True)
class KernelWork(Record):
    """A kernel of one module and shape in a step.

    Attributes:
        module: in the words of Megatron
        kernel: as a profiler names it
        shape: "1024 x 26624 x 16384" (m, n, k) of a GEMM; empty for the step's end
        share: of the breakdown
        bound_by: "compute", "memory" or "launch"
        each_s: seconds of a call, alone on its GPU
        flops: FLOPs of a call
        bytes: bytes of a call of a memory-bound kernel; otherwise 0
        share_of_peak: FLOP/s or bytes per second over the peak; 0 where there is none
        count: calls of the busiest rank in a step
        total_s: seconds of these
        path_s: seconds on the critical path, of any rank
    """

    module: str
    kernel: str
    shape: str
    share: str
    bound_by: str
    each_s: float
    flops: float
    bytes: float
    share_of_peak: float
    count: int
    total_s: float
    path_s: float


@dataclasses.dataclass(frozen=True)
class TransferWork(Record):
    """Calls of one kind and size in a step.

    Attributes:
        group: tp, cp, pp, dp, ...
        collective: all_gather, reduce_scatter, ...
        algorithm, protocol: that the library chooses
        bytes: of one call, as nccl-tests counts them
        share: of the breakdown
        bound_by: latency, channels, nvlink, nic, shared_nvlink, shared_nic, ...
        bus_bandwidth: bytes per second of the mean call
        count: calls of the busiest rank in a step
        total_s: seconds of these, hidden or not
        path_s: seconds on the critical path, of any rank
    """

    group: str
    collective: str
    algorithm: str
    protocol: str
    bytes: float
    share: str
    bound_by: str
    bus_bandwidth: float
    count: int
    total_s: float
    path_s: float


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
        energy: what the step draws and takes
        kernels, transfers: where simulate(kernels=True) asks for them; most time on the critical path first
        events: of the step, and of what its passes are put together from
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
    energy: Energy
    kernels: List[KernelWork]
    transfers: List[TransferWork]
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


@dataclasses.dataclass(frozen=True)
class Told(Document):
    """A document with a report of 80 columns beside it."""

    _documents: Documents = dataclasses.field(repr=False, compare=False)

    def json(self) -> str:
        """The document, as the command line prints it."""
        return self._documents.get("json")

    def text(self) -> str:
        """The report, as the command line prints it."""
        return self._documents.get("text")


@dataclasses.dataclass(frozen=True)
class ScaleRow(Record):
    """A scenario's plan on one number of GPUs. Figures as in Result; 0 where it is illegal there.

    Attributes:
        gpus: of the job
        illegal: why there is no step; empty where there is one
        global_batch_size: samples
        step_time_s: seconds
        tokens_per_s: of the job
        mfu: from 0 to 1
        efficiency: tokens/s of a GPU over those of the first legal size
        fits: in memory
        days, gpu_hours, cost_usd: of the training run; dollars, 0 without a price
        joules_per_token: joules, site included
        breakdown: seconds of the critical path by share
    """

    gpus: int
    illegal: str
    global_batch_size: int
    step_time_s: float
    tokens_per_s: float
    mfu: float
    efficiency: float
    fits: bool
    days: float
    gpu_hours: float
    cost_usd: float
    joules_per_token: float
    breakdown: Dict[str, float]


@dataclasses.dataclass(frozen=True)
class Scale(Document):
    """A scenario's plan on several numbers of GPUs.

    Attributes:
        rows: one for each size, in the order asked
    """

    rows: List[ScaleRow]
    _json: str = dataclasses.field(repr=False, compare=False)

    def json(self) -> str:
        """As `simtrain scale --format json` prints it (schema simtrain.scale/1)."""
        return self._json

    def to_pandas(self) -> "pandas.DataFrame":
        """A table with a row for each size."""
        return frame(self.rows)


@dataclasses.dataclass(frozen=True)
class PartDifference(Record):
    """A part of the critical path of two runs.

    Attributes:
        share: of the breakdown
        against_s, run_s: seconds of a step
        change_s: run less against
    """

    share: str
    against_s: float
    run_s: float
    change_s: float


@dataclasses.dataclass(frozen=True)
class KeyDifference(Record):
    """A key in which two runs differ.

    Attributes:
        key: dotted
        against, run: values; empty where a run does not have it
    """

    key: str
    against: str
    run: str


@dataclasses.dataclass(frozen=True)
class Difference(Told):
    """One run beside another, from which differences are counted.

    Attributes:
        change_s: seconds that the run's step takes more
        same_tokens: both steps train on as many tokens, so that their times compare
        parts: seconds of the critical path; their changes sum to change_s
        keys: that differ
        run, against: both results
    """

    change_s: float
    same_tokens: bool
    parts: List[PartDifference]
    keys: List[KeyDifference]
    run: Result = dataclasses.field(metadata={"own": True})
    against: Result = dataclasses.field(metadata={"own": True})

    def to_pandas(self) -> "pandas.DataFrame":
        """A table with a row for each part of the step."""
        return frame(self.parts)


@dataclasses.dataclass(frozen=True)
class Imported(Record):
    """What an import of a recipe makes.

    Attributes:
        format: of the recipe's file
        yaml: a scenario, or of a config.json a model; comments say where each value is from
        taken: keys of the recipe that are in it
        assumed: values that the recipe is silent about
        ignored: keys of the recipe without effect on it
        notes: what the user must know, each a sentence
    """

    format: str
    yaml: str
    taken: int
    assumed: int
    ignored: int
    notes: List[str]
    _data: Any = dataclasses.field(repr=False, compare=False)

    def scenario(self) -> "Scenario":
        """The scenario. Raises InputError where a model was imported."""
        from simtrain.scenario import Scenario

        return Scenario.from_yaml(self.yaml, data=self._data)


@dataclasses.dataclass(frozen=True)
class Exported(Record):
    """A scenario in the words of another framework.

    Attributes:
        text: the whole file
        left_out: each key of the plan that is not in it, a sentence
    """

    text: str
    left_out: List[str]


@dataclasses.dataclass(frozen=True)
class TopologyLevel(Record):
    """What goes up from one level of a cluster to the next, bytes per second in one direction.

    Attributes:
        level: "NVLink", "NIC", "leaf up", ...
        total, per_gpu: bytes per second
        oversubscription: downlinks over uplinks; 0 where it is no switch
    """

    level: str
    total: float
    per_gpu: float
    oversubscription: float


@dataclasses.dataclass(frozen=True)
class Topology(Told):
    """A cluster in numbers.

    Attributes:
        cluster, wiring: names, and how its fabric is wired
        hosts, gpus, nics: of all hosts
        nvlink_domains, nvswitch_planes: that NVLink joins, and switch planes of all
        leaf_switches, spine_switches, core_switches: of the network
        levels: bandwidths, from GPUs upward
        bisection: bytes per second between the worst halves of the hosts
    """

    cluster: str
    wiring: str
    hosts: int
    gpus: int
    nvlink_domains: int
    nvswitch_planes: int
    nics: int
    leaf_switches: int
    spine_switches: int
    core_switches: int
    levels: List[TopologyLevel]
    bisection: float
