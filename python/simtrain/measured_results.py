"""What was measured, as dataclasses; conventions are those of simtrain.results."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, List, Optional

from simtrain.records import Record, frame
from simtrain.results import Interval, Told

if TYPE_CHECKING:
    import pandas


@dataclasses.dataclass(frozen=True)
class StepFigure(Record):
    """A figure of the steps of a log's window.

    Attributes:
        mean, min, max: of the steps
        std: standard deviation, as the window's tool divides; None of a single step
    """

    mean: float
    std: Optional[float]
    min: float
    max: float


@dataclasses.dataclass(frozen=True)
class LoggedStep(Record):
    """One step of a log.

    Attributes:
        step: the log's own number
        step_time_s: seconds
    """

    step: int
    step_time_s: float


@dataclasses.dataclass(frozen=True)
class LogMetrics(Record):
    """What one training log says. Figures whose inputs neither the log nor a scenario gives are None.

    Attributes:
        name: of the run, from its path
        path: of the log
        format: of `simtrain list log-formats`; empty without a step
        status: "Success", "Partial", "NaN" or "No steps"
        why: of another status than Success
        window: which steps count
        step_time_s: seconds
        logged_tflops_per_gpu: TFLOP/s, as the framework counted
        tokens_per_s, tokens_per_s_per_gpu: tokens per second
        tflops_per_gpu: TFLOP/s of model FLOPs
        mfu: share of the GPU's peak
        days_per_1t_tokens: days of training for 1e12 tokens
        peak_memory_bytes: the highest that is logged
        steps: of the window
    """

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
    steps: List[LoggedStep] = dataclasses.field(repr=False)


@dataclasses.dataclass(frozen=True)
class Metrics(Told):
    """Training logs as `simtrain metrics` reads them.

    Attributes:
        runs: of each log
    """

    runs: List[LogMetrics]

    def to_pandas(self) -> "pandas.DataFrame":
        """A table with a row for each log."""
        return frame(self.runs)


@dataclasses.dataclass(frozen=True)
class GapExplanation(Record):
    """One share of a step, taken as the only one that is predicted wrong.

    Attributes:
        share: as in Result.breakdown
        predicted_s, needed_s: seconds, and what they would have to be
        standard_errors: that it would be off by
        verdict: "plausible", "stretched", "unlikely" or "impossible"
    """

    share: str
    predicted_s: float
    needed_s: float
    standard_errors: float
    verdict: str


@dataclasses.dataclass(frozen=True)
class StackExplanation(Record):
    """A software stack, taken for the one that a run had.

    Attributes:
        software: name of hardware/software
        refusal: why the scenario cannot be simulated with it; no figures then
        predicted_s: seconds of the step with it; None where it is refused
        error: predicted over measured, less one; likewise
        explains: what is left is what equal runs differ by
    """

    software: str
    refusal: str
    predicted_s: Optional[float]
    error: Optional[float]
    explains: bool


@dataclasses.dataclass(frozen=True)
class Comparison(Told):
    """A training log beside the prediction of its scenario.

    Attributes:
        scenario, log: title and path
        status, window: of the log, as LogMetrics
        predicted_s: seconds of the mean step
        interval_90_s: seconds that hold 9 of 10 measured means
        measured_s: seconds
        median_s: seconds, of the measured steps
        error: predicted over measured, less one
        inside: the interval holds the measured mean
        predicted_peak_memory_bytes: in the allocator
        peak_memory_bytes: the same as logged; None where it is not
        caveats: what speaks against the log
        explanations: shares that could make the error, most plausible first
        stacks: other software that could, best first, refused ones last; none where the error needs none, or the log is
            of another job or holds a NaN (caveats)
    """

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
