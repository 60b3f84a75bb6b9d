// Rows that are in no table: what a precision has to say is enough for all that follows from it.
// Bytes by hand, for Llama 3.1 405B under TP8 and CP2 with sequence parallelism unless a case says
// otherwise: 4096 tokens of hidden size 16384 in a tensor-parallel group, an eighth on each rank.
#include <numeric>
#include <variant>
#include <vector>

#include <doctest/doctest.h>

#include "sim/workload/model/layers/piece_program.h"
#include "sim/workload/plan/data/buckets.h"
#include "sim/workload/plan/memory/memory.h"
#include "sim/workload/plan/memory/memory_parts.h"
#include "sim/workload/plan/stage_passes.h"
#include "tests/workload/setup.h"

namespace simtrain::testing::own_precision_test {

namespace {

constexpr TensorFormat kMx{.name = "mxfp8",
                           .type = DataType::fp8,
                           .quantized = true,
                           .block = 32,
                           .scale_bytes = 1,
                           .along_k_alone = true};
constexpr TensorFormat kNv{.name = "nvfp4",
                           .type = DataType::fp8,
                           .element_bytes = 0.5,
                           .quantized = true,
                           .block = 16,
                           .scale_bytes = 1,
                           .along_k_alone = true};
constexpr double kMxBytes = 1 + 1.0 / 32;
constexpr double kNvBytes = 0.5 + 1.0 / 16;

constexpr double kTokens = 4096;
constexpr double kHidden = 16384;
constexpr double kOwn = kTokens / 8;
constexpr double kQkv = (16384 + 2 * 1024) / 8.0;
constexpr double kProjection = 16384 / 8.0;
constexpr double kFfn = 53248 / 8.0;

/// Linear modules of layers in one format throughout, sums of rings in BF16.
PrecisionRow row_in(const TensorFormat& format) {
  PrecisionRow row = row_of(Precision::bf16);
  const Operand operand{format, format};
  row.layers = {operand, operand, operand, row_of(Precision::fp8).layers.rates, row.activation};
  row.peak = DataType::fp8;
  return row;
}

Recipe in(Recipe recipe, const PrecisionRow& row) {
  recipe.own_precision = row;
  return recipe;
}

Program program_of(const Recipe& recipe, const Piece& piece) {
  const ClusterSpec cluster = load_cluster(data_folder(), "dgx-superpod-h100", 4, {});
  const FittedKernelModel model(cluster.gpu);
  RankLayouts layouts([&](GroupKind kind) {
    GroupLayout layout;
    if (kind == GroupKind::context) layout.widest_hop = Distance::nvlink_domain;
    if (kind != GroupKind::context) layout.ranks = recipe.tp();
    return layout;
  });
  return piece_program({recipe, cluster, model, layouts}, piece);
}

std::vector<double> streamed(const Program& program, StreamingKind kind,
                             std::string_view but = "") {
  std::vector<double> bytes;
  for (const OpNote& note : program.notes) {
    if (!note.kernel || (!but.empty() && note.module == but)) continue;
    const auto* streaming = std::get_if<Streaming>(&*note.kernel);
    if (streaming != nullptr && streaming->kind == kind) bytes.push_back(streaming->bytes);
  }
  return bytes;
}

std::vector<Gemm> gemms_of(const Program& program) {
  std::vector<Gemm> gemms;
  for (const OpNote& note : program.notes) {
    if (note.kernel && std::holds_alternative<Gemm>(*note.kernel))
      gemms.push_back(std::get<Gemm>(*note.kernel));
  }
  return gemms;
}

/// Bytes of the tensor-parallel calls of one kind, in order.
std::vector<std::int64_t> called(const Program& program, Collective collective) {
  std::vector<std::int64_t> bytes;
  for (const Op& op : program.ops) {
    if (op.compute || program.transfers[op.cost].collective != collective) continue;
    bytes.push_back(program.transfers[op.cost].bytes.value());
  }
  return bytes;
}

constexpr Piece kForward{Part::layer, Phase::forward};
constexpr Piece kBackward{Part::layer, Phase::backward};

std::int64_t bytes_of(const std::vector<BucketCall>& buckets) {
  return std::accumulate(
      buckets.begin(), buckets.end(), std::int64_t{0},
      [](std::int64_t sum, const BucketCall& bucket) { return sum + bucket.cost.bytes.value(); });
}

std::int64_t gathered_parameters(const Recipe& recipe) {
  const StepSetup setup(recipe, "dgx-superpod-h100", 1);
  GradientGroups groups;
  groups.data.ranks = 8;
  return bytes_of(chunk_buckets(setup.context(), {32, true, true}, groups).gathers);
}

// Llama 3.1 8B: its layers, and embedding, output layer and final norm.
constexpr std::int64_t kLayers8b = 32 * std::int64_t{218112000};
constexpr std::int64_t kEdges8b = 2 * std::int64_t{128256} * 4096 + 4096;

}  // namespace

TEST_CASE("elements may share a byte and blocks have scales") {
  CHECK(kMx.bytes() == 33.0 / 32);
  CHECK(kMx.bytes_for(32) == 33);
  CHECK(kNv.bytes() == 9.0 / 16);
  CHECK(kNv.bytes_for(16) == 9);
  CHECK(kNv.bytes_for(17) == 10);
  CHECK(kNv.bytes_for(std::int64_t{1} << 40) == (std::int64_t{9} << 36));
}

TEST_CASE("blocks along k want a copy for each direction on every GPU, and none is turned") {
  for (const char* name : {"h100-sxm", "b200-sxm"}) {
    CAPTURE(name);
    const Operand operand{kMx, kMx};
    CHECK(!turned(operand, gpu(name)));
    CHECK(cast_bytes(operand) == 2 * kMxBytes);
    CHECK(copied_bytes(operand, gpu(name)) == 2 * kMxBytes);
  }
}

TEST_CASE("a weight gradient in BF16 leaves one copy to cast") {
  const Operand operand{kMx, row_of(Precision::bf16).activation};
  CHECK(copied_bytes(operand, gpu("h100-sxm")) == kMxBytes);
}

TEST_CASE("casts read an activation and write the copies of both directions") {
  for (const TensorFormat& format : {kMx, kNv}) {
    CAPTURE(format.name);
    const Recipe recipe = in(llama_405b(), row_in(format));
    const double moved = 2 + 2 * format.bytes();
    CHECK(streamed(program_of(recipe, kForward), StreamingKind::block_cast) ==
          std::vector{kTokens * kProjection * moved, kTokens * kFfn * moved});
    CHECK(streamed(program_of(recipe, kForward), StreamingKind::norm_forward) ==
          std::vector(2, kOwn * kHidden * moved));
    // Gradients of FC2 and FC1, then of the projection and QKV: a rank's own rows, or all of them.
    CHECK(streamed(program_of(recipe, kBackward), StreamingKind::block_cast) ==
          std::vector{kOwn * kHidden * moved, kTokens * 2 * kFfn * moved, kOwn * kHidden * moved,
                      kTokens * kQkv * moved});
    const double weights = kHidden * (kQkv + kProjection + 3 * kFfn);
    CHECK(streamed(program_of(recipe, {Part::layer, Phase::weight_cast}),
                   StreamingKind::block_cast) == std::vector{weights * moved});
  }
}

TEST_CASE("tensor parallelism gathers quantized tensors with their scales and scatters BF16") {
  constexpr std::int64_t kElements = 4096 * 16384;
  for (const auto& [format, gathered] :
       {std::pair{kMx, kElements / 32 * 33}, std::pair{kNv, kElements / 16 * 9}}) {
    const Recipe recipe = in(llama_405b(), row_in(format));
    const Program forward = program_of(recipe, kForward);
    CHECK(called(forward, Collective::all_gather) == std::vector<std::int64_t>(2, gathered));
    CHECK(called(forward, Collective::reduce_scatter) ==
          std::vector<std::int64_t>(2, 2 * kElements));
    // Two gradients in both directions, and the inputs of QKV and FC1.
    const Program backward = program_of(recipe, kBackward);
    CHECK(called(backward, Collective::all_gather) == std::vector<std::int64_t>(6, gathered));
    CHECK(called(backward, Collective::reduce_scatter) ==
          std::vector<std::int64_t>(2, 2 * kElements));
  }
}

TEST_CASE("GEMMs read operands in the bytes of their formats, at the rate that the row names") {
  for (const Piece& piece : {kForward, kBackward}) {
    for (const Gemm& gemm : gemms_of(program_of(in(llama_405b(), row_in(kNv)), piece))) {
      CHECK(gemm.type == DataType::fp8);
      CHECK(gemm.output == DataType::bf16);
      CHECK(gemm.x_bytes == kNvBytes);
      CHECK(gemm.w_bytes == kNvBytes);
    }
  }
}

TEST_CASE("each GEMM of a module has its own operands and rate") {
  PrecisionRow row = row_in(kMx);
  const TensorFormat bf16 = row.activation;
  row.layers.input.columnwise = bf16;
  row.layers.gradient.columnwise = bf16;
  row.layers.rates.weight_gradient = DataType::bf16;
  for (const Gemm& gemm : gemms_of(program_of(in(llama_405b(), row), kBackward))) {
    CHECK(gemm.type == (gemm.accumulate ? DataType::bf16 : DataType::fp8));
    CHECK(gemm.x_bytes == (gemm.accumulate ? 2 : kMxBytes));
  }
}

TEST_CASE("inputs of linear modules are saved column-wise, with their scales") {
  const double elements = 2 * kOwn * kHidden + kTokens * kFfn;
  const double bf16 = part_totals(llama_405b(), Part::layer).saved_bytes;
  for (const TensorFormat& format : {kMx, kNv}) {
    const PartTotals totals = part_totals(in(llama_405b(), row_in(format)), Part::layer);
    CHECK(bf16 - totals.saved_bytes == elements * (2 - format.bytes()));
  }
  PrecisionRow mixed = row_in(kMx);
  mixed.layers.input.columnwise = mixed.activation;
  CHECK(part_totals(in(llama_405b(), mixed), Part::layer).saved_bytes == bf16);
}

TEST_CASE("user buffers hold what is gathered and summed in its format") {
  Recipe recipe = in(llama_405b(), row_in(kMx));
  overlap_tensor_parallel(recipe, "h100-h16384-tp8-fp8");
  // Two modules gather their input twice and sum its gradient, two gather a gradient and sum.
  CHECK(part_totals(recipe, Part::layer).user_buffer_bytes ==
        kTokens * kHidden * 2 * (2 * kMxBytes + 2 + kMxBytes + 2));
  recipe.own_precision->layers.ring_sums = kMx;
  CHECK(part_totals(recipe, Part::layer).user_buffer_bytes ==
        kTokens * kHidden * 2 * (2 * kMxBytes + 2 + 2 * kMxBytes));
}

TEST_CASE("weights take their copies, and FP8 parameters are kept and gathered in their format") {
  for (const TensorFormat& format : {kMx, kNv}) {
    Recipe recipe = in(llama_8b(), row_in(format));
    const GpuSpec b200 = gpu("b200-sxm");
    const auto weights = [&] {
      return stage_memory(recipe, b200, rank_grid(recipe, 8)).front().weights;
    };
    CHECK(weights() == 2.0 * kEdges8b + kLayers8b * (2 + 2 * format.bytes()));
    CHECK(gathered_parameters(recipe) == 2 * (kLayers8b + kEdges8b));
    recipe.training.fp8_params = true;
    CHECK(fp8_copy_bytes(recipe, b200) == format.bytes());
    CHECK(weights() == 2.0 * kEdges8b + kLayers8b * 2 * format.bytes());
    CHECK(gathered_parameters(recipe) == 2 * kEdges8b + format.bytes_for(kLayers8b));
  }
}

TEST_CASE("a tensor is read once more for its largest value, which a norm finds of its output") {
  constexpr TensorFormat kScaled{.name = "scaled", .type = DataType::fp8, .quantized = true};
  for (const AmaxPass amax : {AmaxPass::except_of_norms, AmaxPass::always}) {
    PrecisionRow row = row_in(kScaled);
    for (Operand* operand : {&row.layers.input, &row.layers.weight, &row.layers.gradient})
      operand->amax = amax;
    const Recipe recipe = in(llama_405b(), row);
    const Program forward = program_of(recipe, kForward);
    // The H100 wants a turned copy too: of what is not gathered the cast writes it.
    CHECK(streamed(forward, StreamingKind::norm_forward) == std::vector(2, kOwn * kHidden * 4));
    CHECK(streamed(forward, StreamingKind::cast) ==
          std::vector{kOwn * kHidden * 3, kTokens * kProjection * 4, kOwn * kHidden * 3,
                      kTokens * kFfn * 4});
    const std::vector own{kTokens * kProjection * 2, kTokens * kFfn * 2};
    const std::vector all{kOwn * kHidden * 2, own[0], kOwn * kHidden * 2, own[1]};
    CHECK(streamed(forward, StreamingKind::amax) == (amax == AmaxPass::always ? all : own));
    CHECK(called(forward, Collective::all_reduce) == std::vector<std::int64_t>(2, 4));
    const Program backward = program_of(recipe, kBackward);
    CHECK(streamed(backward, StreamingKind::amax) ==
          std::vector{kOwn * kHidden * 2, kTokens * 2 * kFfn * 2, kOwn * kHidden * 2,
                      kTokens * kQkv * 2});
    CHECK(called(backward, Collective::all_reduce) == std::vector<std::int64_t>(2, 4));
    const Program weights = program_of(recipe, {Part::layer, Phase::weight_cast});
    CHECK(streamed(weights, StreamingKind::amax).size() == 1);
  }
}

TEST_CASE("ranks that hold all rows agree on no largest value") {
  Recipe recipe = in(llama_405b(), row_of(Precision::fp8_cs));
  recipe.parallelism.sequence_parallel = false;
  for (const Piece& piece : {kForward, kBackward}) {
    for (const std::int64_t bytes : called(program_of(recipe, piece), Collective::all_reduce))
      CHECK(bytes > 4);
  }
}

TEST_CASE("parameters may be kept quantized, gathered in BF16 and cast after that") {
  PrecisionRow row = row_in(kMx);
  row.gathered_parameters = row.activation;
  Recipe recipe = in(llama_8b(), row);
  recipe.training.fp8_params = true;
  CHECK(gathered_parameters(recipe) == 2 * (kLayers8b + kEdges8b));
  CHECK(piece_counts(recipe, 0, 4)[{Part::layer, Phase::weight_cast}] == 32);
  const GpuSpec b200 = gpu("b200-sxm");
  CHECK(stage_memory(recipe, b200, rank_grid(recipe, 8)).front().weights ==
        2.0 * kEdges8b + kLayers8b * 2 * kMxBytes);
  recipe.own_precision->gathered_parameters.reset();
  CHECK(piece_counts(recipe, 0, 4)[{Part::layer, Phase::weight_cast}] == 0);
}

TEST_CASE("scales that are not delayed reduce nothing once a pass") {
  const Recipe recipe = in(llama_405b(), row_in(kMx));
  CHECK(rank_grid(recipe, 128).ranks_of(GroupKind::amax) == 1);
  for (const Piece& piece : pieces_of(recipe)) CHECK(piece.part != Part::amax);
}

TEST_CASE("delayed scales are as many and remembered as long as the row says") {
  PrecisionRow row = row_of(Precision::fp8);
  const auto bytes = [&] {
    return streamed(program_of(in(llama_405b(), row), {Part::amax}), StreamingKind::element_wise);
  };
  // One layer a chunk, of four modules; of each tensor 1024 FP32 values are read and written.
  CHECK(bytes() == std::vector{2.0 * 1024 * 4 * 3 * 4});
  row.delayed_scaling->history = 16;
  row.delayed_scaling->tensors_of_a_module = 2;
  CHECK(bytes() == std::vector{2.0 * 16 * 4 * 2 * 4});
}

TEST_CASE("layers that stay out of a precision are of a kind of their own") {
  Recipe recipe = in(llama_8b(), row_in(kMx));
  recipe.training.num_layers_at_start_in_bf16 = 1;
  recipe.training.num_layers_at_end_in_bf16 = 2;
  const LayerList list(recipe.model, high_layers(recipe));
  REQUIRE(list.kinds().size() == 2);
  CHECK(list.kinds()[0].high);
  CHECK(list.kinds()[0].layers == 3);
  CHECK(list.kinds()[1].layers == 29);
  for (int layer = 0; layer < 32; ++layer)
    CHECK(list.kind_of(layer) == (layer < 1 || layer >= 30 ? 0 : 1));
  const Program high = program_of(recipe, {Part::layer, Phase::backward, 0});
  CHECK(streamed(high, StreamingKind::block_cast).empty());
  for (const Gemm& gemm : gemms_of(high)) CHECK(gemm.type == DataType::bf16);
  CHECK(streamed(program_of(recipe, {Part::layer, Phase::backward, 1}), StreamingKind::block_cast)
            .size() == 4);
}

TEST_CASE("layers that stay out have no copies, are not cast and are gathered unquantized") {
  Recipe recipe = in(llama_8b(), row_in(kMx));
  recipe.training.num_layers_at_start_in_bf16 = 1;
  recipe.training.num_layers_at_end_in_bf16 = 2;
  const std::int64_t layer = kLayers8b / 32;
  const StageMemory memory = stage_memory(recipe, gpu("b200-sxm"), rank_grid(recipe, 8)).front();
  CHECK(memory.fp8_copies == 29.0 * layer * 2 * kMxBytes);
  const ByPiece<std::int64_t> counts = piece_counts(recipe, 0, 4);
  CHECK(counts[{Part::layer, Phase::forward, 0}] == 3 * 4);
  CHECK(counts[{Part::layer, Phase::weight_cast, 0}] == 0);
  CHECK(counts[{Part::layer, Phase::weight_cast, 1}] == 29);
  recipe.training.fp8_params = true;
  CHECK(gathered_parameters(recipe) == 2 * (kEdges8b + 3 * layer) + kMx.bytes_for(29 * layer));
}

TEST_CASE("activations of four bytes double what they move, save and send") {
  PrecisionRow row = row_of(Precision::bf16);
  constexpr TensorFormat kWide{.name = "fp32", .type = DataType::tf32};
  const Operand operand{kWide, kWide};
  row.activation = kWide;
  row.layers = {operand, operand, operand, row.layers.rates, kWide};
  row.high = row.layers;
  Recipe narrow = llama_405b();
  narrow.parallelism.context_parallel_size = 1;
  narrow.software.attention.value = AttentionKernel::unfused;  // no fused kernel takes four bytes
  const Recipe wide = in(narrow, row);
  for (const Piece& piece : {kForward, kBackward}) {
    for (const StreamingKind kind :
         {StreamingKind::element_wise, StreamingKind::norm_forward, StreamingKind::norm_backward}) {
      // Scores of 16 bits have a softmax of their own.
      std::vector<double> twice = streamed(program_of(narrow, piece), kind, "core_attention");
      for (double& bytes : twice) bytes *= 2;
      CHECK(streamed(program_of(wide, piece), kind, "core_attention") == twice);
    }
  }
  CHECK(part_totals(wide, Part::layer).saved_bytes ==
        2 * part_totals(narrow, Part::layer).saved_bytes);
  for (const std::int64_t bytes : called(program_of(wide, kForward), Collective::reduce_scatter))
    CHECK(bytes == 2 * 4096 * std::int64_t{16384} * 4);
}

}  // namespace simtrain::testing::own_precision_test
