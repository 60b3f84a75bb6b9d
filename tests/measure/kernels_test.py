"""What the kernels compute. Needs PyTorch, on a CPU; skipped where it is missing."""

import subprocess
import sys
import tempfile
import types
import unittest
import unittest.mock
from dataclasses import replace
from pathlib import Path

from harness import PROGRAM

try:
    import torch
    import torch.nn.functional as F
except ImportError:
    raise unittest.SkipTest("PyTorch is not installed") from None

from kernels import ENGINE, FUNCTIONS, Kernels
from shapes import Streaming

ROWS, COLUMNS = 8, 256
TOLERANCE = 0.005  # of the largest value, in BF16


class AgainstAutograd(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(0)
        self.x = torch.randn(ROWS, COLUMNS).bfloat16()

    def same(self, ours, wanted):
        self.assertEqual(ours.shape, wanted.shape)
        error = (ours.float() - wanted).abs().max() / wanted.abs().max()
        self.assertLess(float(error), TOLERANCE)

    def check(self, kernel, function, *inputs):
        leaves = [tensor.float().requires_grad_() for tensor in inputs]
        out = function(*leaves)
        dy = torch.randn(out.shape).bfloat16()
        self.same(FUNCTIONS[kernel, "forward"](*inputs), out.detach())
        ours = FUNCTIONS[kernel, "backward"](*inputs, dy)
        ours = ours if isinstance(ours, tuple) else (ours,)
        for gradient, wanted in zip(ours, torch.autograd.grad(out, leaves, dy.float())):
            self.same(gradient, wanted)

    def test_norms(self):
        gain = torch.randn(COLUMNS).bfloat16()
        shape = (COLUMNS,)
        self.check("rms_norm", lambda x, g: F.rms_norm(x, shape, g, 1e-5), self.x, gain)
        self.check("layer_norm", lambda x, g: F.layer_norm(x, shape, g, None, 1e-5), self.x, gain)

    def test_activations(self):
        self.check("swiglu", lambda x: F.silu(x[:, :128]) * x[:, 128:], self.x)
        self.check("relu_squared", lambda x: F.relu(x) ** 2, self.x)

    def test_cross_entropy(self):
        targets = torch.randint(COLUMNS, (ROWS, 1))
        logits = self.x.float().requires_grad_()
        loss = F.cross_entropy(logits, targets[:, 0], reduction="none")
        self.same(FUNCTIONS["cross_entropy", "forward"](self.x, targets), loss.detach())
        self.same(FUNCTIONS["cross_entropy", "backward"](self.x, targets),
                  torch.autograd.grad(loss.sum(), logits)[0])

    def test_rope_turns_back(self):
        angles = torch.randn(ROWS, 1, 64).repeat(1, 1, 2)
        x = self.x.float()
        turned = FUNCTIONS["rope", "forward"](x, angles)
        self.same(FUNCTIONS["rope", "backward"](turned.view(ROWS, COLUMNS), angles),
                  x.view(ROWS, -1, 128))


class Engine(unittest.TestCase):
    def test_a_norm_goes_backward_with_its_forward_pass(self):
        class RMSNorm(torch.nn.RMSNorm):
            def __init__(self, columns, device, params_dtype):
                super().__init__(columns, device=device, dtype=params_dtype)

        engine = types.SimpleNamespace(RMSNorm=RMSNorm)
        with unittest.mock.patch.dict(sys.modules, {ENGINE: engine}):
            backward = Streaming("rms_norm", "backward", ROWS, COLUMNS)
            calls, notes = Kernels("cpu", 0).calls(backward)
            self.assertEqual([tensor.shape for tensor in calls[0]()], [(ROWS, COLUMNS), (COLUMNS,)])
            self.assertEqual(notes, [f"{ENGINE}, forward and backward less forward"])
            forward, = Kernels("cpu", 0).included(backward)
            self.assertEqual(forward().shape, (ROWS, COLUMNS))
            self.assertEqual(Kernels("cpu", 0).included(replace(backward, direction="forward")), [])


class OnTheCpu(unittest.TestCase):
    def test_every_kind_of_kernel_runs(self):
        with tempfile.TemporaryDirectory() as folder:
            out = Path(folder) / "mine"
            done = subprocess.run([sys.executable, PROGRAM, "--device", "cpu", "--out", out],
                                  capture_output=True, text=True, timeout=300)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertNotIn("refused", done.stdout)
            self.assertEqual(sorted(path.name for path in out.iterdir()),
                             ["attention.csv", "conditions.yaml", "gemm.csv", "streaming.csv"])


if __name__ == "__main__":
    unittest.main()
