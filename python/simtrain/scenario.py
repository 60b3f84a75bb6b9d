"""Data folders and scenarios."""

from __future__ import annotations

import functools
import json
import os
from typing import Any, Dict, List, Mapping, Optional, Protocol, Tuple, Union

from simtrain import _simtrain
from simtrain.texts import yaml_text


class DataFolder:
    """A folder with `hardware/` (GPUs, nodes, fabrics, clusters, software) and `scenarios/` (recipes,
    models), one YAML file each. DataFolder() opens the one that came with the package, or that the
    environment variable SIMTRAIN_DATA names.

    Each file is read once, when it is first needed. To see a change on disk, open the folder again.
    """

    def __init__(self, path: Union[None, str, "os.PathLike[str]"] = None) -> None:
        self._native = (_simtrain.DataFolder.installed() if path is None
                        else _simtrain.DataFolder(os.fspath(path)))

    def __repr__(self) -> str:
        return f"DataFolder({self.path!r})"

    def __reduce__(self) -> Tuple[Any, ...]:
        return DataFolder, (self.path,)

    @property
    def path(self) -> str:
        """Where the folder is."""
        return self._native.path()

    @staticmethod
    def families() -> List[str]:
        """What names() and load() know: "gpus", "nodes", "clusters", "models", "scenarios", ..."""
        return _simtrain.DataFolder.families()

    def names(self, family: str) -> List[str]:
        """The names in a family, sorted, as scenarios write them."""
        return self._native.names(family)

    def load(self, family: str, name: str) -> Dict[str, Any]:
        """A file of a family as a dict, with the keys of the file that it is based on. Quantities are
        texts with their units: load("gpus", "h100-sxm")["memory_bandwidth"]["value"] is "3.35 TB/s"."""
        content: Dict[str, Any] = json.loads(self._native.json(family, name))
        return content

    @staticmethod
    def schemas() -> List[str]:
        """Kinds that schema() knows: "scenario", "gpu", "model", "result", ..."""
        return _simtrain.DataFolder.schemas()

    def schema(self, kind: str) -> Dict[str, Any]:
        """The JSON Schema (draft 2020-12) of a kind of file or of results."""
        content: Dict[str, Any] = json.loads(self._native.schema(kind))
        return content


class Spec(Protocol):
    """What can say its keys: simtrain.spec.Scenario."""

    def to_dict(self) -> Dict[str, Any]: ...


#: What a study takes: a scenario, its keys as a dict, or as the typed objects of simtrain.spec.
ScenarioLike = Union["Scenario", Mapping[str, Any], Spec]


class Scenario:
    """A training job to simulate: a model, a recipe (parallelism, batch, precision, overlap) and a cluster.

    A scenario is a value: row() and with_() give another one and leave this as it is. Its keys are read
    when it is checked or simulated, so that several may be changed one by one. Those that pass check() are
    equal where their yaml() is, of the same data folder, and can be pickled.

        scenario = simtrain.Scenario.load("llama31_8b_h100", row="bf16-8")
        faster = scenario.with_(tp=2, micro_batch_size=2)

    `simtrain help scenario`, or simtrain.spec, lists all keys.
    """

    def __init__(self, native: "_simtrain.Scenario") -> None:
        """Scenarios are made by load(), from_file(), from_yaml() and from_dict()."""
        self._native = native

    @classmethod
    def load(cls, name: str, row: Optional[str] = None, data: Optional[DataFolder] = None) -> "Scenario":
        """Reads a scenario of the data folder by its name, and takes one row of its table."""
        scenario = cls(_simtrain.Scenario.from_data((data or _installed())._native, name))
        return scenario if row is None else scenario.row(row)

    @classmethod
    def from_file(cls, path: Union[str, "os.PathLike[str]"], row: Optional[str] = None,
                  data: Optional[DataFolder] = None) -> "Scenario":
        """Reads a scenario file, and takes one row of its table."""
        scenario = cls(_simtrain.Scenario.from_file((data or _installed())._native, os.fspath(path)))
        return scenario if row is None else scenario.row(row)

    @classmethod
    def from_yaml(cls, text: str, name: str = "scenario.yaml", data: Optional[DataFolder] = None) -> "Scenario":
        """Reads YAML text; errors call its file `name`."""
        return cls(_simtrain.Scenario.from_text((data or _installed())._native, text, name))

    @classmethod
    def from_dict(cls, keys: Union[Mapping[str, Any], Spec], name: str = "scenario",
                  data: Optional[DataFolder] = None) -> "Scenario":
        """Makes a scenario of nested keys, or of the typed objects of simtrain.spec."""
        plain = keys if isinstance(keys, Mapping) else keys.to_dict()
        return cls.from_yaml(yaml_text(plain, indent=1), name, data)

    def __repr__(self) -> str:
        return f"<simtrain.Scenario {self.name!r}>" if self._is_whole() else "<simtrain.Scenario>"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Scenario):
            return NotImplemented
        return self is other or (self._is_whole() and other._is_whole() and self.__reduce__() == other.__reduce__())

    def __hash__(self) -> int:
        return hash(self.__reduce__() if self._is_whole() else id(self))

    def __reduce__(self) -> Tuple[Any, ...]:
        return _reread, (self._native.data().path(), self.yaml())

    def _is_whole(self) -> bool:
        try:
            self.check()
        except ValueError:
            return False
        return True

    def rows(self) -> List[str]:
        """Names of the rows where the file has a table of variants, one of which is to be chosen."""
        return self._native.rows()

    def row(self, name: str) -> "Scenario":
        """The variant of one row."""
        return Scenario(self._native.row(name))

    def with_(self, keys: Optional[Mapping[str, Any]] = None, **short: Any) -> "Scenario":
        """The scenario with keys changed. Dotted keys go into a dict, plain ones may be named: tp, pp, vp,
        cp, ep, mbs, gbs, nodes, gpus, precision, software, model, recompute, ... Values of the hardware are
        behind `hardware.`, quantities are texts with their units, maps are dicts:

            scenario.with_({"hardware.nic_bandwidth": "200 Gb/s", "overlap.tp_comm_overlap": False}, tp=4)
        """
        native = self._native
        for key, value in {**(keys or {}), **short}.items():
            native = native.with_(_FULL.get(key, key), yaml_text(value))
        return Scenario(native)

    def check(self) -> None:
        """Raises InputError where the scenario cannot be simulated. simulate() does this too."""
        self._native.check()

    @property
    def name(self) -> str:
        """A title, made of the recipe where keys were changed. Raises as check()."""
        return self._native.name()

    @property
    def gpus(self) -> int:
        """GPUs of the job. Raises as check()."""
        return self._native.gpus()

    def yaml(self) -> str:
        """The scenario as a file of its own: row and changed keys filled in. Raises as check()."""
        return self._native.yaml()

    def to_dict(self) -> Dict[str, Any]:
        """The same as a dict, which from_dict() takes. Raises as check()."""
        content: Dict[str, Any] = json.loads(self._native.json())
        return content


#: Words of Megatron that with_() takes without what is before their dot.
_FULL = {
    "micro_batch_size": "training.micro_batch_size",
    "global_batch_size": "training.global_batch_size",
    "seq_length": "training.seq_length",
}


@functools.lru_cache(maxsize=1)
def _opened(path: str) -> DataFolder:
    """Opened once, so that all scenarios share what it has read."""
    return DataFolder(path)


def _installed() -> DataFolder:
    return _opened(_simtrain.installed_data_path())


def _reread(folder: str, text: str) -> Scenario:
    """A scenario as it was pickled."""
    return Scenario.from_yaml(text, data=_opened(folder))


def native_of(scenario: ScenarioLike) -> "_simtrain.Scenario":
    """The library's scenario."""
    if not isinstance(scenario, (Scenario, Mapping)) and not hasattr(scenario, "to_dict"):
        raise TypeError(f"a scenario is a simtrain.Scenario, a dict of its keys or a simtrain.spec.Scenario, not "
                        f"{type(scenario).__name__}; simtrain.Scenario.load(NAME) reads one of the data folder")
    return (scenario if isinstance(scenario, Scenario) else Scenario.from_dict(scenario))._native


def folder_of(data: Optional[DataFolder]) -> "_simtrain.DataFolder":
    """The library's folder; the package's own where none is given."""
    return (data or _installed())._native
