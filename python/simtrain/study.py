"""What can be asked: a step, a sweep, the best plan, the front of plans, the reasons, collectives, documented runs, a machine."""

from __future__ import annotations

import os
from typing import Any, Iterable, List, Literal, Mapping, Optional, Sequence, Union

from simtrain import _simtrain, results
from simtrain.progress import Progress, watcher
from simtrain.records import made
from simtrain.scenario import DataFolder, Scenario, ScenarioLike, folder_of, native_of
from simtrain.texts import axis_text, plain, yaml_text

#: Values of an axis: 4, [1, 2, 4], "1,2,4", "1:8", "0:64:8".
AxisValues = Union[str, int, float, Iterable[Any]]
#: What a plan of a front has the less of the better.
Objective = Literal["step_time", "price", "memory", "energy"]


def _result(native: "_simtrain.Result") -> results.Result:
    return made(results.Result, native, _documents=results.Documents(native))


def simulate(scenario: ScenarioLike, *, steps: int = 0, seed: int = 0, unfold: bool = False,
             kernels: bool = False) -> results.Result:
    """Predicts one training step.

    Args:
        scenario: a Scenario, its keys as a dict, or a simtrain.spec.Scenario
        steps: single steps to draw beside the mean one, up to 1,000,000; their seconds are Result.steps_s
        seed: of these draws
        unfold: simulates every rank instead of one of each class of equal ranks: slower, the same numbers
        kernels: tells the kernels and transfers of the step too: Result.kernels, Result.transfers

    A step that does not fit into memory is simulated all the same: see Result.fits. Other Python threads run
    meanwhile. Raises InputError where the scenario cannot be a job or has a table of which no row was taken.
    """
    return _result(_simtrain.simulate(native_of(scenario), unfold, steps, seed, kernels))


def sweep(scenario: ScenarioLike, axes: Mapping[str, AxisValues], *, threads: int = 0,
          progress: Progress = None) -> results.Sweep:
    """Simulates every combination of the axes' values, on all cores.

    Args:
        scenario: as for simulate()
        axes: keys as for Scenario.with_, each with a list, "1,2,4" or whole numbers "1:8", "0:64:8"
        threads: 0: one for each core
        progress: None: a bar on a terminal or in a notebook; False: none; or a function (done, total)

    Combinations that are no job are rows too (SweepRow.status). Raises InputError, before anything is
    simulated, where an axis or a value is wrong in itself. Ctrl-C, and what `progress` raises, ends the sweep.

        simtrain.sweep(scenario, {"tp": [1, 2, 4, 8], "mbs": [1, 2]}).to_pandas()
    """
    native = native_of(scenario)
    grid = [_simtrain.Axis(key, axis_text(values)) for key, values in axes.items()]
    total = _simtrain.sweep_size(native, grid)
    watch = watcher(progress, "sweep")
    rows: List[results.SweepRow] = []

    def done(row: "_simtrain.SweepRow") -> None:
        rows.append(made(results.SweepRow, row))
        if watch is not None:
            watch(len(rows), total)

    _simtrain.sweep(native, grid, done, threads)
    rows.sort(key=lambda row: row.index)
    return results.Sweep(list(rows[0].values) if rows else [], rows)


def explain(scenario: ScenarioLike, *, progress: Progress = None) -> results.Explanation:
    """Why a step takes as long as it does: its critical path by stage, and the step time with each knob one
    legal step up and down and without each cost that a number of the hardware files sets, simulated anew."""
    return made(results.Explanation, _simtrain.explain(native_of(scenario), watcher(progress, "changes")))


def tune(scenario: ScenarioLike, *, gpus: Union[None, int, Sequence[int]] = None,
         limits: Optional[Mapping[str, AxisValues]] = None, by: str = "step_time", top: int = 5,
         memory_margin: float = 0, allow_tight: bool = False, exhaustive: bool = False,
         progress: Progress = None) -> results.Tuned:
    """Finds the plans that fit and take least time: TP, PP, VP, CP, DP, EP, ETP, micro-batch, recompute and
    pipeline split. All else stays as in the scenario, the global batch too.

    Args:
        scenario: as for simulate()
        gpus: sizes to choose from; None: the scenario's own
        limits: values that a knob may have: {"tp": [1, 2], "recompute": ["none"]}; knobs are tp, pp, vp, cp,
            dp, ep, etp, mbs, recompute, account and schedule
        by: "step_time"; "mfu" or "cost": by GPU seconds of a step
        top: how many of the best to look for, 1 to 1000
        memory_margin: share of a GPU's memory to leave free, below 1
        allow_tight: plans without room for fragmentation rank with the others
        exhaustive: simulates every plan that fits: the same result, later
        progress: as for sweep()
    """
    native = _simtrain.tune(native_of(scenario), _sizes(gpus), _limits(limits), by, top, memory_margin,
                            allow_tight, exhaustive, watcher(progress, "plans"))
    best = [made(results.TunedPlan, _Plan(plan), scenario=Scenario(plan.scenario)) for plan in native.best]
    return made(results.Tuned, native, best=best, _json=native.json)


def _sizes(gpus: Union[None, int, Sequence[int]]) -> List[int]:
    sizes: Any = plain(gpus)
    if sizes is None:
        return []
    listed: List[Any] = [sizes] if isinstance(sizes, (int, float)) else list(sizes)
    return [plain(size) for size in listed]


def _limits(limits: Optional[Mapping[str, AxisValues]]) -> List[str]:
    return [f"{key}={axis_text(values)}" for key, values in (limits or {}).items()]


class _Plan:
    """A plan of the library with its result as a record."""

    def __init__(self, native: "_simtrain.TunedPlan") -> None:
        self.plan = native.plan
        self.memory_bytes = native.memory_bytes
        self.spare_bytes = native.spare_bytes
        self.result = _result(native.result)


def tune_front(scenario: ScenarioLike, objectives: Sequence[Objective] = ("step_time", "memory"), *,
               usd_per_gpu_hour: float = 0, gpus: Union[None, int, Sequence[int]] = None,
               limits: Optional[Mapping[str, AxisValues]] = None, memory_margin: float = 0,
               allow_tight: bool = False, exhaustive: bool = False, threads: int = 0,
               progress: Progress = None) -> results.Front:
    """Finds the front of plans by several objectives: those of which none has less of one objective without
    more of another, the same as by simulating every plan that fits. Plans are those of tune().

    Args:
        scenario: as for simulate()
        objectives: "step_time" (seconds), "price" (dollars of a token, by GPU hours), "memory" (bytes that the
            fullest GPU needs: the rest is room), "energy" (joules of a token, site included); each once
        usd_per_gpu_hour: dollars, more than 0 where the price is an objective
        gpus, limits, memory_margin, exhaustive: as for tune()
        allow_tight: plans without room for fragmentation count as the others
        threads: 0: one for each core
        progress: as for sweep()

        simtrain.tune_front(scenario, ["step_time", "energy"]).to_pandas()
    """
    native = _simtrain.tune_front(native_of(scenario), list(objectives), usd_per_gpu_hour, _sizes(gpus),
                                  _limits(limits), memory_margin, allow_tight, exhaustive, threads,
                                  watcher(progress, "plans"))
    plans = [made(results.FrontPlan, plan, scenario=Scenario(plan.scenario)) for plan in native.plans]
    return made(results.Front, native, plans=plans, _json=native.json)


def nccl(cluster: str, operation: str, *, gpus: int = 8, nodes: int = 0, least_bytes: int = 8,
         most_bytes: int = 1 << 33, factor: int = 2, software: str = "",
         settings: Optional[Mapping[str, Any]] = None, data: Optional[DataFolder] = None) -> results.Nccl:
    """What nccl-tests would measure on the first GPUs of a cluster, otherwise idle.

    Args:
        cluster: a name of hardware/clusters
        operation: all_reduce, all_gather, reduce_scatter, broadcast, alltoall or sendrecv
        gpus: ranks in all, one a GPU
        nodes: over which they are spread evenly; 0: as few as can be
        least_bytes, most_bytes, factor: sizes, as nccl-tests counts them
        software: a name of hardware/software whose NCCL settings to take; without it NCCL as it comes
        settings: keys of `nccl` of a scenario: {"version": "2.27.3", "algo": ["ring"], "nvls": False}
    """
    native = _simtrain.nccl(folder_of(data), cluster, operation, gpus, nodes, least_bytes, most_bytes, factor,
                            software, yaml_text(settings) if settings else "")
    return made(results.Nccl, native, _json=native.json)


def validate(paths: Union[str, "os.PathLike[str]", Sequence[Union[str, "os.PathLike[str]"]]] = (), *,
             data: Optional[DataFolder] = None, progress: Progress = None) -> results.Validation:
    """Simulates documented runs and compares.

    Args:
        paths: files as in `validation/` of the data folder, or folders of one's own runs (NAME.yaml, a
            scenario, beside NAME.log, a training log of it); none: the files of `simtrain validate`
        data: the folder of the hardware and of the scenarios that files name
        progress: as for sweep()
    """
    listed = [paths] if isinstance(paths, (str, os.PathLike)) else list(paths)
    native = _simtrain.validate(folder_of(data), [os.fspath(path) for path in listed],
                                watcher(progress, "runs"))
    return made(results.Validation, native, _json=native.json)


def calibrate_machine(machine: str, cluster: str, *, kernels: Union[None, str, "os.PathLike[str]"] = None,
                      runs: Union[None, str, "os.PathLike[str]"] = None,
                      data: Optional[DataFolder] = None) -> results.MachineFit:
    """The values of one machine of a cluster as they were measured on it.

    Args:
        machine: what to call it
        cluster: a name of hardware/clusters
        kernels: a folder of gemm.csv, attention.csv and streaming.csv (docs/kernel-validation.md)
        runs: a folder of training runs, as for validate()
    """
    native = _simtrain.calibrate_machine(folder_of(data), machine, cluster, os.fspath(kernels or ""),
                                         os.fspath(runs or ""))
    return made(results.MachineFit, native)
