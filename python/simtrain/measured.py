"""What can be asked of training logs: their figures, and how far a prediction is from them."""

from __future__ import annotations

import os
from typing import Iterable, Optional, Union

from simtrain import _simtrain, measured_results, results
from simtrain.progress import Progress, watcher
from simtrain.records import made
from simtrain.scenario import ScenarioLike, native_of

Path = Union[str, "os.PathLike[str]"]


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
    paths = [logs] if isinstance(logs, (str, os.PathLike)) else list(logs)
    native = _simtrain.metrics([os.fspath(path) for path in paths], None if scenario is None else native_of(scenario),
                               steps, log_format, watcher(progress, "logs"))
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
