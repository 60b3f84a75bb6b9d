import os
import subprocess
import sys
import tempfile
import unittest
import unittest.mock
from pathlib import Path

from harness import EXAMPLE, PROGRAM, FakeGpu, run_program, write_example
import measure
from measure import PARTS


def files_of(folder):
    return {path.name: path.read_text() for path in folder.iterdir()}


class Program(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.out = Path(self.folder.name) / "mine"

    def run_quick(self, gpu, *more, out=None):
        return run_program(gpu, "--out", str(out or self.out), "--quick", *more)

    def refused(self, *arguments, torch=None):
        """Runs the program as a user does, with this text as PyTorch; stderr of status 2."""
        environment = dict(os.environ, PYTHONDONTWRITEBYTECODE="1")
        if torch is not None:
            (Path(self.folder.name) / "torch.py").write_text(torch)
            environment["PYTHONPATH"] = self.folder.name
        done = subprocess.run([sys.executable, PROGRAM, *arguments], capture_output=True, text=True,
                              env=environment, timeout=60)
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        self.assertFalse(self.out.exists())
        return done.stderr

    def test_measures_and_writes_a_folder(self):
        status, printed, error = self.run_quick(FakeGpu())
        self.assertEqual((status, error), (0, ""))
        self.assertIn("gemm bf16 burst forward 2048 1280 8192: 500.0 TFLOP/s\n", printed)
        self.assertTrue(printed.endswith("mine: written\n"))
        gemm = files_of(self.out)["gemm.csv"].splitlines()
        self.assertIn(',h100-sxm,fp8,sustained,8192,8192,8192,400.0,"forward; made up; '
                      '690 W, 1400 MHz, 60 C"', gemm[-1])

    def test_a_cut_run_goes_on_to_the_same_folder(self):
        whole = self.out.with_name("whole")
        self.run_quick(FakeGpu(), out=whole)
        status, _, error = self.run_quick(FakeGpu({7: KeyboardInterrupt()}))
        self.assertEqual((status, error),
                         (130, "\nmeasure.py: stopped; the same command goes on from here\n"))
        self.assertFalse(self.out.exists())
        rest = FakeGpu()
        self.assertEqual(self.run_quick(rest)[0], 0)
        first = FakeGpu()
        self.run_quick(first, out=self.out.with_name("again"))
        self.assertEqual(rest.asked, first.asked[6:])
        self.assertEqual(files_of(self.out), files_of(whole))

    def test_what_a_library_refuses_is_kept_with_its_reason(self):
        gpu = FakeGpu({2: RuntimeError("CUDA out of memory\nTried to allocate")})
        status, printed, _ = self.run_quick(gpu, "--only", "streaming")
        self.assertEqual(status, 0)
        self.assertIn(": refused: CUDA out of memory\n", printed)
        self.assertEqual(sorted(files_of(self.out)), ["conditions.yaml", "streaming.csv"])
        self.assertIn(f"not_measured:\n  - {{point: streaming {gpu.asked[1].kernel} "
                      f"{gpu.asked[1].direction} 8192 {gpu.asked[1].columns}, "
                      "why: CUDA out of memory}\n", files_of(self.out)["conditions.yaml"])

    def test_a_backward_pass_timed_with_the_forward_pass_counts_alone(self):
        self.run_quick(FakeGpu(), "--only", "streaming")
        rows = files_of(self.out)["streaming.csv"].splitlines()
        # 8192 x 4096 elements of 6 bytes less as many of 4, at 2 TB/s.
        row, = (row for row in rows if ",rms_norm,backward," in row)
        self.assertIn(f",8192,4096,{6 * 8192 * 4096},33.55,", row)

    def test_minutes_bound_the_bursts_and_spread_them(self):
        now = [0.0]

        def ten_seconds_each(point):
            now[0] += 10
            return FakeGpu.calls(gpu, point)

        gpu = FakeGpu()
        with unittest.mock.patch.object(gpu, "calls", ten_seconds_each), \
                unittest.mock.patch.object(measure.time, "monotonic", lambda: now[0]):
            status, _, error = self.run_quick(gpu, "--minutes", "2")
        self.assertEqual((status, error), (0, ""))
        found = [measure.part_of(point) for point in gpu.asked
                 if getattr(point, "run", "") != "sustained"]
        self.assertEqual(sorted(map(found.count, measure.SHARES)), [3, 3, 6])
        self.assertEqual({point.run for point in gpu.asked[12:]}, {"sustained"})
        shapes = {(point.m, point.n) for point in gpu.asked if hasattr(point, "m")}
        self.assertGreater(len(shapes), 4)
        self.assertEqual(len(files_of(self.out)["attention.csv"].splitlines()), 1 + 3)

    def test_nothing_runs_nothing_is_written(self):
        gpu = FakeGpu({n: RuntimeError("no kernel image") for n in range(1, 100)})
        status, _, error = self.run_quick(gpu, "--only", "streaming")
        self.assertEqual((status, error),
                         (2, "measure.py: nothing could be measured: no kernel image; "
                             f"{self.out}.journal holds all reasons; remove it to try again\n"))
        self.assertFalse(self.out.exists())

    def test_a_broken_gpu_ends_the_run_and_the_next_one_passes_the_point(self):
        broken = FakeGpu({1: RuntimeError("illegal address")})
        lost = RuntimeError("CUDA error: unspecified launch failure")
        with unittest.mock.patch.object(broken, "synchronize", side_effect=lost):
            status, _, error = self.run_quick(broken)
        self.assertEqual((status, error), (1, "measure.py: CUDA error: unspecified launch failure; "
                                              "the same command goes on from here\n"))
        rest = FakeGpu()
        self.assertEqual(self.run_quick(rest)[0], 0)
        self.assertEqual(len(broken.asked), 1)
        self.assertNotIn(broken.asked[0], rest.asked)

    def test_never_overwrites(self):
        self.out.mkdir()
        gpu = FakeGpu()
        self.assertEqual(self.run_quick(gpu),
                         (2, "", f"measure.py: {self.out}: exists already; measurements are not "
                                 "overwritten\n"))
        self.assertEqual(gpu.asked, [])

    def test_folder_in_no_folder(self):
        status, _, error = self.run_quick(FakeGpu(), out=self.out / "deep")
        self.assertEqual((status, error), (2, f"measure.py: {self.out}: no such folder\n"))

    def test_wrong_options(self):
        for arguments, message in (
                ([], "the following arguments are required: --out"),
                (["--only", "gem"], f"--only: 'gem' is none of {', '.join(PARTS)}"),
                (["--seconds", "0.5"], "--seconds: 0.5 is not within 1 to 60"),
                (["--seconds", "nan"], "--seconds: nan is not within 1 to 60"),
                (["--minutes", "0"], "--minutes: 0 is not within 0.1 to 600"),
                (["--seconds", "long"], "argument --seconds: invalid float value: 'long'"),
                (["--device", "tpu"], "argument --device: invalid choice: 'tpu'")):
            out = ["--out", str(self.out)] if arguments else []
            self.assertIn(f"measure.py: error: {message}", self.refused(*out, *arguments))

    def test_no_pytorch(self):
        error = self.refused("--out", str(self.out), torch="raise ImportError('libcuda.so.1')")
        self.assertEqual(error, "measure.py: PyTorch cannot be loaded: libcuda.so.1; "
                                "see https://pytorch.org\n")

    def test_no_gpu(self):
        torch = ("import types\n__version__ = '2.9'\n"
                 "cuda = types.SimpleNamespace(is_available=lambda: False)\n")
        error = self.refused("--out", str(self.out), torch=torch)
        self.assertEqual(error, "measure.py: PyTorch 2.9 sees no CUDA GPU; --device cpu only tries "
                                "the program out\n")


class Example(unittest.TestCase):
    """What simtrain is tested to read is what the program writes today (else run harness.py)."""

    def test_is_what_the_program_writes(self):
        with tempfile.TemporaryDirectory() as folder:
            write_example(Path(folder) / "example")
            self.assertEqual(files_of(Path(folder) / "example"), files_of(EXAMPLE))


if __name__ == "__main__":
    unittest.main()
