"""What the tests of hardware/measure share. None needs PyTorch or a GPU: `FakeGpu` answers for the
device, with times by formula, and `fake_torch` for the CUDA events and graphs of PyTorch."""

from __future__ import annotations

import contextlib
import io
import shutil
import sys
import types
from dataclasses import replace
from pathlib import Path
from unittest import mock

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = ROOT / "hardware" / "measure" / "measure.py"
EXAMPLE = ROOT / "tests" / "measure" / "example"
sys.path.insert(0, str(PROGRAM.parent))

import measure  # noqa: E402


class FakeGpu:
    """A device, its timer and its kernels in one. `fails` maps the number of a call to an error."""

    device = "fake"
    data_types = ("bf16", "fp8")
    implementations = ("cudnn",)
    engine = True

    def __init__(self, fails: dict[int, BaseException] | None = None) -> None:
        self.fails = fails or {}
        self.asked: list = []

    def facts(self) -> dict:
        return {"gpu": "h100-sxm", "device": "no GPU: an example with made-up times",
                "libraries": {"torch": "none"}}

    def calls(self, point: object) -> tuple[list, list[str]]:
        self.asked.append(point)
        if error := self.fails.pop(len(self.asked), None):
            raise error
        return [point], ["made up"]

    def included(self, point: object) -> list:
        """As if a norm's backward pass could only be run with the forward pass."""
        norm = getattr(point, "kernel", "") == "rms_norm" and point.direction == "backward"
        return [replace(point, direction="forward")] if norm else []

    def burst(self, calls: list) -> float:
        """500 TFLOP/s and 2 TB/s."""
        point = calls[0]
        return point.flops() / 5e14 if hasattr(point, "flops") else point.bytes() / 2e12

    def sustained(self, calls: list, seconds: float) -> float:
        return self.burst(calls) * 1.25

    def synchronize(self) -> None:
        pass

    @contextlib.contextmanager
    def power_log(self):
        yield types.SimpleNamespace(notes=lambda: ["690 W, 1400 MHz, 60 C"])


def run_program(gpu: FakeGpu, *arguments: str) -> tuple[int, str, str]:
    """Exit status, stdout and stderr of the program on a device."""
    out, err = io.StringIO(), io.StringIO()
    opened = mock.patch.object(measure, "open_device", lambda name: (gpu, gpu, gpu))
    with opened, contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            status = measure.main(list(arguments))
        except SystemExit as end:
            status = end.code
    return status, out.getvalue(), err.getvalue()


def write_example(out: Path) -> None:
    """A folder as the program writes it, of few points and made-up times."""
    grid = measure.grid

    def thin(*wanted) -> list:
        points = grid(*wanted)
        bursts = [point for point in points if getattr(point, "run", "") == "burst"]
        return [point for point in points if point not in bursts or point in bursts[::20]]

    with mock.patch.object(measure, "grid", thin), mock.patch.object(measure, "datetime") as clock:
        clock.date.today().isoformat.return_value = "2026-11-21"
        run_program(FakeGpu(), "--out", str(out), "--quick")


class FakeClock:
    """Seconds that pass only when a fake kernel runs or somebody sleeps."""

    def __init__(self) -> None:
        self.now = 0.0

    def sleep(self, seconds: float) -> None:
        self.now += seconds


def fake_torch(clock: FakeClock) -> types.ModuleType:
    """PyTorch as far as cuda_timer uses it. A call in a graph runs when the graph is replayed."""
    torch, cuda = types.ModuleType("torch"), types.ModuleType("torch.cuda")

    class Event:
        def __init__(self, enable_timing: bool) -> None:
            self.at = 0.0

        def record(self) -> None:
            self.at = clock.now

        def synchronize(self) -> None:
            pass

        def elapsed_time(self, end: Event) -> float:
            return (end.at - self.at) * 1e3

    class CUDAGraph:
        seconds = 0.0
        replays = 0

        def replay(self) -> None:
            clock.now += self.seconds
            self.replays += 1

    @contextlib.contextmanager
    def graph(made: CUDAGraph, stream: object):
        start = clock.now
        yield
        made.seconds, clock.now = clock.now - start, start
        cuda.graphs.append(made)

    cuda.graphs = []
    cuda.Event, cuda.CUDAGraph, cuda.graph = Event, CUDAGraph, graph
    cuda.Stream, cuda.set_stream, cuda.synchronize = object, lambda stream: None, lambda: None
    torch.cuda = cuda
    return torch


if __name__ == "__main__":
    shutil.rmtree(EXAMPLE, ignore_errors=True)
    write_example(EXAMPLE)
