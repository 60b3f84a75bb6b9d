"""How long calls take on a device. A timer is given calls that do the same on different buffers, so
that a call does not find its operands in the L2 cache, and returns seconds per call."""

from __future__ import annotations

import itertools
import statistics
import time
from collections.abc import Callable, Sequence
from typing import Protocol

Call = Callable[[], object]
REPEATS = 5
BURST_SECONDS = 10e-3  # shorter than the power governor's averaging


class Timer(Protocol):
    def burst(self, calls: Sequence[Call]) -> float: ...

    def sustained(self, calls: Sequence[Call], seconds: float) -> float: ...

    def synchronize(self) -> None: ...


def repeated(calls: Sequence[Call], seconds_per_call: float) -> list[Call]:
    """The calls in turn, as many as fill a burst: 2 to 200."""
    fitting = int(BURST_SECONDS / max(seconds_per_call, 1e-9))
    return list(itertools.islice(itertools.cycle(calls), max(2, min(fitting, 200))))


class CpuTimer:
    """Wall time. For trying the program out; it measures no GPU."""

    def burst(self, calls: Sequence[Call]) -> float:
        calls[0]()
        times = []
        for call in itertools.islice(itertools.cycle(calls), REPEATS):
            start = time.perf_counter()
            call()
            times.append(time.perf_counter() - start)
        return statistics.median(times)

    def sustained(self, calls: Sequence[Call], seconds: float) -> float:
        return self.burst(calls)

    def synchronize(self) -> None:
        pass
