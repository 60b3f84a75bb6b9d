"""The C++ library behind simtrain: values of simtrain/simulate.h and simtrain/study.h."""

from typing import Callable, List, Optional, Tuple

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

class TimeShare:
    name: str
    seconds: float

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
    breakdown: List[TimeShare]
    memory: List[StageMemory]
    memory_capacity_bytes: float
    peak_bytes: float
    fits: bool
    tight: bool
    communication: List[Communication]
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
    breakdown: List[TimeShare]
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

def simulate(scenario: Scenario, unfold: bool, steps: int, seed: int) -> Result: ...
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
