// Windows and chunks under context parallelism: what a rank of gathered keys computes and moves.
#include <random>

#include <doctest/doctest.h>

#include "sim/workload/model/layers/model_parts.h"
#include "tests/workload/expanded.h"

namespace simtrain::testing::gathered_attention_test {

namespace {

constexpr Piece kForwardOf{Part::layer, Phase::forward};
constexpr Piece kBackwardOf{Part::layer, Phase::backward};

struct Span {
  std::int64_t window = 0;
  std::int64_t chunk = 0;
};

Recipe over_context(int cp, Span span) {
  Recipe recipe = recipe_of("llama3.1-8b");
  recipe.parallelism.context_parallel_size = cp;
  const BlockKind block = span.chunk > 0 ? BlockKind::chunked_gqa : BlockKind::swa;
  recipe.model.layers = {{{block, BlockKind::mlp}, 32, {}}};
  if (span.window > 0) recipe.model.window_size = span.window;
  if (span.chunk > 0) recipe.model.attention_chunk_size = span.chunk;
  return recipe;
}

double attention_flops(const Recipe& recipe, Piece piece = kForwardOf) {
  return Expanded(recipe, piece).flops<Attention>();
}

/// Keys and values of a rank, in BF16: 8 heads of 128 each.
constexpr std::int64_t kOwnKeys = 8192 / 4 * 2 * 8 * 128 * 2;

double alive_in_forwards(const Recipe& recipe) {
  double bytes = 0;
  for (const Block& block : blocks_of(recipe, layers_of(recipe), Part::layer, 0)) {
    for (const Operator& op : block.branch) bytes += op.forward_bytes;
  }
  return bytes;
}

}  // namespace

TEST_CASE("a rank gathers the keys of all and multiplies those that its queries see") {
  const Recipe recipe = over_context(4, {.window = 128});
  const Expanded forward(recipe, kForwardOf);
  const auto kernels = forward.kernels<Attention>();
  REQUIRE(kernels.size() == 2);  // its two blocks
  for (const Attention& kernel : kernels) {
    CHECK(kernel.queries == 1024);
    CHECK(kernel.window == 128);
  }
  // Blocks in which all queries see a whole window.
  CHECK(attention_flops(recipe) == doctest::Approx(2.0 * 32 * 2 * 1024 * 128 * 256));
  const auto moved = forward.transfers(Stream::context);
  REQUIRE(moved.size() == 1);
  CHECK(moved.front().collective == Collective::all_gather);
  CHECK(moved.front().bytes.value() == 4 * kOwnKeys);
}

TEST_CASE("backward gathers again and scatters the sums of gradients") {
  const auto moved =
      Expanded(over_context(4, {.window = 128}), kBackwardOf).transfers(Stream::context);
  REQUIRE(moved.size() == 2);
  CHECK(moved[0].collective == Collective::all_gather);
  CHECK(moved[1].collective == Collective::reduce_scatter);
  for (const TransferCost& transfer : moved) CHECK(transfer.bytes.value() == 4 * kOwnKeys);
}

TEST_CASE("a window of the whole sequence stays in the ring") {
  for (const Span span : {Span{.window = 8192}, Span{.window = 100000}, Span{.chunk = 8192}}) {
    const Expanded piece(over_context(4, span), kForwardOf);
    for (const TransferCost& transfer : piece.transfers(Stream::context))
      CHECK(transfer.collective == Collective::send_receive);
    CHECK(piece.kernels<Attention>().size() == 4);
  }
}

TEST_CASE("whole chunks inside blocks are cut among ranks evenly") {
  for (const std::int64_t chunk : {256, 1024}) {
    CAPTURE(chunk);
    CHECK(attention_flops(over_context(4, {.chunk = chunk})) ==
          doctest::Approx(attention_flops(over_context(1, {.chunk = chunk})) / 4));
  }
}

TEST_CASE("the busiest rank has at least its part of the pairs, and little more") {
  std::mt19937 random(23);
  for (int i = 0; i < 200; ++i) {
    const int cp = 2 << random() % 4;
    const bool windows = random() % 2 == 0;
    const std::int64_t reach = windows
                                   ? std::uniform_int_distribution<std::int64_t>(1, 8191)(random)
                                   : std::int64_t{1} << random() % 13;
    const Span span = windows ? Span{.window = reach} : Span{.chunk = reach};
    CAPTURE(cp);
    CAPTURE(reach);
    const Piece piece = random() % 2 == 0 ? kForwardOf : kBackwardOf;
    const double part = attention_flops(over_context(1, span), piece) / cp;
    const double rank = attention_flops(over_context(cp, span), piece);
    // One rank counts a query's own key whole, kernels of whole sequences half of it; kernels
    // without a mask have whole numbers of keys.
    CHECK(rank > 0.995 * part);
    CHECK(rank < 2.3 * part + 1e9);
  }
}

TEST_CASE("gathered keys are alive while attention runs, and are not kept") {
  const Recipe over_ring = over_context(4, {.window = 8192});
  const Recipe over_gather = over_context(4, {.window = 128});
  const PartTotals ring = part_totals(over_ring, Part::layer);
  const PartTotals gathered = part_totals(over_gather, Part::layer);
  CHECK(gathered.saved_bytes == ring.saved_bytes);
  CHECK(alive_in_forwards(over_gather) - alive_in_forwards(over_ring) == 4.0 * kOwnKeys);
  CHECK(gathered.backward_bytes >= ring.backward_bytes);
}

}  // namespace simtrain::testing::gathered_attention_test
