"""What profilers saw, as dataclasses; conventions are those of simtrain.results."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, List, Optional, Tuple

from simtrain.records import Record, frame
from simtrain.results import Told

if TYPE_CHECKING:
    import pandas


@dataclasses.dataclass(frozen=True)
class KernelTimes(Record):
    """Kernels of one kind in a step of a rank, predicted and measured.

    Attributes:
        kind: gemm, attention, a kind of collective and the like
        predicted_s: seconds; a collective's from when its last member has come
        predicted_waiting_s: seconds that a collective waits on the GPU before that
        predicted_calls, measured_calls: kernels
        measured_s: seconds
        error: predicted over measured time, less one; None where one of them is missing
    """

    kind: str
    predicted_s: float
    predicted_waiting_s: float
    predicted_calls: int
    measured_s: float
    error: Optional[float]
    measured_calls: float


@dataclasses.dataclass(frozen=True)
class NcclCalls(Record):
    """Calls of NCCL that are alike, in all profiled steps.

    Attributes:
        function: "AllReduce", "Send" and the like
        ranks: of the communicator; None of Send and Recv
        type: of an element
        count: elements, as NCCL counts them
        bytes: of one call
        predicted, logged: how many calls; None are predicted without a scenario
    """

    function: str
    ranks: Optional[int]
    type: str
    count: int
    bytes: int
    predicted: Optional[int]
    logged: int


@dataclasses.dataclass(frozen=True)
class NamedKernel(Record):
    """All runs of the kernels of one name in a profile.

    Attributes:
        name: as the profiler has it
        kind: as in KernelTimes
        calls: runs
        time_s: seconds of all of them
    """

    name: str
    kind: str
    calls: int
    time_s: float


@dataclasses.dataclass(frozen=True)
class ProfiledRank(Record):
    """A profile, or one process of a log of NCCL, beside the prediction for its rank.

    Attributes:
        process: host:pid of a log of NCCL; empty for a profile
        rank, stage: whose it is
        rank_from: why this rank
        steps: training steps in it
        steps_from: how they are known
        predicted_s, measured_s: seconds of a whole step; None of a log of NCCL, and measured where the profile does
            not give the times of each kernel
        predicted_busy_s, measured_busy_s: seconds of a step in which any kernel is on the GPU; likewise
        predicted_straggler_wait_s: seconds of a step that are in no kind of kernel; likewise
        kernels: of a step, by kind
        unclassified: kernels of no known kind, in all steps
        calls: of NCCL in all steps, most bytes first
    """

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
    unclassified: List[NamedKernel] = dataclasses.field(repr=False)
    calls: List[NcclCalls] = dataclasses.field(repr=False)


@dataclasses.dataclass(frozen=True)
class NcclProcess(Record):
    """What one process calls of NCCL by a log.

    Attributes:
        process: host:pid
        rank: in the largest of its communicators
        calls: by kind and size
    """

    process: str
    rank: Optional[int]
    calls: List[NcclCalls] = dataclasses.field(repr=False)


@dataclasses.dataclass(frozen=True)
class ProfiledFile(Record):
    """One file of a profiler.

    Attributes:
        path: as it was given
        format: of `simtrain list profile-formats`
        lines: that were read
        gpus: whose kernels these are
        incomplete: calls were left out, for want of place
        skipped_lines: that say nothing the format knows
        steps: where the profile itself marks them
        kernels: by name, most time first; in all steps
        calls: of NCCL, where a trace gives them
        untold_calls: kernels of NCCL whose call it does not give
        processes: of a log of NCCL
        comparisons: with the prediction; none without a scenario
    """

    path: str
    format: str
    lines: int
    gpus: int
    incomplete: bool
    skipped_lines: int
    steps: Optional[int]
    kernels: List[NamedKernel] = dataclasses.field(repr=False)
    calls: List[NcclCalls] = dataclasses.field(repr=False)
    untold_calls: int
    processes: List[NcclProcess] = dataclasses.field(repr=False)
    comparisons: List[ProfiledRank]


@dataclasses.dataclass(frozen=True)
class Profile(Told):
    """What profilers saw, alone or beside the prediction of its scenario.

    Attributes:
        scenario: title; empty without one
        profiles: of each file
    """

    scenario: str
    profiles: List[ProfiledFile]

    def to_pandas(self) -> "pandas.DataFrame":
        """A table with a row for each kind of kernel of each rank, predicted and measured, and for a log of NCCL for
        each kind of its calls; without a scenario for each kernel by name. `path`, `process` and `rank` say whose."""
        rows: List[Tuple[str, str, Optional[int], Record]] = [
            (file.path, rank.process, rank.rank, row) for file in self.profiles for rank in file.comparisons
            for row in (*rank.kernels, *(rank.calls if rank.process else ()))]
        rows += [(file.path, "", None, kernel) for file in self.profiles if not file.comparisons
                 for kernel in file.kernels]
        rows += [(file.path, one.process, one.rank, call) for file in self.profiles if not file.comparisons
                 for one in file.processes for call in one.calls]
        table = frame([row[-1] for row in rows])
        for place, name in enumerate(["path", "process", "rank"]):
            table.insert(place, name, [row[place] for row in rows])
        return table
