// Kernels around the products of experts: activation, padding, one expert after the other, buffers.
#include <cmath>
#include <random>
#include <string>
#include <string_view>

#include <doctest/doctest.h>

#include "sim/workload/kernels/kernel_model.h"
#include "sim/workload/model/operators/experts/expert_shape.h"
#include "sim/workload/model/operators/experts/routing.h"
#include "sim/workload/plan/memory/memory.h"
#include "sim/workload/schedule/recipe_grid.h"
#include "tests/workload/expanded.h"

namespace simtrain::testing::expert_kernels_test {

namespace {

constexpr Piece kForwardPass{Part::layer, Phase::forward};
constexpr Piece kBackwardPass{Part::layer, Phase::backward};

/// Layers that are mixtures alone, of a micro-batch of 8,192 tokens.
Recipe experts_of(const std::string& model, int ep = 1) {
  Recipe recipe = recipe_of(model);
  recipe.model.hybrid_override_pattern.reset();
  recipe.model.layers = {{{BlockKind::moe}, recipe.model.num_layers, {}}};
  recipe.model.mtp_num_layers = 0;
  recipe.parallelism.expert_model_parallel_size = ep;
  return recipe;
}

/// Bytes and number of the memory-bound kernels of a module.
struct Moved {
  double bytes = 0;
  int kernels = 0;
};
Moved moved(const Recipe& recipe, const Piece& piece, std::string_view module) {
  const Expanded expanded(recipe, piece);
  Moved sum;
  for (const OpNote& note : expanded.program.notes) {
    const Streaming* kernel = note.kernel ? std::get_if<Streaming>(&*note.kernel) : nullptr;
    if (kernel == nullptr || note.module != module || kernel->launches == 0) continue;
    sum.bytes += kernel->bytes;
    ++sum.kernels;
  }
  return sum;
}

double moved_by(const Recipe& recipe, std::string_view module) {
  return moved(recipe, kForwardPass, module).bytes + moved(recipe, kBackwardPass, module).bytes;
}

double saved(const Recipe& recipe) { return part_totals(recipe, Part::layer).saved_bytes; }

ExpertShape shape_of_experts(const Recipe& recipe) { return ExpertShape(RankShape(recipe)); }

}  // namespace

TEST_CASE("rows are added to their tokens by atomics where no kernel has both fused") {
  Recipe recipe = experts_of("qwen3-30b-a3b", 8);
  const auto bytes_of = [&](const Piece& piece, StreamingKind kind) {
    double bytes = 0;
    for (const Streaming& kernel : Expanded(recipe, piece).kernels<Streaming>()) {
      if (kernel.kind == kind) bytes += kernel.bytes;
    }
    return bytes;
  };
  const double tokens = 8192.0 * 2048 * 2;
  const double others = bytes_of(kForwardPass, StreamingKind::element_wise);
  CHECK(bytes_of(kForwardPass, StreamingKind::row_add) == 0);
  recipe.moe.moe_permute_fusion = false;
  // What experts put out forward, the gradients of what they took in backward; eight of a token.
  for (const Piece& piece : {kForwardPass, kBackwardPass})
    CHECK(bytes_of(piece, StreamingKind::row_add) == doctest::Approx(8 * tokens));
  CHECK(bytes_of(kForwardPass, StreamingKind::element_wise) ==
        doctest::Approx(others - 8 * tokens));
}

TEST_CASE("atomics add as fast as a GPU has SMs, whatever its memory") {
  const Streaming rows{StreamingKind::row_add, 1e9};
  const auto seconds = [&](const char* name) {
    const GpuSpec spec = gpu(name);
    return to_seconds(FittedKernelModel(spec).time(rows).time);
  };
  CHECK(seconds("h200-sxm") == doctest::Approx(seconds("h100-sxm")).epsilon(0.01));
  CHECK(seconds("h100-sxm-96gb") == doctest::Approx(seconds("h100-sxm")).epsilon(0.01));
  CHECK(seconds("h20") == doctest::Approx(seconds("h100-sxm") * 132 / 78).epsilon(0.01));
  // What was measured: 32,768 rows of 2,048 elements of BF16 in 542 us.
  const GpuSpec h100 = gpu("h100-sxm");
  const Streaming measured{StreamingKind::row_add, 32768.0 * 2048 * 2};
  CHECK(to_seconds(FittedKernelModel(h100).time(measured).time) ==
        doctest::Approx(542e-6).epsilon(0.03));
}

TEST_CASE("an activation that no kernel weighs by probabilities is one kernel after the other") {
  Recipe recipe = experts_of("nemotron3-nano-30b-a3b");
  recipe.software.squared_relu.value = Fusion::fused;
  const double elements = 8192.0 * 6 * 1856;
  const std::string_view module = "experts_activation";
  const Moved forward = moved(recipe, kForwardPass, module);
  CHECK(forward.kernels == 3);
  CHECK(forward.bytes == doctest::Approx(elements * (4 + 6 + 6)));
  const Moved backward = moved(recipe, kBackwardPass, module);
  CHECK(backward.kernels == 6);
  CHECK(backward.bytes == doctest::Approx(elements * (6 + 8 + 10 + 4 + 6 + 6)));
  const double kept = saved(recipe);
  recipe.software.weighted_squared_relu = Sourced<Fusion>{Fusion::fused, "a test"};
  CHECK(moved(recipe, kForwardPass, module).bytes == doctest::Approx(elements * 4));
  CHECK(moved(recipe, kBackwardPass, module).bytes == doctest::Approx(elements * 6));
  CHECK(kept - saved(recipe) == doctest::Approx(2 * elements));  // what was weighed
}

TEST_CASE("recompute of the activation makes again what was weighed, too") {
  Recipe recipe = experts_of("nemotron3-nano-30b-a3b");
  recipe.recompute = Recompute::selective;
  recipe.recompute_modules = {RecomputeModule::moe_act};
  const double kept = saved(recipe);
  recipe.software.weighted_squared_relu = Sourced<Fusion>{Fusion::fused, "a test"};
  CHECK(kept == saved(recipe));
}

TEST_CASE("a gated unit is weighed as it is computed, and its sum has a kernel of its own") {
  const Recipe recipe = experts_of("qwen3-30b-a3b");
  const double elements = 8192.0 * 8 * 768;
  const Moved forward = moved(recipe, kForwardPass, "experts_activation");
  CHECK(forward.kernels == 1);
  CHECK(forward.bytes == doctest::Approx(elements * 2 * 3));
  const Moved backward = moved(recipe, kBackwardPass, "experts_activation");
  CHECK(backward.kernels == 2);
  CHECK(backward.bytes == doctest::Approx(elements * 2 * (5 + 3)));
}

TEST_CASE("branches are cut off by kernels of PyTorch's own, before the activation and behind it") {
  Recipe recipe = experts_of("gpt-oss-20b");
  const double elements = 8192.0 * 4 * 2880;
  const std::string_view module = "experts_activation";
  const Moved forward = moved(recipe, kForwardPass, module);
  CHECK(forward.kernels == 1 + 3);
  CHECK(forward.bytes == doctest::Approx(elements * (2 * 3 + 16)));
  const Moved backward = moved(recipe, kBackwardPass, module);
  CHECK(backward.kernels == 2 + 7);
  CHECK(backward.bytes == doctest::Approx(elements * (2 * (5 + 3) + 30)));
  const double kept = saved(recipe);
  Recipe in_one = recipe;
  in_one.software.clamped_swiglu = Sourced<Fusion>{Fusion::fused, "a test"};
  CHECK(moved(in_one, kForwardPass, module).bytes == doctest::Approx(elements * 2 * 3));
  CHECK(kept - saved(in_one) == doctest::Approx(2 * 2 * elements));  // the branches once more
  recipe.recompute = in_one.recompute = Recompute::selective;
  recipe.recompute_modules = in_one.recompute_modules = {RecomputeModule::moe_act};
  CHECK(saved(recipe) == saved(in_one));
}

TEST_CASE("an MLP's branches are cut off as those of experts are") {
  Recipe recipe = recipe_of("llama3.1-8b");
  const auto whole = [&](const Piece& pass) { return moved(recipe, pass, "activation").bytes; };
  const double forward = whole(kForwardPass);
  const double backward = whole(kBackwardPass);
  const double kept = saved(recipe);
  recipe.model.activation_func_clamp_value = 7;
  CHECK(whole(kForwardPass) == doctest::Approx(forward * (6 + 16) / 6));
  CHECK(whole(kBackwardPass) == doctest::Approx(backward * (10 + 30) / 10));
  CHECK(saved(recipe) > kept);
}

TEST_CASE("fused experts activate and quantize in the kernels of their products, in MXFP8 alone") {
  Recipe recipe = experts_of("qwen3-30b-a3b", 8);
  recipe.moe.moe_token_dispatcher_type = TokenDispatcher::flex;
  recipe.software.dispatcher_pads_rows = Sourced<bool>{true, "a test"};
  recipe.moe.routing.emplace().law = RoutingLaw::balanced;
  const auto with = [](Recipe one, bool fused) {
    one.moe.use_transformer_engine_op_fuser = fused;
    return one;
  };
  const auto bytes = [](const Recipe& one, const Piece& pass, std::string_view module) {
    return moved(one, pass, module).bytes;
  };
  CHECK(moved_by(with(recipe, true), "experts_activation") ==
        moved_by(recipe, "experts_activation"));
  recipe.training.precision = Precision::fp8_mx;
  const Recipe fused = with(recipe, true);
  CHECK(moved_by(recipe, "experts_activation") > 0);
  CHECK(moved_by(fused, "experts_activation") == 0);
  CHECK(bytes(recipe, kForwardPass, "experts_fc2") > 0);
  CHECK(bytes(fused, kForwardPass, "experts_fc2") == 0);
  CHECK(bytes(fused, kBackwardPass, "experts_fc1") == 0);
  // What comes from outside is quantized as before.
  CHECK(bytes(fused, kForwardPass, "experts_fc1") == bytes(recipe, kForwardPass, "experts_fc1"));
  CHECK(bytes(fused, kBackwardPass, "experts_fc2") == bytes(recipe, kBackwardPass, "experts_fc2"));
  CHECK(Expanded(fused, kBackwardPass).flops<Gemm>() ==
        doctest::Approx(Expanded(recipe, kBackwardPass).flops<Gemm>()));
  CHECK(saved(fused) == saved(recipe));
  recipe.training.seq_length = 1000;  // 500 rows an expert
  CHECK(shape_of_experts(recipe).padded_rows(1) == 16 * 512);
  recipe.training.seq_length = 1040;  // 520
  CHECK(shape_of_experts(recipe).padded_rows(1) == 16 * 544);
  CHECK(shape_of_experts(with(recipe, true)).padded_rows(1) == 16 * 768);
  recipe.moe.moe_token_dispatcher_type = TokenDispatcher::alltoall;
  recipe.moe.moe_router_padding_for_quantization = true;
  CHECK(shape_of_experts(with(recipe, true)).sent == 128 * 256);  // 65 of each of 8 ranks
  recipe.lora.emplace();
  CHECK_FALSE(shape_of_experts(with(recipe, true)).fused);
  recipe.lora.reset();
  recipe.model.activation = Activation::squared_relu;
  CHECK_FALSE(shape_of_experts(with(recipe, true)).fused);
}

TEST_CASE("fused experts are one launch, and a weight gradient apart reads what they wrote") {
  Recipe recipe = experts_of("qwen3-30b-a3b", 8);
  recipe.training.precision = Precision::fp8_mx;
  recipe.moe.use_transformer_engine_op_fuser = true;
  for (const Phase phase : {Phase::forward, Phase::input_gradient, Phase::weight_gradient}) {
    const Expanded expanded(recipe, Piece{Part::layer, phase});
    int products = 0;
    for (const OpNote& note : expanded.program.notes) {
      if (!note.module.starts_with("experts_") || !note.kernel) continue;
      if (const Gemm* kernel = std::get_if<Gemm>(&*note.kernel)) {
        CHECK(kernel->launches == 1);
        ++products;
      }
      const Streaming* moved = std::get_if<Streaming>(&*note.kernel);
      if (phase == Phase::weight_gradient) CHECK(moved == nullptr);
    }
    CHECK(products == 2);
  }
}

TEST_CASE("shared experts are added to the others, and all gradients of a token to each other") {
  Recipe recipe = experts_of("nemotron3-nano-30b-a3b");
  const double hidden = 2.0 * 2688 * 8192;
  CHECK(moved(recipe, kForwardPass, "moe_output").bytes == doctest::Approx(3 * hidden));
  CHECK(moved(recipe, kBackwardPass, "shared_experts_fc1").bytes == doctest::Approx(3 * hidden));
  const double router = moved(recipe, kBackwardPass, "router").bytes;
  CHECK(router - moved(recipe, kForwardPass, "router").bytes == doctest::Approx(3 * hidden));
  recipe.model.experts->moe_shared_expert_intermediate_size = 0;
  CHECK(moved_by(recipe, "moe_output") == 0);
}

TEST_CASE("rows that are padded are those of draws") {
  std::mt19937 random(11);
  for (const int multiple : {16, 32, 128}) {
    for (const double rows : {0.3, 4.0, 20.0, 60.0, 100.0, 150.0, 700.0, 4100.0}) {
      std::poisson_distribution<int> law(rows);
      constexpr int kDraws = 20000;
      double sum = 0;
      for (int i = 0; i < kDraws; ++i) sum += std::ceil(law(random) / double(multiple)) * multiple;
      CAPTURE(multiple);
      CAPTURE(rows);
      const double expected = padded_rows(rows, multiple, false);
      CHECK(expected == doctest::Approx(sum / kDraws).epsilon(0.02));
      CHECK(expected >= rows);
    }
    // Where the two ways to count meet.
    const double far = 0.25 * multiple * multiple;
    CHECK(padded_rows(far * 0.999, multiple, false) ==
          doctest::Approx(padded_rows(far * 1.001, multiple, false)).epsilon(0.01));
  }
  CHECK(padded_rows(100, 128, true) == 128);
  CHECK(padded_rows(256, 128, true) == 256);
  CHECK(padded_rows(100.5, 1, false) == 100.5);
  CHECK(padded_rows(0, 128, false) == doctest::Approx(0));
}

TEST_CASE("rows of quantized experts are padded, by whom the recipe and the software say") {
  Recipe recipe = experts_of("qwen3-30b-a3b", 8);
  recipe.moe.routing.emplace().law = RoutingLaw::balanced;
  recipe.training.seq_length = 1000;  // 500 rows an expert
  const double exact = shape_of_experts(recipe).padded_rows(1);
  CHECK(exact == 8000);
  CHECK(shape_of_experts(recipe).padding == RowPadding::none);
  const auto of = [&](Precision precision) {
    recipe.training.precision = precision;
    return shape_of_experts(recipe).padded_rows(1) / 16;
  };
  CHECK(of(Precision::fp8_cs) == 512);
  CHECK(of(Precision::fp8) == 512);
  CHECK(of(Precision::fp8_sc) == 512);
  CHECK(of(Precision::fp8_mx) == 512);
  recipe.training.seq_length = 1040;  // 520 rows
  CHECK(of(Precision::fp8_cs) == 528);
  CHECK(of(Precision::fp8_mx) == 544);
  CHECK(of(Precision::nvfp4) == 640);
}

TEST_CASE("copies pad rows where neither router nor dispatcher does") {
  Recipe recipe = experts_of("qwen3-30b-a3b", 8);
  recipe.training.precision = Precision::fp8_mx;
  const ExpertShape copied = shape_of_experts(recipe);
  CHECK(copied.padding == RowPadding::by_copies);
  CHECK(copied.padded_rows(1) == doctest::Approx(copied.rows + 16 * 15.5));
  Recipe even = recipe;
  even.moe.routing.emplace().law = RoutingLaw::balanced;  // 4,096 rows an expert
  const double with = moved_by(even, "experts_fc1");
  even.moe.moe_router_padding_for_quantization = true;
  CHECK(with - moved_by(even, "experts_fc1") == doctest::Approx(4 * 2.0 * 2048 * 65536));
  recipe.moe.moe_router_padding_for_quantization = true;
  const ExpertShape routed = shape_of_experts(recipe);
  CHECK(routed.padding == RowPadding::by_router);
  // Each of eight ranks pads the rows that it sends to each expert.
  CHECK(routed.sent == doctest::Approx(8192.0 * 8 + 128 * 15.5));
  CHECK(routed.padded_rows(1) == routed.rows);
  recipe.moe.moe_token_dispatcher_type = TokenDispatcher::flex;
  CHECK(shape_of_experts(recipe).padding == RowPadding::by_dispatcher);
  CHECK(shape_of_experts(recipe).sent == 8192.0 * 8);
  recipe.moe.moe_router_padding_for_quantization = false;
  CHECK(shape_of_experts(recipe).padding == RowPadding::by_copies);
  recipe.software.dispatcher_pads_rows = Sourced<bool>{true, "a test"};
  CHECK(shape_of_experts(recipe).padding == RowPadding::by_dispatcher);
}

TEST_CASE("experts one after the other have the same products in as many kernels") {
  Recipe recipe = experts_of("qwen3-30b-a3b", 8);
  const Expanded grouped(recipe, kBackwardPass);
  recipe.moe.moe_grouped_gemm = false;
  const Expanded alone(recipe, kBackwardPass);
  CHECK(alone.flops<Gemm>() == doctest::Approx(grouped.flops<Gemm>()));
  const auto experts = [](const Expanded& expanded) {
    int count = 0;
    for (const OpNote& note : expanded.program.notes)
      count += note.module.starts_with("experts_fc") && note.kernel &&
                       std::holds_alternative<Gemm>(*note.kernel)
                   ? 1
                   : 0;
    return count;
  };
  CHECK(experts(grouped) == 4);
  CHECK(experts(alone) == 16 * 4);
  CHECK(moved(recipe, kBackwardPass, "experts_activation").kernels == 16 * 2);
  // What experts put out is joined, and the gradients of what they took in.
  const double rows = shape_of_experts(recipe).rows * shape_of_experts(recipe).imbalance;
  CHECK(moved(recipe, kForwardPass, "experts_fc2").bytes == doctest::Approx(2 * 2.0 * 2048 * rows));
  CHECK(moved(recipe, kBackwardPass, "experts_fc1").bytes ==
        doctest::Approx(2 * 2.0 * 2048 * rows));
}

TEST_CASE("a router that makes probabilities before the choice passes its scores once more") {
  Recipe recipe = experts_of("qwen3-30b-a3b");
  const double after = moved(recipe, kForwardPass, "router").bytes;
  recipe.model.experts->moe_router_pre_softmax = true;
  CHECK(moved(recipe, kForwardPass, "router").bytes == doctest::Approx(1.1 * after));
  recipe.model.experts->moe_router_pre_softmax = false;
  recipe.model.experts->moe_router_score_function = RouterScore::sigmoid;
  CHECK(moved(recipe, kForwardPass, "router").bytes == doctest::Approx(1.1 * after));
  recipe.moe.moe_router_fusion = true;
  CHECK(moved(recipe, kForwardPass, "router").bytes == doctest::Approx(0.3 * after));
}

TEST_CASE("libraries that exchange tokens keep buffers outside of the allocator") {
  ExpertExchange exchange{4096, 2.0 * 7168, {256, 8}};
  const ExchangeLibraryRow& deepep = row_of(ExchangeLibrary::deepep);
  const double place = 14336 + 8 + 128 * 16;
  CHECK(exchange_buffer_bytes(deepep, exchange, 8) == 10 * 8 * 256 * place);
  CHECK(exchange_buffer_bytes(deepep, exchange, 64) ==
        10 * 8 * 288 * place + 2 * 10 * 8 * 128 * place);
  exchange.sms = 24;
  CHECK(exchange_buffer_bytes(deepep, exchange, 8) == 12 * 8 * 256 * place);
  CHECK(exchange_buffer_bytes(row_of(ExchangeLibrary::hybridep), exchange, 8) ==
        2 * 8 * 4096 * (14336 + 4.0 * 256));
  Recipe recipe = experts_of("qwen3-30b-a3b", 8);
  const auto memory = [&] { return stage_memory(recipe, gpu("h100-sxm"), rank_grid(recipe, 8)); };
  CHECK(memory().front().dispatcher_buffers == 0);
  const double without = memory().front().outside();
  recipe.moe.moe_token_dispatcher_type = TokenDispatcher::flex;
  const StageMemory with = memory().front();
  CHECK(with.dispatcher_buffers == 10 * 8 * 256 * (2 * 2048 + 8 + 128 * 16.0));
  CHECK(with.outside() == without + with.dispatcher_buffers);
}

TEST_CASE("a mixer of Mamba-2 copies sequences that lie token by token") {
  Recipe recipe = recipe_of("nemotron3-nano-30b-a3b");
  recipe.model.hybrid_override_pattern.reset();
  recipe.model.layers = {{{BlockKind::mamba}, recipe.model.num_layers, {}}};
  const double one = moved(recipe, kForwardPass, "mamba_mixer").bytes;
  const double back = moved(recipe, kBackwardPass, "mamba_mixer").bytes;
  recipe.training.micro_batch_size = 2;
  recipe.training.seq_length = 4096;  // as many tokens
  const double inner = 2.0 * 4096 * 8192;
  const double in_proj = 2.0 * (2 * 4096 + 2 * 8 * 128 + 64) * 8192;
  const double copies = 2 * in_proj + 2 * inner;
  CHECK(moved(recipe, kForwardPass, "mamba_mixer").bytes - one == doctest::Approx(copies));
  CHECK(moved(recipe, kBackwardPass, "mamba_mixer").bytes - back == doctest::Approx(copies));
  // in_proj's output, the scan's before and behind the gate, out_proj's input; the norm's two.
  CHECK(saved(recipe) == doctest::Approx(in_proj + 3 * inner + 2 * 2.0 * 2688 * 8192));
}

}  // namespace simtrain::testing::expert_kernels_test
