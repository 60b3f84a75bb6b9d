// One layer of one rank: its kernels and collectives against the closed forms of kernels.md 4.2.
#include "sim/workload/model/layers/piece_program.h"

#include <optional>
#include <variant>
#include <vector>

#include <doctest/doctest.h>

#include "tests/workload/expanded.h"

namespace simtrain::testing::piece_program_test {

namespace {

constexpr Piece kLayerForward{Part::layer, Phase::forward};
constexpr Piece kLayerBackward{Part::layer, Phase::backward};
constexpr Piece kHeadForward{Part::head, Phase::forward};
constexpr Piece kHeadBackward{Part::head, Phase::backward};
constexpr Piece kHeadInputGradient{Part::head, Phase::input_gradient};
constexpr Piece kHeadWeightGradient{Part::head, Phase::weight_gradient};
constexpr Piece kAmax{Part::amax};

// Llama 3.1 405B, TP8 CP2: 4096 tokens of hidden size 16384 in a tensor-parallel group.
constexpr std::int64_t kTokens = 4096;
constexpr std::int64_t kHidden = 16384;
/// What a rank sends to gather or scatter [tokens, hidden] in BF16 over the eight ranks.
constexpr std::int64_t kWhole = kTokens * kHidden * 2 / 8 * 7;

Recipe bf16_overlapped() {
  Recipe recipe = llama_405b();
  overlap_tensor_parallel(recipe, "h100-h16384-tp8-bf16");
  return recipe;
}

Recipe fp8_overlapped() {
  Recipe recipe = llama_405b();
  overlap_tensor_parallel(recipe, "h100-h16384-tp8-fp8");
  recipe.training.precision = Precision::fp8;
  return recipe;
}

Recipe fp8_exposed() {
  Recipe recipe = llama_405b();
  recipe.training.precision = Precision::fp8;
  return recipe;
}

Recipe with_context(int cp) {
  Recipe recipe = llama_405b();
  recipe.parallelism.context_parallel_size = cp;
  return recipe;
}

}  // namespace

TEST_CASE("a layer's forward multiplies every token with every weight once, however it overlaps") {
  for (const Recipe& recipe : {llama_405b(), bf16_overlapped(), fp8_exposed(), fp8_overlapped()}) {
    // h (2 h_q + 2 h_kv + 3 f) weights over eight ranks.
    const double weights = 16384.0 * (2 * 16384 + 2 * 1024 + 3 * 53248) / 8;
    CHECK(Expanded(recipe, kLayerForward).flops<Gemm>() == 2 * kTokens * weights);
    CHECK(Expanded(recipe, kLayerBackward).flops<Gemm>() == 4 * kTokens * weights);
  }
}

TEST_CASE("a layer's GEMMs run in the precision of the recipe") {
  for (const Gemm& gemm : Expanded(bf16_overlapped(), kLayerBackward).kernels<Gemm>())
    CHECK(gemm.type == DataType::bf16);
  for (const Gemm& gemm : Expanded(fp8_overlapped(), kLayerBackward).kernels<Gemm>())
    CHECK(gemm.type == DataType::fp8);
}

TEST_CASE("the four weight gradients are added to the gradient buffer") {
  int accumulating = 0;
  for (const Gemm& gemm : Expanded(bf16_overlapped(), kLayerBackward).kernels<Gemm>()) {
    if (!gemm.accumulate) continue;
    ++accumulating;
    CHECK(gemm.k == kTokens);
    CHECK(gemm.output == DataType::bf16);
  }
  CHECK(accumulating == 4);
}

TEST_CASE(
    "causal attention costs every rank of the context ring the same share of half the square") {
  for (const int cp : {1, 2, 4, 8}) {
    const Recipe recipe = with_context(cp);
    const double whole = 4.0 * (128.0 / 8) * 8192 * 8192 * 128 / 2;
    CHECK(Expanded(recipe, kLayerForward).flops<Attention>() == whole / cp);
    CHECK(Expanded(recipe, kLayerBackward).flops<Attention>() == 2.5 * whole / cp);
  }
}

TEST_CASE("only the first of the context ring's steps is causal") {
  const auto steps = Expanded(with_context(4), kLayerForward).kernels<Attention>();
  REQUIRE(steps.size() == 4);
  for (std::size_t step = 0; step < 4; ++step) {
    CHECK(steps[step].causal == (step == 0));
    CHECK(steps[step].queries == 2048);
    CHECK(steps[step].keys == (step == 0 ? 2048 : 1024));
  }
}

TEST_CASE("forward the context ring passes K and V on, once less than it has ranks") {
  // Two tensors of 2048 tokens, one of the eight groups of 128 channels, BF16.
  constexpr std::int64_t kKeysAndValues = 2 * 2048 * 128 * 2;
  CHECK(Expanded(with_context(4), kLayerForward).context_messages() ==
        std::vector<std::int64_t>(3, kKeysAndValues));
  CHECK(Expanded(with_context(1), kLayerForward).context_messages().empty());
}

TEST_CASE("backward the context ring carries the growing gradients of K and V along") {
  constexpr std::int64_t kKeysAndValues = 2 * 2048 * 128 * 2;
  CHECK(Expanded(with_context(4), kLayerBackward).context_messages() ==
        std::vector<std::int64_t>{kKeysAndValues, 2 * kKeysAndValues, 2 * kKeysAndValues,
                                  kKeysAndValues});
  CHECK(Expanded(with_context(1), kLayerBackward).context_messages().empty());
}

TEST_CASE("forward a layer gathers and scatters its hidden states twice, overlapped or not") {
  for (const Recipe& recipe : {llama_405b(), bf16_overlapped()}) {
    const Expanded piece(recipe, kLayerForward);
    CHECK(piece.wire(Collective::all_gather) == 2 * kWhole);
    CHECK(piece.wire(Collective::reduce_scatter) == 2 * kWhole);
    CHECK(piece.wire(Collective::all_reduce) == 0);
  }
}

TEST_CASE("backward a layer gathers gradients and inputs twice each and scatters twice") {
  for (const Recipe& recipe : {llama_405b(), bf16_overlapped()}) {
    const Expanded piece(recipe, kLayerBackward);
    CHECK(piece.wire(Collective::all_gather) == 4 * kWhole);
    CHECK(piece.wire(Collective::reduce_scatter) == 2 * kWhole);
  }
}

TEST_CASE("FP8 halves the bytes that are gathered, and those that rings of FP8 buffers scatter") {
  for (const Recipe& recipe : {fp8_exposed(), fp8_overlapped()}) {
    const Expanded forward(recipe, kLayerForward);
    CHECK(forward.wire(Collective::all_gather) == kWhole);
    CHECK(forward.wire(Collective::reduce_scatter) == (recipe.tp_overlap ? 1 : 2) * kWhole);
    const Expanded backward(recipe, kLayerBackward);
    CHECK(backward.wire(Collective::all_gather) == 2 * kWhole);
    CHECK(backward.wire(Collective::reduce_scatter) == 2 * kWhole);
  }
}

TEST_CASE("without sequence parallelism a layer all-reduces twice each way and gathers nothing") {
  Recipe recipe = llama_405b();
  recipe.parallelism.sequence_parallel = false;
  for (const Piece piece : {kLayerForward, kLayerBackward}) {
    const auto transfers = Expanded(recipe, piece).transfers(Stream::tensor);
    REQUIRE(transfers.size() == 2);
    for (const TransferCost& transfer : transfers) {
      CHECK(transfer.collective == Collective::all_reduce);
      CHECK(transfer.bytes.value() == kTokens * kHidden * 2);
    }
  }
}

TEST_CASE("before 2022 an all-reduce of the backward waits for the weight gradient as well") {
  const auto computes_before = [](std::optional<TensorParallelism> how) {
    Recipe recipe = llama_405b();
    recipe.parallelism.sequence_parallel = false;
    if (how) recipe.software.tensor_parallelism = Sourced<TensorParallelism>{*how, ""};
    const Program program = Expanded(recipe, kLayerBackward).program;
    std::vector<int> before;
    int kernels = 0;
    for (const Op& op : program.ops) {
      if (op.compute)
        ++kernels;
      else if (op.stream == Stream::tensor)
        before.push_back(kernels);
    }
    return before;
  };
  const auto beside = computes_before({});
  CHECK(computes_before(TensorParallelism::megatron) == beside);
  const auto behind = computes_before(TensorParallelism::megatron_synchronous);
  REQUIRE(behind.size() == beside.size());
  for (std::size_t call = 0; call < behind.size(); ++call)
    CHECK(behind[call] == beside[call] + 1);  // the weight gradient
}

TEST_CASE("without tensor parallelism a layer communicates nothing") {
  for (const Piece piece : {kLayerForward, kLayerBackward})
    CHECK(Expanded(llama_8b(), piece).transfers(Stream::tensor).empty());
}

TEST_CASE("a GEMM after a ring-exchanged gather runs as one chunk a rank") {
  const auto gemms = Expanded(bf16_overlapped(), kLayerForward).kernels<Gemm>();
  // QKV and FC1 in eight chunks, projection and FC2 in four splits that leave SMs free.
  REQUIRE(gemms.size() == 8 + 4 + 8 + 4);
  for (std::size_t i = 0; i < gemms.size(); ++i) {
    const bool chunk = i < 8 || (i >= 12 && i < 20);
    CHECK(gemms[i].m == (chunk ? kTokens / 8 : kTokens / 4));
    CHECK(gemms[i].sm_margin == (chunk ? 0 : i < 12 ? 24 : 8));
  }
}

TEST_CASE("a chunk of an overlapped gather waits for its part and a split's part leaves after it") {
  const Program program = Expanded(bf16_overlapped(), kLayerForward).program;
  int waiting = 0;
  int leaving = 0;
  for (const Op& op : program.ops) {
    if (op.after[0] == kNoOp) continue;
    const Op& before = program.ops[op.after[0]];
    if (op.compute && !before.compute && before.stream == Stream::tensor) ++waiting;
    if (!op.compute && op.stream == Stream::tensor && before.compute) ++leaving;
  }
  // Seven parts of two gathers, and two residual adds that wait for the last scatter.
  CHECK(waiting == 2 * 7 + 2);
  CHECK(leaving == 2 * 7 + 2 * 4);
}

TEST_CASE("FP8 casts and the amax reduction belong to FP8 recipes alone") {
  const auto casts = [](const Recipe& recipe) {
    int count = 0;
    for (const Streaming& kernel : Expanded(recipe, kLayerForward).kernels<Streaming>())
      count += kernel.kind == StreamingKind::cast ? 1 : 0;
    return count;
  };
  CHECK(casts(bf16_overlapped()) == 0);
  CHECK(casts(fp8_overlapped()) == 2);
  CHECK(Expanded(fp8_overlapped(), kAmax).wire(Collective::all_reduce) > 0);
}

TEST_CASE("the output layer multiplies every token with its part of the vocabulary") {
  const double weights = 128256.0 / 8 * kHidden;
  const Recipe recipe = llama_405b();
  CHECK(Expanded(recipe, kHeadForward).flops<Gemm>() == 2 * kTokens * weights);
  CHECK(Expanded(recipe, kHeadBackward).flops<Gemm>() == 4 * kTokens * weights);
  CHECK(Expanded(recipe, kHeadInputGradient).flops<Gemm>() +
            Expanded(recipe, kHeadWeightGradient).flops<Gemm>() ==
        4 * kTokens * weights);
}

TEST_CASE("selective recompute runs the attention core again in the backward") {
  Recipe recipe = llama_405b();
  const double once = Expanded(recipe, kLayerForward).flops<Attention>();
  const double plain = Expanded(recipe, kLayerBackward).flops<Attention>();
  recipe.recompute = Recompute::selective;
  CHECK(Expanded(recipe, kLayerBackward).flops<Attention>() == plain + once);
}

TEST_CASE("recompute of the MLP runs its forward again, without what is done to hidden states") {
  Recipe recipe = llama_405b();
  const double plain = Expanded(recipe, kLayerBackward).flops<Gemm>();
  recipe.recompute = Recompute::selective;
  recipe.recompute_modules = {RecomputeModule::mlp};
  const Expanded backward(recipe, kLayerBackward);
  const double mlp = 2 * kTokens * 3 * kHidden * 53248.0 / 8;
  CHECK(backward.flops<Gemm>() == plain + mlp);
  CHECK(backward.flops<Attention>() == Expanded(llama_405b(), kLayerBackward).flops<Attention>());
  CHECK(backward.wire(Collective::reduce_scatter) == 3 * kWhole);
}

TEST_CASE("full recompute runs the whole forward again before the backward") {
  Recipe recipe = llama_405b();
  recipe.recompute = Recompute::full;
  const Expanded forward(recipe, kLayerForward);
  const Expanded backward(recipe, kLayerBackward);
  CHECK(backward.flops<Gemm>() == 3 * forward.flops<Gemm>());
  CHECK(backward.flops<Attention>() == 3.5 * forward.flops<Attention>());
  CHECK(backward.wire(Collective::all_gather) == 6 * kWhole);
  CHECK(backward.wire(Collective::reduce_scatter) == 4 * kWhole);
}

}  // namespace simtrain::testing::piece_program_test
