"""What all results have in common: they are made from the library's values, and become dicts and frames."""

from __future__ import annotations

import dataclasses
import functools
import json
import typing
from typing import TYPE_CHECKING, Any, Callable, Dict, Iterable, List, Tuple, Type, TypeVar

if TYPE_CHECKING:
    import pandas

T = TypeVar("T", bound="Record")


@dataclasses.dataclass(frozen=True)
class Record:
    """A value of named fields that does not change."""

    def to_dict(self) -> Dict[str, Any]:
        """The fields as a dict of plain values, records inside as dicts."""
        return {field.name: _plain(getattr(self, field.name)) for field in _public(_kind(self))}

    def to_pandas(self) -> "pandas.DataFrame":
        """A table of one row: a column for each number or text, `breakdown.gemm` for those of a dict."""
        return frame([self])


@dataclasses.dataclass(frozen=True)
class Document(Record):
    """A record that one of simtrain's JSON documents describes in full."""

    def json(self) -> str:
        """The document, as the command line prints it."""
        raise NotImplementedError

    def to_dict(self) -> Dict[str, Any]:
        """json() as a dict."""
        document: Dict[str, Any] = json.loads(self.json())
        return document


def _kind(record: Record) -> Any:
    return type(record)


@functools.lru_cache(maxsize=None)
def _public(record: type) -> Tuple[Any, ...]:
    return tuple(field for field in dataclasses.fields(record) if not field.name.startswith("_"))


def _plain(value: Any) -> Any:
    if isinstance(value, Record):
        return value.to_dict()
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    return value


@functools.lru_cache(maxsize=None)
def _optional_records(record: type) -> Dict[str, type]:
    """The fields that hold a record or None, with its type."""
    hints = typing.get_type_hints(record, localns={"Scenario": object})
    kinds = {name: typing.get_args(hint)[0] for name, hint in hints.items() if typing.get_origin(hint) is typing.Union}
    return {name: kind for name, kind in kinds.items() if isinstance(kind, type) and issubclass(kind, Record)}


def _columns(record: Record) -> Dict[str, Any]:
    columns: Dict[str, Any] = {}
    optional = _optional_records(_kind(record))
    for field in _public(_kind(record)):
        value = getattr(record, field.name)
        if field.metadata.get("own"):
            continue
        if value is None and field.name in optional:
            columns.update({f"{field.name}.{part.name}": None for part in _public(optional[field.name])})
        elif isinstance(value, Record):
            columns.update({f"{field.name}.{key}": item for key, item in _columns(value).items()})
        elif isinstance(value, dict):
            prefix = "" if field.metadata.get("flat") else field.name + "."
            columns.update({prefix + str(key): item for key, item in value.items()})
        elif not isinstance(value, (list, tuple)):
            columns[field.name] = value
    return columns


def frame(records: Iterable[Record]) -> "pandas.DataFrame":
    """A pandas table with a row for each record: sweep rows, stages, calls, results."""
    try:
        import pandas
    except ModuleNotFoundError as missing:
        raise ModuleNotFoundError("to_pandas() needs pandas, which is not installed") from missing
    return pandas.DataFrame([_columns(record) for record in records])


def _number(text: str) -> Any:
    if text.startswith('"'):
        return json.loads(text)
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return {"true": True, "false": False}.get(text, text)


def _converter(hint: Any) -> Callable[[Any], Any]:
    """From the library's value to that of a field of this type."""
    origin = typing.get_origin(hint)
    if isinstance(hint, type) and issubclass(hint, Record):
        return lambda value: value if isinstance(value, Record) else made(hint, value)
    if origin is typing.Union:  # Optional
        inner = _converter(typing.get_args(hint)[0])
        return lambda value: None if value is None else inner(value)
    if origin is list:
        inner = _converter(typing.get_args(hint)[0])
        return lambda values: [inner(value) for value in values]
    if origin is dict and typing.get_args(hint)[1] is not float:
        return lambda pairs: {key: _number(text) for key, text in pairs}
    return lambda value: value


@functools.lru_cache(maxsize=None)
def _converters(record: type) -> List[Tuple[str, Callable[[Any], Any]]]:
    hints = typing.get_type_hints(record, localns={"Scenario": object})
    return [(field.name, _converter(hints[field.name])) for field in _public(record)
            if not field.metadata.get("own")]


def made(record: Type[T], native: Any, **own: Any) -> T:
    """A record from the library's value with attributes of the same names."""
    kind: Any = record
    return record(**{name: convert(getattr(native, name)) for name, convert in _converters(kind)}, **own)
