"""Values as the text that the library reads: JSON, which is YAML; numbers of NumPy and pandas as Python's."""

from __future__ import annotations

import json
from typing import Any, Iterable, Union

#: What means something else than itself in a list of YAML.
_SIGNS = frozenset(",[]{}\"'#&*!|>%@`")


def plain(value: Any) -> Any:
    """A number, list or truth value of NumPy or pandas as Python's; all else as it is."""
    return value.tolist() if hasattr(value, "tolist") else value


def _plain_or_refused(value: Any) -> Any:
    if hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError(f"{type(value).__name__} is no value of a key; a number, a text, a list or a dict would do")


def yaml_text(value: Any, indent: Union[None, int] = None) -> str:
    """A value of a key."""
    return json.dumps(value, indent=indent, ensure_ascii=False, default=_plain_or_refused)


def _element(value: Any) -> str:
    value = plain(value)
    if isinstance(value, str):
        return yaml_text(value) if _SIGNS.intersection(value) else value
    return yaml_text(value)


def axis_text(values: Union[str, int, float, Iterable[Any]]) -> str:
    """Values of an axis or a limit: 4, [1, 2, 4], "1,2,4", "1:8"."""
    values = plain(values)
    if isinstance(values, str):
        return values
    return _element(values) if isinstance(values, (int, float)) else ",".join(_element(value) for value in values)
