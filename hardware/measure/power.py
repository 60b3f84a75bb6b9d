"""What kernels draw in a row, alone and by turns, at which clock; how far the clock wanders.

A governor holds the mean power at the limit. Of kernels by turns the clock is that of their mean
draw, so that loops with a small share of a kernel show what it draws at full clock, and those with
a large share what the clock falls to."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import torch

from results import first_line, microseconds
from shapes import COMPILED, MODELS, Attention, Gemm, Streaming
from timers import Call

SIZE = 8192
TURN_SECONDS = 5e-3  # of each kernel; far below the time over which a governor averages
SHARES = (0.15, 0.3, 0.45, 0.6, 0.75, 0.9)  # of the time of a loop, were the clock full
GEMM = Gemm("bf16", "sustained", "forward", SIZE, SIZE, SIZE)
FP8_GEMM = Gemm("fp8", "sustained", "forward", SIZE, SIZE, SIZE)
ATTENTION = (SIZE, SIZE, 32, 32, 128, 128)
ADD = Streaming("add", "forward", SIZE, 16384)


def loops(data_types: tuple[str, ...], implementations: tuple[str, ...]) -> dict[str, Any]:
    """Kernels that are looped alone, by name."""
    points: dict[str, Any] = {"gemm bf16": GEMM}
    if "fp8" in data_types:
        points |= {"gemm fp8": FP8_GEMM, "cast": Streaming("cast", "forward", SIZE, 16384)}
    for name in implementations:
        for direction in ("forward", "backward"):
            points[f"{name} {direction}"] = Attention(name, direction, True, 1, *ATTENTION)
    points["add"] = ADD
    points["rms_norm"] = Streaming("rms_norm" + COMPILED, "forward", SIZE, 16384)
    points["swiglu"] = Streaming("swiglu", "forward", SIZE, 14336)
    return points


def _row(loop: str, log: Any, **more: str) -> dict[str, str]:
    return {"loop": loop, **more, **log.means()}


def draws(timer: Any, device: Any, kernels: Any, seconds: float) -> list[dict[str, str]]:
    """Power, clock and temperature of an idle GPU, of loops of one kernel, and of a GEMM by turns
    with others."""
    with device.power_log() as log:
        time.sleep(seconds)
    rows = [_row("idle", log)]
    with device.power_log() as log:
        timer.sustained(_wait(TURN_SECONDS), seconds)
    rows.append(_row("wait", log))
    points = loops(device.data_types, device.implementations)
    for name, point in points.items():
        try:
            calls, _ = kernels.calls(point)
            with device.power_log() as log:
                taken = timer.sustained(calls, seconds)
            rows.append(_row(name, log, time=microseconds(taken)))
        except Exception as error:  # noqa: BLE001 - libraries raise what they like
            rows.append({"loop": name, "refused": first_line(error)})
    for main in [name for name in ("gemm bf16", "gemm fp8", "cudnn backward") if name in points]:
        others = (
            {"wait": _wait, "add": kernels.calls(ADD)[0]}
            if main == "gemm bf16"
            else {"wait": _wait}
        )
        for name, other in others.items():
            rows += _by_turns(
                timer, device, main, kernels.calls(points[main])[0], name, other, seconds
            )
    return rows


def _by_turns(
    timer: Any,
    device: Any,
    main: str,
    calls: list[Call],
    other_name: str,
    other: list[Call] | Callable[[float], list[Call]],
    seconds: float,
) -> list[dict[str, str]]:
    """The main kernel and another by turns, for each share of the main one's time at full clock."""
    alone = timer.burst(calls)
    rows = []
    for share in SHARES:
        rest = TURN_SECONDS * (1 - share) / share
        others = other(rest) if callable(other) else other
        counts = (
            max(1, round(TURN_SECONDS / alone)),
            1 if callable(other) else max(1, round(rest / timer.burst(others))),
        )
        with device.power_log() as log:
            taken = timer.by_turns([(calls, counts[0]), (others, counts[1])], seconds)
        busy = taken[0] * counts[0]
        rows.append(
            _row(
                f"{main} and {other_name}",
                log,
                share=f"{busy / (busy + taken[1] * counts[1]):.3f}",
                time=microseconds(taken[0]),
                time_at_full_clock=microseconds(alone),
                time_of_other=microseconds(taken[1]),
            )
        )
    return rows


def _wait(seconds: float) -> list[Call]:
    """One thread that counts cycles, as a kernel that waits for its peers does; at about
    1.98 GHz."""
    cycles = int(seconds * 1.98e9)
    return [lambda: torch.cuda._sleep(cycles)]


def wander(timer: Any, device: Any, kernels: Any, seconds: float) -> list[dict[str, str]]:
    """How the time of a long loop wanders, of a GEMM and of what a layer runs by turns: its
    deviation over windows of some lengths, and how a window is correlated with the next; power,
    clock and temperature along it.
    """
    weights = MODELS["llama3.1-70b"].weights(4)[:4]
    layer = [Gemm("bf16", "sustained", "forward", SIZE, *weight) for weight in weights]
    layer += [
        Attention(device.implementations[0], "forward", True, 1, SIZE, SIZE, 16, 2, 128, 128),
        ADD,
    ]
    rows = []
    for name, points in (("gemm bf16", [GEMM]), ("layer", layer)):
        calls = [kernels.calls(point)[0][0] for point in points]
        with device.power_log() as log:
            times = timer.each(calls, 4 * seconds)
        turns = [
            sum(times[i : i + len(calls)])
            for i in range(0, len(times) - len(calls) + 1, len(calls))
        ]
        rows.append({"loop": name, **_windows(turns[len(turns) // 3 :])})
        fifth = max(1, len(log.samples) // 5)
        rows += [
            {
                "loop": name,
                "from": f"{i * log.INTERVAL:.1f} s",
                **log.means_of(log.samples[i : i + fifth]),
            }
            for i in range(0, len(log.samples) - fifth + 1, fifth)
        ]
    return rows


def _windows(times: list[float]) -> dict[str, str]:
    """Deviation of the mean over windows, and correlation with that of the next, by milliseconds of
    a window."""
    mean = sum(times) / len(times)
    found = {"turns": str(len(times)), "mean": microseconds(mean)}
    length = 1
    while len(times) // length >= 8:
        means = [
            sum(times[i : i + length]) / length for i in range(0, len(times) - length + 1, length)
        ]
        off = [value / mean - 1 for value in means]
        variance = sum(x * x for x in off) / len(off)
        next_one = sum(a * b for a, b in zip(off, off[1:])) / (len(off) - 1) / variance
        found[
            f"over {length * mean * 1e3:.1f} ms"
        ] = f"{100 * variance ** 0.5:.3f} %, {next_one:.2f}"
        length *= 2
    return found
