"""simtrain predicts how long one training step of a large language model takes on a GPU cluster, where the
time goes and what it needs of the GPUs' memory. It needs no GPU.

    import simtrain

    scenario = simtrain.Scenario.load("llama31_8b_h100", row="bf16-8")
    result = simtrain.simulate(scenario.with_(tp=2))
    print(f"{result.step_time_s:.3f} s, MFU {result.mfu:.1%}")
    print(result.text())

What there is:

    DataFolder          GPUs, nodes, fabrics, clusters, software, models, scenarios, by name
    Scenario            a job: load(), from_file(), from_yaml(), from_dict(); row(), with_(), to_dict()
    spec                the keys of a scenario as typed objects, with their meaning
    simulate()          one step -> Result
    sweep()             every combination of some keys, on all cores -> Sweep
    tune()              the best plan that fits -> Tuned
    tune_front()        the front of plans by step time, price, memory, energy -> Front
    scale()             a plan on several numbers of GPUs -> Scale
    explain()           why a step takes as long as it does -> Explanation
    difference()        two runs side by side -> Difference
    goodput()           a training job: days, failures, checkpoints, cost -> Goodput
    advise()            the job with its step, and what to change of both -> AdvisedJob
    share()             several jobs on one cluster -> SharedCluster
    import_recipe()     a recipe of another framework as a scenario -> Imported
    export_recipe()     a scenario as another framework's recipe -> Exported
    topology()          a cluster in counts and bandwidths -> Topology
    nccl()              what nccl-tests would measure -> Nccl
    metrics()           what training logs say: step time, MFU -> Metrics
    compare()           a log beside the prediction of its scenario -> Comparison
    profile()           what a profiler saw, alone or beside the prediction -> Profile
    validate()          predictions beside documented or measured runs -> Validation
    calibrate_machine() one machine as it was measured -> MachineFit

Units: times are in seconds, sizes in bytes, rates per second, shares from 0 to 1, unless a name ends in another
unit (tflops_per_gpu). What goes in has its unit beside it: "400 Gb/s", "5 us", "80 GiB".

Results are dataclasses that do not change and can be pickled. Each has to_dict() and to_pandas(). All but sweeps,
explanations, machine fits and recipes have json(), the document that `simtrain ... --format json` prints; steps,
jobs, differences, topologies and what is measured have text() too, the report.

Errors: InputError where a file, a key or a value is wrong, with file, line, column, key and reason;
InternalError where simtrain is. Both are simtrain.Error.

Threads: simulations run beside other Python threads; equal scenarios give equal results, digit by digit.
"""

from simtrain import spec
from simtrain._simtrain import version as _version
from simtrain.errors import Error, InputError, InternalError
from simtrain.records import Record, frame
from simtrain.job_results import (AdvisedJob, Checkpoint, Goodput, JobAdvice, JobChange, JobFailure, JobPlacement,
                                  SharedCluster, SharedJob, Spread)
from simtrain.jobs import advise, difference, export_recipe, export_targets, goodput, import_recipe, scale, share, topology
from simtrain.measured import compare, metrics, profile
from simtrain.measured_results import Comparison, GapExplanation, LoggedStep, LogMetrics, Metrics, StackExplanation, StepFigure
from simtrain.profile_results import (KernelTimes, NamedKernel, NcclCalls, NcclProcess, Profile, ProfiledFile,
                                      ProfiledRank)
from simtrain.results import (Communication, Difference, Energy, Explanation, Exported, Front, FrontPlan, Imported, Interval,
                              KernelWork, KeyDifference, MachineFit, MachineValue, Nccl, NcclSize, Parameters,
                              PartDifference, PathStage, Result, Scale, ScaleRow, StageMemory, Sweep, SweepRow, Topology,
                              TopologyLevel, TransferWork, Tuned, TunedPlan, Validation, ValidationRow, WhatIf)
from simtrain.scenario import DataFolder, Scenario
from simtrain.study import calibrate_machine, explain, nccl, simulate, sweep, tune, tune_front, validate

__version__ = _version()
__all__ = [
    "AdvisedJob", "Checkpoint", "Communication", "Comparison", "DataFolder", "Difference", "Energy", "Error",
    "Explanation", "Exported", "Front", "FrontPlan", "GapExplanation", "Goodput", "Imported", "InputError",
    "InternalError", "Interval", "JobAdvice", "JobChange", "JobFailure", "JobPlacement", "KernelTimes", "KernelWork",
    "KeyDifference", "LogMetrics", "LoggedStep", "MachineFit", "MachineValue", "Metrics", "NamedKernel", "Nccl",
    "NcclCalls", "NcclProcess", "NcclSize", "Parameters", "PartDifference", "PathStage", "Profile", "ProfiledFile",
    "ProfiledRank", "Record", "Result", "Scale", "ScaleRow", "Scenario", "SharedCluster", "SharedJob", "Spread",
    "StackExplanation", "StageMemory", "StepFigure", "Sweep", "SweepRow", "Topology", "TopologyLevel", "TransferWork",
    "Tuned", "TunedPlan", "Validation", "ValidationRow", "WhatIf",
    "advise", "calibrate_machine", "compare", "difference", "explain", "export_recipe", "export_targets", "frame",
    "goodput", "import_recipe", "metrics", "nccl", "profile", "scale", "share", "simulate", "spec", "sweep",
    "topology", "tune", "tune_front", "validate",
]
