#!/usr/bin/env python3
"""Measures the kernels of a training step on the GPU at hand, for simtrain: see README.md."""

from __future__ import annotations

import argparse
import contextlib
import datetime
import random
import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import shapes
from results import (Journal, UsageError, check_free, first_line, identity, part_of, publish,
                     row_of)

METHOD = ("hardware/measure 1: CUDA events around replays of CUDA graphs; random normal data; "
          "buffers rotate over three times the L2 cache; burst: median of 5 repeats of about "
          "10 ms, idle three times as long between; sustained: mean of the second half of a loop")
PARTS = ("gemm", "attention", "streaming", "variants", "launch", "interference", "power")
SHARES = {"gemm": 2, "attention": 1, "streaming": 1}  # of the minutes of bursts


def parse(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="measure.py", description=__doc__)
    parser.add_argument("--out", type=Path, required=True, help="folder to write; must not exist")
    parser.add_argument("--only", default=",".join(PARTS), help="parts: %(default)s")
    parser.add_argument("--quick", action="store_true", help="few shapes, minutes")
    parser.add_argument("--minutes", type=float,
                        help="most time for what is measured in bursts; shapes in an order of "
                        "which each beginning is spread over all")
    parser.add_argument("--seconds", type=float, default=3,
                        help="length of a sustained loop (%(default)s)")
    parser.add_argument("--who", default="not given", help="who measures, kept with the figures")
    parser.add_argument("--gpu", help="name of the GPU in hardware/gpus, where it is not known")
    parser.add_argument("--device", choices=("cuda", "cpu"), default="cuda",
                        help="cpu tries the program out on tiny shapes")
    options = parser.parse_args(arguments)
    options.only = options.only.split(",")
    for part in options.only:
        if part not in PARTS:
            parser.error(f"--only: {part!r} is none of {', '.join(PARTS)}")
    if not 1 <= options.seconds <= 60:
        parser.error(f"--seconds: {options.seconds:g} is not within 1 to 60")
    if options.minutes is not None and not 0.1 <= options.minutes <= 600:
        parser.error(f"--minutes: {options.minutes:g} is not within 0.1 to 600")
    return options


def open_device(name: str) -> tuple[Any, Any, Any]:
    """The device, its timer and its kernels. PyTorch is imported only now, so that a missing one
    is an error of one line."""
    try:
        import torch
    except ImportError as error:
        raise UsageError(f"PyTorch cannot be loaded: {error}; see https://pytorch.org") from None
    if name == "cuda" and not torch.cuda.is_available():
        raise UsageError(f"PyTorch {torch.__version__} sees no CUDA GPU; --device cpu only tries "
                         "the program out")
    import cuda_timer
    import devices
    import kernels
    import timers
    if name == "cpu":
        return devices.Cpu(), timers.CpuTimer(), kernels.Kernels("cpu", 0)
    flash = ("flash-attention-3",) if kernels.optional("flash_attn_interface") else ()
    engine = kernels.optional(kernels.ENGINE) is not None
    gpu = devices.CudaGpu(("cudnn", "flash-attention-2", *flash), engine)
    return gpu, cuda_timer.CudaTimer(), kernels.Kernels("cuda", gpu.cache_bytes)


def grid(device: Any, only: list[str], quick: bool) -> list[Any]:
    """All points, the sustained ones last, when the burst ones are done on a cool GPU."""
    types = device.data_types
    parts = {
        "gemm": lambda: shapes.burst_gemms(types, quick) + shapes.sustained_gemms(types, quick),
        "attention": lambda: shapes.attentions(device.implementations, quick),
        "streaming": lambda: shapes.streamings(types, quick, device.engine),
    }
    points = [point for part, make in parts.items() if part in only for point in make()]
    points = shapes.tiny(points) if device.device == "cpu" else points
    return sorted(points, key=lambda point: getattr(point, "run", "") == "sustained")


def measure_point(point: Any, device: Any, timer: Any, kernels: Any,
                  seconds: float) -> dict[str, Any]:
    """The row of a point, or why the library refuses it (a shape, a backend, memory)."""
    try:
        calls, notes = kernels.calls(point)
        if getattr(point, "run", "") != "sustained":
            included = kernels.included(point)
            taken = timer.burst(calls) - (timer.burst(included) if included else 0)
            return {"row": row_of(point, taken, notes)}
        with device.power_log() as log:
            taken = timer.sustained(calls, seconds)
        return {"row": row_of(point, taken, notes + log.notes())}
    except Exception as error:  # noqa: BLE001 - compilers and libraries raise what they like
        return {"refused": first_line(error)}


def summary(result: dict[str, Any]) -> str:
    if "refused" in result:
        return "refused: " + result["refused"]
    row = result["row"]
    return f"{row['tflops']} TFLOP/s" if "tflops" in row else f"{row['us']} us"


def spread(points: list[Any], minutes: float) -> Iterator[Any]:
    """Points as they come within some minutes: shapes of each part in an order drawn by a fixed
    seed, parts by their share of the time that has passed; sustained points after them, all."""
    waiting: dict[str, list[Any]] = {}
    for point in points:
        if getattr(point, "run", "") != "sustained":
            waiting.setdefault(part_of(point), []).append(point)
    for some in waiting.values():
        random.Random(1).shuffle(some)
    spent = dict.fromkeys(waiting, 0.0)
    while any(waiting.values()) and sum(spent.values()) < 60 * minutes:
        part = min((part for part in waiting if waiting[part]), key=lambda p: spent[p] / SHARES[p])
        start = time.monotonic()
        yield waiting[part].pop()
        spent[part] += time.monotonic() - start
    yield from (point for point in points if getattr(point, "run", "") == "sustained")


def measure_points(points: Iterable[Any], count: int, device: Any, timer: Any, kernels: Any,
                   journal: Journal, seconds: float) -> None:
    """Adds what the journal lacks. A GPU that has failed for good ends the run; the next one goes
    on behind the point that did it."""
    start = time.monotonic()
    for number, point in enumerate(points, 1):
        if identity(point) in journal.entries:
            continue
        result = measure_point(point, device, timer, kernels, seconds)
        journal.add(identity(point), result)
        timer.synchronize()
        print(f"[{number}/{count} {time.monotonic() - start:.0f} s] {identity(point)}: "
              f"{summary(result)}", flush=True)


def measure_surroundings(only: list[str], device: Any, timer: Any, kernels: Any, journal: Journal,
                         seconds: float) -> None:
    import accumulate
    import beside
    import held
    import power
    import variants
    parts = {"variants": [accumulate.weight_gradients, variants.attention_dropout, variants.eager,
                          variants.experts],
             "launch": [beside.launch],
             "interference": [beside.interference, beside.sm_margin, held.held_sms],
             "power": [power.draws, power.wander]}
    start = time.monotonic()
    for measure in (measure for part in PARTS if part in only for measure in parts.get(part, [])):
        name = measure.__name__
        if name not in journal.entries:
            print(f"[{time.monotonic() - start:.0f} s] {name}", flush=True)
            try:
                journal.add(name, measure(timer, device, kernels, seconds))
            except Exception as error:  # noqa: BLE001 - as in measure_point
                journal.add(name, {"refused": first_line(error)})
                timer.synchronize()


def check_any(points: list[Any], journal: Journal) -> None:
    """A setup in which nothing runs is worth no folder."""
    results = [journal.entries[name] for name in map(identity, points) if name in journal.entries]
    if results and all("refused" in result for result in results):
        raise UsageError(f"nothing could be measured: {results[0]['refused']}; {journal.path} "
                         "holds all reasons; remove it to try again")


def conditions(device: Any, options: argparse.Namespace) -> dict[str, Any]:
    """What a reader has to know to judge the figures."""
    facts = device.facts() | {
        "date": datetime.date.today().isoformat(),
        "who": options.who,
        "method": METHOD,
        "sustained_loop": f"{options.seconds:g} s",
    }
    return facts | ({"gpu": options.gpu} if options.gpu else {})


def run(options: argparse.Namespace) -> None:
    check_free(options.out)
    device, timer, kernels = open_device(options.device)
    points = grid(device, options.only, options.quick)
    path = options.out.with_name(options.out.name + ".journal")
    with contextlib.closing(Journal(path, conditions(device, options))) as journal:
        chosen = spread(points, options.minutes) if options.minutes else points
        measure_points(chosen, len(points), device, timer, kernels, journal, options.seconds)
        if device.device == "cuda":
            measure_surroundings(options.only, device, timer, kernels, journal, options.seconds)
        check_any(points, journal)
        publish(journal, options.out)
    print(f"{options.out}: written")


def main(arguments: list[str]) -> int:
    options = parse(arguments)
    try:
        run(options)
    except UsageError as error:
        print(f"measure.py: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("\nmeasure.py: stopped; the same command goes on from here", file=sys.stderr)
        return 130
    except (OSError, RuntimeError) as error:
        print(f"measure.py: {first_line(error)}; the same command goes on from here",
              file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
