"""The C++ library behind simtrain: values of simtrain/simulate.h and simtrain/study.h."""

from typing import Callable, Dict, List, Optional, Tuple

def version() -> str: ...
def installed_data_path() -> str: ...

class DataFolder:
    def __init__(self, path: str) -> None: ...
    @staticmethod
    def installed() -> DataFolder: ...
    @staticmethod
    def families() -> List[str]: ...
    def path(self) -> str: ...
    def names(self, family: str) -> List[str]: ...
    def json(self, family: str, name: str) -> str: ...
    @staticmethod
    def schemas() -> List[str]: ...
    def schema(self, kind: str) -> str: ...

class Scenario:
    @staticmethod
    def from_file(data: DataFolder, path: str) -> Scenario: ...
    @staticmethod
    def from_data(data: DataFolder, name: str) -> Scenario: ...
    @staticmethod
    def from_text(data: DataFolder, yaml: str, name: str) -> Scenario: ...
    def rows(self) -> List[str]: ...
    def row(self, name: str) -> Scenario: ...
    def with_(self, key: str, value: str) -> Scenario: ...
    def data(self) -> DataFolder: ...
    def check(self) -> None: ...
    def name(self) -> str: ...
    def gpus(self) -> int: ...
    def yaml(self) -> str: ...
    def json(self) -> str: ...

class Axis:
    def __init__(self, key: str, values: str) -> None: ...

class Interval:
    low: float
    high: float

class StageMemory:
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

class Communication:
    group: str
    collective: str
    algorithm: str
    protocol: str
    bytes: float
    count: int
    total_s: float
    exposed_s: float

class Parameters:
    total: int
    fullest_gpu: int
    fullest_stage: int
    mean_gpu: float
    trained: int

class Energy:
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

class KernelWork:
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

class TransferWork:
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

class Result:
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
    def json(self) -> str: ...
    def text(self) -> str: ...

class SweepRow:
    index: int
    values: List[Tuple[str, str]]
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

class PathStage:
    stage: int
    forward_s: float
    backward_s: float
    other_s: float
    communication_s: float

class WhatIf:
    kind: str
    name: str
    from_: str
    to: str
    step_time_s: float
    relative: float
    mfu: float
    fits: bool

class Explanation:
    step_time_s: float
    path: List[PathStage]
    moves: int
    what_ifs: List[WhatIf]
    refused: int
    json: str

class TunedPlan:
    plan: List[Tuple[str, str]]
    scenario: Scenario
    result: Result
    memory_bytes: float
    spare_bytes: float

class TuneResult:
    considered: int
    legal: int
    fitting: int
    simulated: int
    best: List[TunedPlan]
    json: str

class FrontPlan:
    plan: List[Tuple[str, str]]
    scenario: Scenario
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

class FrontResult:
    considered: int
    legal: int
    fitting: int
    simulated: int
    plans: List[FrontPlan]
    json: str

class NcclSize:
    bytes: int
    algorithm: str
    protocol: str
    channels: int
    time_s: float
    algorithm_bandwidth: float
    bus_bandwidth: float

class NcclResult:
    sizes: List[NcclSize]
    table: str
    json: str

class ValidationRow:
    document: str
    table: str
    group: str
    precision: str
    scenario: str
    row: str
    measured_s: float
    predicted_s: float
    error: float

class Validation:
    rows: List[ValidationRow]
    mean_absolute_error: float
    largest_absolute_error: float
    bias: float
    broken: List[str]
    json: str

class MachineValue:
    key: str
    unit: str
    before: float
    value: float
    standard_error: float
    points: int
    source: str

class MachineFit:
    node: str
    gpu: str
    values: List[MachineValue]
    relative_error: float
    yaml: str
    json: str

_Watch = Optional[Callable[[int, int], None]]

class Spread:
    mean: float
    p5: float
    p10: float
    p50: float
    p90: float
    p95: float

class Checkpoint:
    storage: str
    bytes: float
    writers: int
    copy_s: float
    write_s: float
    stall_s: float
    load_s: float
    interval: float
    host_bytes: float

class JobFailure:
    component: str
    effect: str
    per_day: float
    mean_of_a_run: float
    nodes: float
    slowdown: float

class JobChange:
    change: str
    value: float
    goodput: float
    elapsed_s: float
    gpu_hours: float

class Goodput:
    scenario: str
    gpus: int
    nodes: int
    spare_nodes: int
    step_time_s: float
    tokens_per_step: float
    runs: int
    finished: int
    elapsed_s: Spread
    steps: Spread
    goodput: Spread
    effective_time: Spread
    interruptions: Spread
    restarts: float
    saves: float
    gpu_hours: float
    spare_gpu_hours: float
    used: Dict[str, float]
    joules: float
    waiting_joules: float
    gpu_usd: Optional[float]
    electricity_usd: Optional[float]
    carbon_kg: Optional[float]
    checkpoint: Checkpoint
    failures: List[JobFailure]
    young_steps: float
    daly_steps: float
    intervals: List[JobChange]
    spares: List[JobChange]
    changes: List[JobChange]
    def json(self) -> str: ...
    def text(self) -> str: ...

class SharedJob:
    name: str
    scenario: str
    placement: str
    gpus: int
    hosts: List[int]
    alone_s: float
    together_s: float
    least_s: float
    most_s: float
    steps: int
    lost_gpus: float

class JobPlacement:
    placement: str
    hosts: List[int]
    step_time_s: float
    alone_s: float
    lost_gpus: float
    others_lost_gpus: float

class SharedCluster:
    name: str
    cluster: str
    nodes: int
    gpus: int
    links_never_bind: bool
    jobs: List[SharedJob]
    placements: List[JobPlacement]
    def json(self) -> str: ...
    def text(self) -> str: ...

class Imported:
    format: str
    yaml: str
    taken: int
    assumed: int
    ignored: int
    notes: List[str]

class Exported:
    text: str
    left_out: List[str]

class ScaleRow:
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

class ScaleResult:
    rows: List[ScaleRow]
    json: str

class PartDifference:
    share: str
    against_s: float
    run_s: float
    change_s: float

class KeyDifference:
    key: str
    against: str
    run: str

class Difference:
    change_s: float
    same_tokens: bool
    parts: List[PartDifference]
    keys: List[KeyDifference]
    run: Result
    against: Result
    def json(self) -> str: ...
    def text(self) -> str: ...

class TopologyLevel:
    level: str
    total: float
    per_gpu: float
    oversubscription: float

class Topology:
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
    def json(self) -> str: ...
    def text(self) -> str: ...

class JobAdvice:
    kind: str
    change: str
    settings: List[str]
    step_time_s: float
    goodput: float
    elapsed_s: float
    saved_s: float
    saved_gpu_hours: float
    saved_usd: Optional[float]

class AdvisedJob:
    step: Result
    goodput: Goodput
    runs: int
    advice: List[JobAdvice]
    refused: int
    def json(self) -> str: ...
    def text(self) -> str: ...

class StepFigure:
    mean: float
    std: Optional[float]
    min: float
    max: float

class LoggedStep:
    step: int
    step_time_s: float

class LogMetrics:
    name: str
    path: str
    format: str
    status: str
    why: str
    window: str
    step_time_s: Optional[StepFigure]
    logged_tflops_per_gpu: Optional[StepFigure]
    tokens_per_s: Optional[float]
    tokens_per_s_per_gpu: Optional[float]
    tflops_per_gpu: Optional[float]
    mfu: Optional[float]
    days_per_1t_tokens: Optional[float]
    peak_memory_bytes: Optional[float]
    steps: List[LoggedStep]

class Metrics:
    runs: List[LogMetrics]
    def json(self) -> str: ...
    def text(self) -> str: ...

class GapExplanation:
    share: str
    predicted_s: float
    needed_s: float
    standard_errors: float
    verdict: str

class StackExplanation:
    software: str
    refusal: str
    predicted_s: Optional[float]
    error: Optional[float]
    explains: bool

class Comparison:
    scenario: str
    log: str
    status: str
    window: str
    predicted_s: float
    interval_90_s: Interval
    measured_s: StepFigure
    median_s: float
    error: float
    inside: bool
    predicted_peak_memory_bytes: float
    peak_memory_bytes: Optional[float]
    caveats: List[str]
    explanations: List[GapExplanation]
    stacks: List[StackExplanation]
    def json(self) -> str: ...
    def text(self) -> str: ...

class KernelTimes:
    kind: str
    predicted_s: float
    predicted_waiting_s: float
    predicted_calls: int
    measured_s: float
    error: Optional[float]
    measured_calls: float

class NcclCalls:
    function: str
    ranks: Optional[int]
    type: str
    count: int
    bytes: int
    predicted: Optional[int]
    logged: int

class NamedKernel:
    name: str
    kind: str
    calls: int
    time_s: float

class ProfiledRank:
    process: str
    rank: int
    stage: int
    rank_from: str
    steps: int
    steps_from: str
    predicted_s: Optional[float]
    predicted_busy_s: Optional[float]
    measured_s: Optional[float]
    measured_busy_s: Optional[float]
    predicted_straggler_wait_s: Optional[float]
    kernels: List[KernelTimes]
    unclassified: List[NamedKernel]
    calls: List[NcclCalls]

class NcclProcess:
    process: str
    rank: Optional[int]
    calls: List[NcclCalls]

class ProfiledFile:
    path: str
    format: str
    lines: int
    gpus: int
    incomplete: bool
    skipped_lines: int
    steps: Optional[int]
    kernels: List[NamedKernel]
    calls: List[NcclCalls]
    untold_calls: int
    processes: List[NcclProcess]
    comparisons: List[ProfiledRank]

class Profile:
    scenario: str
    profiles: List[ProfiledFile]
    def json(self) -> str: ...
    def text(self) -> str: ...

def simulate(scenario: Scenario, unfold: bool, steps: int, seed: int, kernels: bool) -> Result: ...
def sweep(scenario: Scenario, axes: List[Axis], callback: Callable[[SweepRow], None], threads: int) -> int: ...
def sweep_size(scenario: Scenario, axes: List[Axis]) -> int: ...
def explain(scenario: Scenario, progress: _Watch) -> Explanation: ...
def tune(scenario: Scenario, gpus: List[int], limits: List[str], by: str, top: int, memory_margin: float,
         allow_tight: bool, exhaustive: bool, progress: _Watch) -> TuneResult: ...
def tune_front(scenario: Scenario, objectives: List[str], usd_per_gpu_hour: float, gpus: List[int],
               limits: List[str], memory_margin: float, allow_tight: bool, exhaustive: bool, threads: int,
               progress: _Watch) -> FrontResult: ...
def validate(data: DataFolder, paths: List[str], progress: _Watch) -> Validation: ...
def nccl(data: DataFolder, cluster: str, operation: str, gpus: int, nodes: int, least_bytes: int,
         most_bytes: int, factor: int, software: str, settings: str) -> NcclResult: ...
def calibrate_machine(data: DataFolder, machine: str, cluster: str, kernels: str, runs: str) -> MachineFit: ...
def goodput(scenario: Scenario, changes: bool, progress: Optional[Callable[[int, int], None]]) -> Goodput: ...
def share(data: DataFolder, path: str, place_last: bool,
          progress: Optional[Callable[[int, int], None]]) -> SharedCluster: ...
def scale(scenario: Scenario, gpus: List[int], mode: str, tokens: float, usd_per_gpu_hour: float,
          progress: Optional[Callable[[int, int], None]]) -> ScaleResult: ...
def difference(run: Scenario, against: Scenario) -> Difference: ...
def import_recipe(data: DataFolder, path: str, name: str, cluster: str, nodes: int, software: str, model: str,
                  arguments: str, overrides: List[str], settings: List[str], defaults: bool) -> Imported: ...
def export_targets() -> List[str]: ...
def export_recipe(scenario: Scenario, target: str) -> Exported: ...
def topology(data: DataFolder, cluster: str, nodes: int) -> Topology: ...
def advise(scenario: Scenario, progress: _Watch) -> AdvisedJob: ...
def metrics(paths: List[str], scenario: Optional[Scenario], steps: str, format: str,
            progress: _Watch) -> Metrics: ...
def compare(scenario: Scenario, log: str, steps: str, format: str, progress: _Watch) -> Comparison: ...
def profile(paths: List[str], scenario: Optional[Scenario], rank: Optional[int], steps: Optional[int], format: str,
            progress: _Watch) -> Profile: ...
