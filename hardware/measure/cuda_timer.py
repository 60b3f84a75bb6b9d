"""The timer of a CUDA GPU."""

from __future__ import annotations

import itertools
import statistics
import time
from collections.abc import Sequence

import torch

from timers import REPEATS, Call, repeated

BEFORE_SECONDS = 2e-3  # until what a call runs beside has started
AHEAD = 16  # calls that the host is ahead of the GPU


class CudaTimer:
    """CUDA events around replays of a CUDA graph, so that the host's launches do not count."""

    def __init__(self) -> None:
        self.stream = torch.cuda.Stream()
        torch.cuda.set_stream(self.stream)  # graphs cannot be captured on the default stream

    def synchronize(self) -> None:
        torch.cuda.synchronize()

    def burst(self, calls: Sequence[Call], before: Call | None = None) -> float:
        """Median of repeats of about 10 ms, the GPU idle three times as long in between. `before`
        launches, on a stream of its own, what they run beside; it is waited for in between."""
        replay, count = self._graph(calls)
        elapsed = self._elapsed(replay)  # warm-up
        times = []
        for _ in range(REPEATS):
            time.sleep(3 * elapsed)
            if before:
                before()
                time.sleep(BEFORE_SECONDS)
            elapsed = self._elapsed(replay)
            self.synchronize()
            times.append(elapsed)
        return statistics.median(times) / count

    def sustained(self, calls: Sequence[Call], seconds: float, before: Call | None = None) -> float:
        """Mean over the second half of a loop of `seconds` without a pause; `before` as in
        burst()."""
        replay, count = self._graph(calls)
        if before:
            before()
        marks = [self._mark()]
        start = time.monotonic()
        half = 0
        while (passed := time.monotonic() - start) < seconds:
            if passed < seconds / 2:
                half = len(marks) - 1
            replay()
            marks.append(self._mark())
            if len(marks) > 2:
                marks[-3].synchronize()  # never more than two replays ahead
        marks[-1].synchronize()
        return marks[half].elapsed_time(marks[-1]) * 1e-3 / (count * (len(marks) - 1 - half))

    def by_turns(self, kinds: Sequence[tuple[Sequence[Call], int]], seconds: float) -> list[float]:
        """Seconds of a call of each kind, as many as given of one behind those of the other,
        without a pause for `seconds`: means of the second half."""
        for calls, _ in kinds:
            for call in calls:
                call()
        graphs = [self._capture(list(itertools.islice(itertools.cycle(calls), count)))
                  for calls, count in kinds]
        rounds = []
        start = time.monotonic()
        while (passed := time.monotonic() - start) < seconds:
            marks = [self._mark()]
            for graph in graphs:
                graph.replay()
                marks.append(self._mark())
            if passed >= seconds / 2:
                rounds.append(marks)
            marks[0].synchronize()  # one round ahead of the GPU
        self.synchronize()
        return [sum(marks[i].elapsed_time(marks[i + 1]) for marks in rounds) * 1e-3
                / (len(rounds) * count) for i, (_, count) in enumerate(kinds)]

    def each(self, calls: Sequence[Call], seconds: float) -> list[float]:
        """Seconds of each call of a loop of `seconds` without a pause."""
        self._elapsed(lambda: [call() for call in calls])
        graphs = [self._capture([call]) for call in calls]
        marks = [self._mark()]
        start = time.monotonic()
        while time.monotonic() - start < seconds:
            for graph in graphs:
                graph.replay()
                marks.append(self._mark())
            if len(marks) > AHEAD:
                marks[-AHEAD].synchronize()
        self.synchronize()
        return [a.elapsed_time(b) * 1e-3 for a, b in zip(marks, marks[1:])]

    def _mark(self) -> torch.cuda.Event:
        event = torch.cuda.Event(enable_timing=True)
        event.record()
        return event

    def _elapsed(self, run: Call) -> float:
        start = self._mark()
        run()
        end = self._mark()
        end.synchronize()
        return start.elapsed_time(end) * 1e-3

    def _graph(self, calls: Sequence[Call]) -> tuple[Call, int]:
        """Replays of a graph of some calls, and how many those are."""
        def once() -> None:
            for call in calls:
                call()

        for _ in range(2):  # libraries choose kernels and take workspace on the first calls
            once()
        body = repeated(calls, self._elapsed(once) / len(calls))
        return self._capture(body).replay, len(body)

    def _capture(self, calls: Sequence[Call]) -> torch.cuda.CUDAGraph:
        """A graph of calls that have run before."""
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, stream=self.stream):
            for call in calls:
                call()
        return graph
