"""What can be asked of training logs and profiles: their figures, and how far a prediction is from them."""

from __future__ import annotations

import os
from typing import Iterable, List, Optional, Union

from simtrain import _simtrain, measured_results, profile_results, results
from simtrain.progress import Progress, watcher
from simtrain.records import made
from simtrain.scenario import ScenarioLike, native_of

Path = Union[str, "os.PathLike[str]"]


def _paths(files: Union[Path, Iterable[Path]]) -> List[str]:
    return [os.fspath(path) for path in ([files] if isinstance(files, (str, os.PathLike)) else files)]


def metrics(logs: Union[Path, Iterable[Path]], *, scenario: Optional[ScenarioLike] = None, steps: str = "",
            log_format: str = "", progress: Progress = None) -> measured_results.Metrics:
    """Reads training logs: step time, tokens per second, TFLOP/s, MFU.

    Args:
        logs: one or several logs, plain or gzip, or folders of logs
        scenario: for what the logs do not say: GPUs, batch, model, precision
        steps: which count: "11:44", "11:", "last", "last:20", "all", or a tool's window by name
            (`simtrain list step-windows`); without it that of the tool for logs of the format
        log_format: of `simtrain list log-formats`; without it that of the log's first step
        progress: as for sweep()

        simtrain.metrics("dllogger.json", scenario=scenario).runs[0].mfu

    A log without figures is no error: its status says why. Raises InputError where one cannot be read.
    """
    native = _simtrain.metrics(_paths(logs), None if scenario is None else native_of(scenario), steps, log_format,
                               watcher(progress, "logs"))
    return made(measured_results.Metrics, native, _documents=results.Documents(native))


def compare(scenario: ScenarioLike, log: Path, *, steps: str = "", log_format: str = "",
            progress: Progress = None) -> measured_results.Comparison:
    """Simulates a scenario and compares with the log of a run of it: the error, whether the 90 % interval holds the
    run, which share of the step or which other software could explain it.

    Args:
        scenario: as for simulate()
        log, steps, log_format: as for metrics()
        progress: as for sweep(); of the software stacks that are tried

        simtrain.compare(scenario, "dllogger.json").error   # predicted over measured, less one
    """
    native = _simtrain.compare(native_of(scenario), os.fspath(log), steps, log_format,
                               watcher(progress, "software stacks"))
    return made(measured_results.Comparison, native, _documents=results.Documents(native))


def profile(files: Union[Path, Iterable[Path]], *, scenario: Optional[ScenarioLike] = None,
            rank: Optional[int] = None, steps: Optional[int] = None, profile_format: str = "",
            progress: Progress = None) -> profile_results.Profile:
    """Reads what a profiler saw of a rank; with a scenario it simulates that and compares, kernels by kind and calls
    of NCCL by kind and size.

    Args:
        files: one or several, plain or gzip: nsys (.sqlite, cuda_gpu_kern_sum as CSV), traces of torch.profiler, logs
            with NCCL_DEBUG=INFO
        scenario: of the run
        rank: whose profile it is; without it as the profile gives it, or the busiest rank's
        steps: training steps in it; without it as it marks them, or as the numbers of collectives show
        profile_format: of `simtrain list profile-formats`; without it by content
        progress: as for sweep(); of the files

        simtrain.profile("rank0.sqlite", scenario=scenario).to_pandas()   # kind, predicted_s, measured_s, error

    Raises InputError where one cannot be read, and where neither it nor these arguments say how many steps it is or
    which processes of a log are of which rank.
    """
    native = _simtrain.profile(_paths(files), None if scenario is None else native_of(scenario), rank, steps,
                               profile_format, watcher(progress, "profiles"))
    return made(profile_results.Profile, native, _documents=results.Documents(native))
