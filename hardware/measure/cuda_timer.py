"""The timer of a CUDA GPU."""

from __future__ import annotations

import statistics
import time
from collections.abc import Sequence

import torch

from timers import REPEATS, Call, repeated


class CudaTimer:
    """CUDA events around replays of a CUDA graph, so that the host's launches do not count."""

    def __init__(self) -> None:
        self.stream = torch.cuda.Stream()
        torch.cuda.set_stream(self.stream)  # graphs cannot be captured on the default stream

    def synchronize(self) -> None:
        torch.cuda.synchronize()

    def burst(self, calls: Sequence[Call]) -> float:
        """Median of repeats of about 10 ms, the GPU idle three times as long in between."""
        replay, count = self._graph(calls)
        elapsed = self._elapsed(replay)  # warm-up
        times = []
        for _ in range(REPEATS):
            time.sleep(3 * elapsed)
            elapsed = self._elapsed(replay)
            times.append(elapsed)
        return statistics.median(times) / count

    def sustained(self, calls: Sequence[Call], seconds: float) -> float:
        """Mean over the second half of a loop of `seconds` without a pause."""
        replay, count = self._graph(calls)
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
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, stream=self.stream):
            for call in body:
                call()
        return graph.replay, len(body)
