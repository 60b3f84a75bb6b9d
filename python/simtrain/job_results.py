"""Results of whole jobs as dataclasses; conventions are those of simtrain.results."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Dict, List, Optional

from simtrain.records import Record, frame
from simtrain.results import Result, Told

if TYPE_CHECKING:
    import pandas


@dataclasses.dataclass(frozen=True)
class Spread(Record):
    """How a figure spreads over the runs of a job.

    Attributes:
        mean: of all runs
        p5, p10, p50, p90, p95: so many of a hundred runs are lower
    """

    mean: float
    p5: float
    p10: float
    p50: float
    p90: float
    p95: float


@dataclasses.dataclass(frozen=True)
class Checkpoint(Record):
    """A checkpoint of a job to its storage.

    Attributes:
        storage: name of hardware/storage
        bytes: of a checkpoint
        writers: GPUs that write
        copy_s: seconds from GPUs to host memory
        write_s: seconds from there to the storage
        stall_s: seconds that training waits for a save
        load_s: seconds of a restart
        interval: steps from one to the next
        host_bytes: of a node while saving
    """

    storage: str
    bytes: float
    writers: int
    copy_s: float
    write_s: float
    stall_s: float
    load_s: float
    interval: float
    host_bytes: float


@dataclasses.dataclass(frozen=True)
class JobFailure(Record):
    """One kind of failure as a job meets it.

    Attributes:
        component: what fails
        effect: "stops", "slows", "corrupts" or "planned"
        per_day: of the whole job
        mean_of_a_run: that a run meets
        nodes: that each takes out
        slowdown: steps take so many times as long
    """

    component: str
    effect: str
    per_day: float
    mean_of_a_run: float
    nodes: float
    slowdown: float


@dataclasses.dataclass(frozen=True)
class JobChange(Record):
    """A job with one thing changed, simulated anew; figures are means of its runs.

    Attributes:
        change: what is changed
        value: steps of an interval, nodes of spares; 0 of others
        goodput: share of time in steps that stay
        elapsed_s: seconds
        gpu_hours: spares with them
    """

    change: str
    value: float
    goodput: float
    elapsed_s: float
    gpu_hours: float


@dataclasses.dataclass(frozen=True)
class Goodput(Told):
    """A training job, simulated many times with failures of its own. print(job.text()) shows it as the program does.

    Attributes:
        scenario: title
        gpus, nodes, spare_nodes: of the job, without spares, and these
        step_time_s: seconds of the step of the whole job
        tokens_per_step: tokens
        runs, finished: simulated runs, and those of them that were not given up
        elapsed_s: seconds of the whole job
        steps: that stay
        goodput: share of time in steps that stay, at full speed
        effective_time: share of time that was not interrupted
        interruptions: failures that ended the job unannounced
        restarts, saves: of a run, mean
        gpu_hours, spare_gpu_hours: mean
        used: seconds of a run by what they go into, mean; they sum to elapsed_s.mean
        joules, waiting_joules: site with it, and those of them while no step runs
        gpu_usd, electricity_usd: dollars, where the scenario has a price; else None
        carbon_kg: kg of CO2 equivalents, where the scenario has a grid; else None
        checkpoint: to the job's storage
        failures: that the job meets
        young_steps, daly_steps: interval between checkpoints by these formulas; 0 where nothing fails
        intervals, spares, changes: the job with one thing changed; best first of changes
    """

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


@dataclasses.dataclass(frozen=True)
class SharedJob(Record):
    """A job alone on its hosts and beside others on one cluster.

    Attributes:
        name, scenario: as the file calls it, and its scenario's title
        placement: kind, with its seed
        gpus: of the job
        hosts: numbers, in the order of its ranks
        alone_s: seconds of its step with the cluster to itself
        together_s, least_s, most_s: seconds of its steps beside the others: mean, shortest, longest
        steps: that these are of; 0: it meets no other job
        lost_gpus: GPUs times the share of its time that it loses to the others
    """

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


@dataclasses.dataclass(frozen=True)
class JobPlacement(Record):
    """A way to place the last job of a file beside the others.

    Attributes:
        placement: how
        hosts: numbers, in the order of its ranks
        step_time_s, alone_s: seconds of its step beside the others and without them
        lost_gpus, others_lost_gpus: that it loses to the others, and they to it
    """

    placement: str
    hosts: List[int]
    step_time_s: float
    alone_s: float
    lost_gpus: float
    others_lost_gpus: float


@dataclasses.dataclass(frozen=True)
class SharedCluster(Told):
    """Jobs on one cluster, each alone and all together.

    Attributes:
        name, cluster: title of the file, and name of hardware/clusters
        nodes, gpus: of the cluster
        links_never_bind: between switches, whoever uses them
        jobs: in the order of the file
        placements: of the last job, that which costs the others least first
    """

    name: str
    cluster: str
    nodes: int
    gpus: int
    links_never_bind: bool
    jobs: List[SharedJob]
    placements: List[JobPlacement]

    def to_pandas(self) -> "pandas.DataFrame":
        """A table with a row for each job."""
        return frame(self.jobs)


@dataclasses.dataclass(frozen=True)
class JobAdvice(Record):
    """A change that saves days or money of a job. Savings are what the job as it is takes less what the changed one
    takes for as many steps; negative where one is saved at the price of the other.

    Attributes:
        kind: "setting" of the scenario, or "condition", which is in nobody's scenario
        change: "precision: bf16 -> fp8", "spare_nodes 8"
        settings: KEY=VALUE that make it, of a setting
        step_time_s: seconds of the changed job's step
        goodput: share of time in steps that stay
        elapsed_s, saved_s: seconds
        saved_gpu_hours: spares with them
        saved_usd: dollars, where the scenario has a price; else None
    """

    kind: str
    change: str
    settings: List[str]
    step_time_s: float
    goodput: float
    elapsed_s: float
    saved_s: float
    saved_gpu_hours: float
    saved_usd: Optional[float]


@dataclasses.dataclass(frozen=True)
class AdvisedJob(Told):
    """A training job with its step and what to change of both, as `simtrain run --job` says it.

    Attributes:
        step: one step of the job
        goodput: the job
        runs: simulated for each change
        advice: by the days that it saves, then by price
        refused: changes of the step that make no legal job
    """

    step: Result = dataclasses.field(metadata={"own": True})
    goodput: Goodput = dataclasses.field(metadata={"own": True})
    runs: int
    advice: List[JobAdvice]
    refused: int

    def to_pandas(self) -> "pandas.DataFrame":
        """A table with a row for each piece of advice."""
        return frame(self.advice)
