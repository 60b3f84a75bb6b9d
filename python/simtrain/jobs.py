"""What can be asked of jobs: a whole training job, jobs that share a cluster, sizes, two runs, a cluster; and recipes of others."""

from __future__ import annotations

import os
from typing import Any, List, Literal, Mapping, Optional, Sequence, Union

from simtrain import _simtrain, job_results, results
from simtrain.progress import Progress, watcher
from simtrain.records import made
from simtrain.scenario import DataFolder, ScenarioLike, folder_of, native_of
from simtrain.texts import yaml_text


def _goodput(native: "_simtrain.Goodput") -> job_results.Goodput:
    return made(job_results.Goodput, native, _documents=results.Documents(native))


def goodput(scenario: ScenarioLike, *, changes: bool = True, progress: Progress = None) -> job_results.Goodput:
    """Simulates the training job of a scenario many times, with failures, checkpoints and restarts: how long it takes
    with what spread, where the time goes, what it costs.

    Args:
        scenario: as for simulate(), with the keys `job` (tokens, failures, checkpoint, ...) and, for prices, `cost`
        changes: simulates other intervals between checkpoints, numbers of spares and what else may help too
        progress: as for sweep()

        job = simtrain.Scenario.load("llama31_405b_job_h100").with_({"job.spare_nodes": 16})
        simtrain.goodput(job).elapsed_s.mean / 86400   # days
    """
    return _goodput(_simtrain.goodput(native_of(scenario), changes, watcher(progress, "runs")))


def advise(scenario: ScenarioLike, *, progress: Progress = None) -> job_results.AdvisedJob:
    """Simulates the training job of a scenario together with its step, and each change of either that may help as a
    job of its own: what saves most days, and what most money. What `simtrain run --job` prints.

    Args:
        scenario: as for goodput()
        progress: as for sweep(); of the changed jobs

        simtrain.advise(job).to_pandas()[["change", "saved_s", "saved_gpu_hours"]]
    """
    native = _simtrain.advise(native_of(scenario), watcher(progress, "jobs"))
    step = made(results.Result, native.step, _documents=results.Documents(native.step))
    return made(job_results.AdvisedJob, native, _documents=results.Documents(native), step=step,
                goodput=_goodput(native.goodput))


def share(path: Union[str, "os.PathLike[str]"], *, place_last: bool = False, data: Optional[DataFolder] = None,
          progress: Progress = None) -> job_results.SharedCluster:
    """Simulates several jobs on one cluster, each alone and all together: who slows whom.

    Args:
        path: a file of jobs, as those of scenarios/jobs of the data folder
        place_last: tries several placements of the file's last job
        data: the folder of hardware and scenarios
        progress: as for sweep()
    """
    native = _simtrain.share(folder_of(data), os.fspath(path), place_last, watcher(progress, "simulations"))
    return made(job_results.SharedCluster, native, _documents=results.Documents(native))


def scale(scenario: ScenarioLike, gpus: Sequence[int], *, mode: Literal["weak", "strong"] = "weak",
          tokens: float = 1e12, usd_per_gpu_hour: float = 0, progress: Progress = None) -> results.Scale:
    """Simulates a scenario's plan on several numbers of GPUs; DP follows.

    Args:
        scenario: as for simulate()
        gpus: sizes
        mode: "weak": the global batch grows with the GPUs; "strong": it stays
        tokens: of the training run whose days, GPU hours and cost are told
        usd_per_gpu_hour: dollars; 0: no price
        progress: as for sweep()

    Sizes on which the plan is illegal are rows with the reason (ScaleRow.illegal).
    """
    native = _simtrain.scale(native_of(scenario), list(gpus), mode, tokens, usd_per_gpu_hour, watcher(progress, "sizes"))
    return made(results.Scale, native, _json=native.json)


def difference(run: ScenarioLike, against: ScenarioLike) -> results.Difference:
    """Simulates two scenarios and says where their steps differ, and in which keys. Differences count from `against`:
    positive where `run` takes longer."""
    native = _simtrain.difference(native_of(run), native_of(against))
    sides = {name: made(results.Result, side, _documents=results.Documents(side))
             for name, side in (("run", native.run), ("against", native.against))}
    return made(results.Difference, native, _documents=results.Documents(native), **sides)


def topology(cluster: str, nodes: int = 0, *, data: Optional[DataFolder] = None) -> results.Topology:
    """Counts devices and links of a cluster, its bandwidths by level and its bisection.

    Args:
        cluster: a name of hardware/clusters
        nodes: 0: 32, or all of fewer
    """
    native = _simtrain.topology(folder_of(data), cluster, nodes)
    return made(results.Topology, native, _documents=results.Documents(native))


def _changes(changes: Union[Sequence[str], Mapping[str, Any]]) -> List[str]:
    if isinstance(changes, str):
        return [changes]
    if not isinstance(changes, Mapping):
        return list(changes)
    return [f"{key}={value if isinstance(value, str) else yaml_text(value)}" for key, value in changes.items()]


def import_recipe(path: Union[str, "os.PathLike[str]"], *, name: str = "", cluster: str = "", nodes: int = 0,
                  software: str = "", model: str = "", arguments: str = "",
                  overrides: Union[Sequence[str], Mapping[str, Any]] = (),
                  settings: Optional[Mapping[str, Any]] = None, defaults: bool = False,
                  data: Optional[DataFolder] = None) -> results.Imported:
    """Makes a scenario of a training recipe of another framework: Megatron-LM, Megatron-Bridge, NeMo, torchtitan, ...

    Args:
        path: a launch script, a configuration, or the config.json of a Hugging Face model
        name: of what is made
        cluster, nodes, software, model: what the recipe does not say, as for `simtrain import`
        arguments: of a script, as on its command line: "MODEL=8B 1 8" is a variable and two arguments
        overrides: KEY=VALUE of the recipe, as Hydra has them, or a dict
        settings: keys of the scenario, whatever the recipe has: {"gbs": 512}
        defaults: what only a run gives is the framework's default, or usual where it has none

        simtrain.import_recipe("recipe.yaml", cluster="gcp-a4", software="nemo-25.02").scenario()

    Raises InputError at a line of the file, or with what is missing.
    """
    native = _simtrain.import_recipe(folder_of(data), os.fspath(path), name, cluster, nodes, software, model,
                                     arguments, _changes(overrides), _changes(settings or {}), defaults)
    return made(results.Imported, native, _data=data)


def export_targets() -> List[str]:
    """Frameworks that export_recipe() knows."""
    return _simtrain.export_targets()


def export_recipe(scenario: ScenarioLike, target: str) -> results.Exported:
    """Writes what a framework needs to run a scenario's plan, as text.

    Args:
        scenario: as for simulate()
        target: "megatron", "nemo", "bridge" or "torchtitan"
    """
    return made(results.Exported, _simtrain.export_recipe(native_of(scenario), target))
