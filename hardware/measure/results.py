"""What was measured, kept and written. Measuring adds lines to OUT.journal; the folder OUT is made
from the journal at the end, beside and then renamed, so that it is whole or not there at all."""

from __future__ import annotations

import csv
import io
import json
import os
import shutil
from dataclasses import asdict
from pathlib import Path
from typing import Any

from shapes import Attention, Gemm, Streaming

HEADERS = {
    "gemm": "source,gpu,data_type,run,m,n,k,tflops,notes",
    "attention": "source,gpu,implementation,direction,causal,batch,queries,keys,heads,query_groups,"
    "head_dimension,value_dimension,tflops,notes",
    "streaming": "source,gpu,kernel,direction,rows,columns,bytes,us,notes",
}

SURROUNDINGS = ("weight_gradients", "attention_dropout", "eager", "experts", "launch",
                "interference", "sm_margin", "held_sms", "draws", "wander")


class UsageError(Exception):
    """Asked for what cannot be done: one line, exit status 2."""


def first_line(error: Exception) -> str:
    """Why a library refuses something, in one line."""
    return (str(error).strip() or type(error).__name__).splitlines()[0][:200]


def microseconds(seconds: float) -> str:
    return f"{seconds * 1e6:.2f} us"


def part_of(point: object) -> str:
    """The table that a point belongs to."""
    return {Gemm: "gemm", Attention: "attention", Streaming: "streaming"}[type(point)]


def identity(point: Any) -> str:
    """The name of a point in the journal, the same in each run."""
    return part_of(point) + " " + " ".join(str(value) for value in asdict(point).values())


def row_of(point: Any, seconds: float, notes: list[str]) -> dict[str, Any]:
    """A measured point as columns; source and gpu, alike in all rows, are added when written."""
    columns = asdict(point)
    if isinstance(point, Streaming):
        return columns | {"bytes": point.bytes(), "us": f"{seconds * 1e6:.2f}",
                          "notes": "; ".join(notes)}
    if isinstance(point, Gemm):
        notes = [columns.pop("role"), *notes]
    else:
        columns["causal"] = int(point.causal)
    rate = point.flops() / seconds / 1e12
    return columns | {"tflops": f"{rate:.1f}" if rate >= 10 else f"{rate:.6f}",
                      "notes": "; ".join(notes)}


class Journal:
    """An append-only file: the conditions, then one line for each thing measured or refused. A run
    that was cut off goes on from it, another day too; a torn last line is dropped."""

    def __init__(self, path: Path, conditions: dict[str, Any]) -> None:
        self.path = path
        lines = path.read_text("utf-8").splitlines(keepends=True) if path.exists() else []
        if lines and not lines[-1].endswith("\n"):
            lines.pop()
        self.entries = self._entries(lines)
        self.conditions = self.entries.pop("conditions", {}) if lines else conditions
        if self.conditions | {"date": ""} != conditions | {"date": ""}:
            raise UsageError(f"{path}: begun under other conditions; remove it to start anew, or "
                             "choose another --out")
        path.write_text("".join(lines), "utf-8")
        self._file = path.open("a", encoding="utf-8")
        if not lines:
            self._write("conditions", conditions)

    def _entries(self, lines: list[str]) -> dict[str, Any]:
        try:
            return {name: value for name, value in map(json.loads, lines)}
        except (ValueError, TypeError) as error:
            raise UsageError(f"{self.path}: no journal of this program: {error}") from None

    def _write(self, name: str, value: Any) -> None:
        self._file.write(json.dumps([name, value]) + "\n")
        self._file.flush()

    def add(self, name: str, value: Any) -> None:
        self.entries[name] = value
        self._write(name, value)

    def close(self) -> None:
        self._file.close()


def csv_text(part: str, rows: list[dict[str, Any]], source: str, gpu: str) -> str:
    out = io.StringIO()
    columns = HEADERS[part].split(",")
    writer = csv.DictWriter(out, columns, lineterminator="\n")
    writer.writeheader()
    for row in rows:
        writer.writerow({"source": source, "gpu": gpu} | row)
    return out.getvalue()


def _scalar(value: Any) -> str:
    """A YAML scalar: plain where that is safe, else in double quotes."""
    text = str(value)
    plain = text and all(c.isalnum() or c in " ._-+/%" for c in text) and text[0].isalnum()
    return text if plain and text == text.strip() else json.dumps(text)


def yaml_text(tree: dict[str, Any]) -> str:
    """Block YAML of a tree of two levels: scalars, maps of scalars, lists of maps of scalars."""
    lines = []
    for key, value in tree.items():
        if isinstance(value, dict):
            lines += [f"{key}:"] + [f"  {name}: {_scalar(entry)}" for name, entry in value.items()]
        elif isinstance(value, list):
            rows = [", ".join(f"{name}: {_scalar(entry)}" for name, entry in row.items())
                    for row in value]
            lines += [f"{key}:"] + [f"  - {{{row}}}" for row in rows]
        else:
            lines.append(f"{key}: {_scalar(value)}")
    return "\n".join(lines) + "\n"


def _tables(journal: Journal) -> dict[str, str]:
    """File name -> text, all from the journal."""
    facts = journal.conditions
    source = f"hardware/measure on {facts['device']} {facts['date']}"
    files, kept, refused = {}, {}, []
    for part in HEADERS:
        found = {n: v for n, v in journal.entries.items() if n.split(" ", 1)[0] == part}
        rows = [value["row"] for value in found.values() if "row" in value]
        refused += [{"point": n, "why": v["refused"]} for n, v in found.items() if "refused" in v]
        if rows:
            files[f"{part}.csv"] = csv_text(part, rows, source, facts["gpu"])
    for part in SURROUNDINGS:
        entry = journal.entries.get(part)
        if entry and "refused" in entry:
            refused.append({"point": part, "why": entry["refused"]})
        elif entry:
            kept[part] = entry
    if refused:
        kept["not_measured"] = refused
    files["conditions.yaml"] = yaml_text(facts | kept)
    return files


def check_free(out: Path) -> None:
    if out.exists():
        raise UsageError(f"{out}: exists already; measurements are not overwritten")
    if not out.absolute().parent.is_dir():
        raise UsageError(f"{out.absolute().parent}: no such folder")


def publish(journal: Journal, out: Path) -> None:
    """Writes the folder beside, renames it to `out`, and removes the journal."""
    beside = out.with_name(out.name + ".partial")
    shutil.rmtree(beside, ignore_errors=True)
    beside.mkdir()
    for name, text in _tables(journal).items():
        with (beside / name).open("w", encoding="utf-8", newline="") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
    check_free(out)
    beside.rename(out)
    journal.path.unlink()
