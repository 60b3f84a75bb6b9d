import unittest

import harness  # noqa: F401
from shapes import (MODELS, MOST_FLOPS, Attention, Gemm, Streaming, attentions, burst_gemms,
                    streamings, sustained_gemms, tiny)

BOTH = ("bf16", "fp8")


class Shapes(unittest.TestCase):
    def test_weights_of_a_rank_by_hand(self):
        # 64 heads and twice 8 groups of 128 are 10240 rows; FC1 has gate and up.
        self.assertEqual(MODELS["llama3.1-70b"].weights(8),
                         [(1280, 8192), (8192, 1024), (7168, 8192), (8192, 3584), (16032, 8192)])
        # 96 heads and twice 8 groups of 192; squared ReLU has no gate.
        self.assertEqual(MODELS["nemotron4-340b"].weights(1)[0], (21504, 18432))
        self.assertEqual(MODELS["nemotron4-340b"].weights(8)[2:4], [(9216, 18432), (18432, 9216)])

    def test_three_passes_of_a_linear_layer(self):
        found = {(p.role, p.m, p.n, p.k) for p in burst_gemms(("bf16",), quick=False)}
        for role, *shape in (("forward", 4096, 7168, 8192), ("data gradient", 4096, 8192, 7168),
                             ("weight gradient", 7168, 8192, 4096)):
            self.assertIn((role, *shape), found)

    def test_flops_by_the_convention_of_the_data(self):
        self.assertEqual(Gemm("bf16", "burst", "forward", 2, 3, 5).flops(), 60)
        dense = Attention("cudnn", "forward", False, 2, 8, 16, 3, 3, 4, 6)
        self.assertEqual(dense.flops(), 2 * 2 * 3 * 8 * 16 * (4 + 6))
        causal = Attention("cudnn", "backward", True, 2, 8, 16, 3, 3, 4, 6)
        self.assertEqual(causal.flops(), dense.flops() / 2 * 2.5)

    def test_bytes_of_streaming_kernels(self):
        self.assertEqual(Streaming("swiglu", "backward", 10, 7).bytes(), 700)
        self.assertEqual(Streaming("rms_norm_torch_compile", "forward", 10, 7).bytes(), 280)

    def test_no_shape_twice_and_none_longer_than_a_burst(self):
        for quick in (True, False):
            for points in (burst_gemms(BOTH, quick), sustained_gemms(BOTH, quick),
                           attentions(("a", "b"), quick), streamings(BOTH, quick, engine=True)):
                self.assertEqual(len(points), len(set(points)))
        self.assertLessEqual(max(p.flops() for p in burst_gemms(BOTH, False)), MOST_FLOPS)

    def test_fp8_sizes_are_what_the_tensor_cores_take(self):
        for point in burst_gemms(("fp8",), quick=False):
            self.assertEqual((point.m % 16, point.n % 16, point.k % 16), (0, 0, 0), point)

    def test_the_grid_spans_what_training_uses(self):
        gemms = burst_gemms(BOTH, quick=False)
        tokens = {p.m for p in gemms if p.role == "forward"}
        self.assertEqual((min(tokens), max(tokens)), (512, 16384))
        blocks = attentions(("cudnn",), quick=False)
        self.assertEqual({p.head_dimension for p in blocks}, {64, 128, 192})
        self.assertEqual({p.heads for p in blocks}, {4, 8, 16, 32, 64})
        self.assertEqual({p.causal for p in blocks}, {True, False})

    def test_reductions_are_named_by_what_fused_them(self):
        def names(engine):
            return {p.kernel for p in streamings(BOTH, False, engine) if "norm" in p.kernel}
        self.assertEqual(names(True), {"rms_norm", "layer_norm"})
        self.assertEqual(names(False), {"rms_norm_torch_compile", "layer_norm_torch_compile"})

    def test_no_fp8_cast_without_fp8(self):
        self.assertNotIn("cast", {p.kernel for p in streamings(("bf16",), False, True)})

    def test_tiny_keeps_one_of_each_kind(self):
        points = tiny(burst_gemms(BOTH, True) + attentions(("math",), True))
        self.assertEqual(len(points), 2 * 3 + 2)
        self.assertLess(max(p.flops() for p in points), 1e8)


if __name__ == "__main__":
    unittest.main()
