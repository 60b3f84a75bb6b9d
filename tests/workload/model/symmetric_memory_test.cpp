// Tensor parallelism overlapped by PyTorch's symmetric memory (async TP), and projections that are
// linear modules of their own, as torchtitan has both.
#include <algorithm>
#include <vector>

#include <doctest/doctest.h>

#include "sim/workload/model/layers/model_parts.h"
#include "sim/workload/plan/memory/memory_parts.h"
#include "tests/workload/expanded.h"

namespace simtrain::testing::symmetric_memory_test {

namespace {

constexpr Piece kForward{Part::layer, Phase::forward};
constexpr Piece kBackward{Part::layer, Phase::backward};

// Llama 3.1 405B, TP8 CP2: 4096 tokens of hidden size 16384 in a tensor-parallel group.
constexpr std::int64_t kTokens = 4096;
constexpr std::int64_t kHidden = 16384;
constexpr std::int64_t kChunk = kTokens * kHidden * 2 / 8;
constexpr std::int64_t kWhole = 7 * kChunk;

Recipe dtensor() {
  Recipe recipe = llama_405b();
  recipe.software.tensor_parallelism = Sourced<TensorParallelism>{TensorParallelism::dtensor, ""};
  return recipe;
}

Recipe overlapped() {
  Recipe recipe = dtensor();
  overlap_tensor_parallel(recipe, std::string(kSymmetricMemoryTable));
  return recipe;
}

Recipe separate(Recipe recipe) {
  recipe.software.separate_projections = Sourced<bool>{true, ""};
  return recipe;
}

double element_wise_bytes(const Expanded& piece) {
  double bytes = 0;
  for (const Streaming& kernel : piece.kernels<Streaming>()) {
    if (kernel.kind == StreamingKind::element_wise) bytes += kernel.bytes;
  }
  return bytes;
}

std::vector<std::int64_t> columns_of(const Expanded& piece) {
  std::vector<std::int64_t> columns;
  for (const Gemm& gemm : piece.kernels<Gemm>()) columns.push_back(gemm.n);
  return columns;
}

}  // namespace

TEST_CASE("products beside a gather and a scatter run as one chunk a rank") {
  const Expanded piece(overlapped(), kForward);
  const auto gemms = piece.kernels<Gemm>();
  REQUIRE(gemms.size() == 4 * 8);
  for (const Gemm& gemm : gemms) {
    CHECK(gemm.m == kTokens / 8);
    CHECK(gemm.sm_margin == 0);
  }
  CHECK(piece.flops<Gemm>() == Expanded(dtensor(), kForward).flops<Gemm>());
  CHECK(piece.wire(Collective::all_gather) == 2 * kWhole);
  CHECK(piece.wire(Collective::reduce_scatter) == 2 * kWhole);
  for (const TransferCost& transfer : piece.transfers(Stream::tensor)) {
    CHECK(transfer.algorithm == Algorithm::user_buffers);
    CHECK(transfer.wire.value() == kChunk);
    CHECK(transfer.sms == 0);
    CHECK(transfer.protocol == Protocol::copy_engine);
  }
}

TEST_CASE("backward the gradients' gathers are overlapped, the inputs' sums collectives") {
  const Expanded piece(overlapped(), kBackward);
  CHECK(piece.wire(Collective::all_gather) == 2 * kWhole);
  int collectives = 0;
  for (const TransferCost& transfer : piece.transfers(Stream::tensor)) {
    if (transfer.algorithm == Algorithm::user_buffers) continue;
    CHECK(transfer.collective == Collective::reduce_scatter);
    CHECK(transfer.bytes.value() == kTokens * kHidden * 2);
    ++collectives;
  }
  CHECK(collectives == 2);
}

TEST_CASE("a chunk's transfer is behind the product two chunks before, on one of two streams") {
  const Program program = Expanded(overlapped(), kForward).program;
  std::vector<std::uint32_t> gathers;
  std::vector<std::uint32_t> products;  // behind a gather
  for (std::uint32_t op = 0; op < program.ops.size(); ++op) {
    const Op& each = program.ops[op];
    if (each.compute) {
      const bool waits = std::any_of(each.after.begin(), each.after.end(), [&](std::uint32_t by) {
        return std::find(gathers.begin(), gathers.end(), by) != gathers.end();
      });
      if (waits) products.push_back(op);
    } else if (program.transfers[each.cost].collective == Collective::all_gather) {
      gathers.push_back(op);
    }
  }
  REQUIRE(gathers.size() == 2 * 7);
  REQUIRE(products.size() == 2 * 7);
  for (const std::size_t first : {std::size_t{0}, std::size_t{7}}) {
    for (std::size_t chunk = 2; chunk < 7; ++chunk) {
      const Op& gather = program.ops[gathers[first + chunk]];
      CHECK(gather.after.front() == products[first + chunk - 2]);
    }
  }
}

TEST_CASE("a rank's own rows are copied for its peers, and the parts of a sum are added") {
  const double copied = 4.0 * kTokens * kHidden * 2 / 8 / 2;  // twice read and written
  const double added = 9.0 * kChunk;
  CHECK(element_wise_bytes(Expanded(overlapped(), kForward)) -
            element_wise_bytes(Expanded(dtensor(), kForward)) ==
        2 * 2 * copied + 2 * added);
}

TEST_CASE("rows that are cast behind their gather are gathered by a collective") {
  Recipe recipe = overlapped();
  recipe.training.precision = Precision::fp8_rowwise;
  const Expanded piece(recipe, kForward);
  int overlapped_gathers = 0;
  int scatters = 0;
  for (const TransferCost& transfer : piece.transfers(Stream::tensor)) {
    const bool overlaps = transfer.algorithm == Algorithm::user_buffers;
    if (transfer.collective == Collective::all_gather && overlaps) ++overlapped_gathers;
    if (transfer.collective == Collective::reduce_scatter && overlaps) ++scatters;
  }
  CHECK(overlapped_gathers == 0);
  CHECK(scatters == 2 * 7);
}

TEST_CASE("the workspace holds two chunks of what is scattered") {
  const Recipe recipe = overlapped();
  CHECK(user_buffer_bytes(recipe, ModelTotals(recipe)) == 2 * kChunk);
}

TEST_CASE("separate projections are products of their own, and as many FLOPs") {
  const Expanded one(dtensor(), kForward);
  const Expanded apart(separate(dtensor()), kForward);
  CHECK(columns_of(one) == std::vector<std::int64_t>{2304, 16384, 13312, 16384});
  CHECK(columns_of(apart) == std::vector<std::int64_t>{2048, 128, 128, 16384, 6656, 6656, 16384});
  CHECK(apart.flops<Gemm>() == one.flops<Gemm>());
  CHECK(element_wise_bytes(apart) == element_wise_bytes(one));
}

TEST_CASE("backward the gradients of what separate projections read are added") {
  const Expanded one(dtensor(), kBackward);
  const Expanded apart(separate(dtensor()), kBackward);
  CHECK(one.kernels<Gemm>().size() == 2 * 4);
  CHECK(apart.kernels<Gemm>().size() == 2 * 7);
  CHECK(apart.flops<Gemm>() == one.flops<Gemm>());
  const double elements = static_cast<double>(kTokens * kHidden);
  const auto added = [&](const Recipe& recipe) {
    return element_wise_bytes(Expanded(separate(recipe), kBackward)) -
           element_wise_bytes(Expanded(recipe, kBackward));
  };
  // Before a sum over ranks by a kernel that reads all and writes one, of three and of two.
  CHECK(added(dtensor()) == (3 + 1 + 2 + 1) * 2 * elements);
  Recipe eager = dtensor();
  eager.software.rms_norm = Sourced<Fusion>{Fusion::eager, ""};
  CHECK(added(eager) == 3 * (2 + 1) * 2 * elements);
  // On one rank by the norm behind, which reads more.
  Recipe alone = dtensor();
  alone.parallelism.tensor_model_parallel_size = 1;
  CHECK(added(alone) == (2 + 1) * 2 * elements);
}

TEST_CASE("each software has the table that it overlaps by") {
  CHECK(usual_overlap_table(dtensor().software) == kSymmetricMemoryTable);
  CHECK(usual_overlap_table(llama_405b().software) == kUserBuffersTable);
}

}  // namespace simtrain::testing::symmetric_memory_test
