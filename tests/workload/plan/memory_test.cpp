#include "sim/workload/plan/memory/memory.h"

#include <cmath>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "sim/workload/plan/memory/memory_parts.h"
#include "sim/workload/schedule/recipe_grid.h"
#include "tests/workload/recipes.h"

namespace simtrain::testing::memory_test {

namespace {

std::vector<StageMemory> memory_of(const Recipe& recipe, int gpus,
                                   const char* gpu_name = "h100-sxm") {
  return stage_memory(recipe, gpu(gpu_name), rank_grid(recipe, gpus));
}

}  // namespace

// 001_510f6ce44a84b7c5.txt, log line of Llama 3.1 8B on 8 H100, 12.39 s a step: BF16.
TEST_CASE("the peak of Llama 3.1 8B on 8 H100 is within 5 % of the documented one") {
  const StageMemory memory = memory_of(llama_8b(), 8).front();
  CHECK(std::abs(memory.allocated() / 70833405952.0 - 1) < 0.05);
}

TEST_CASE("what Llama 3.1 8B keeps allocated between steps is within 2 % of the documented bytes") {
  const StageMemory memory = memory_of(llama_8b(), 8).front();
  CHECK(std::abs(memory.kept() / 44271689728.0 - 1) < 0.02);
}

// 004_380b933fece10253.txt, log line of Nemotron4 15B on 64 H100, 2.693 s a step: BF16.
TEST_CASE("the peak of Nemotron4 15B on 64 H100 is within 5 % of the documented one") {
  const StageMemory memory = memory_of(nemotron_15b(), 64).front();
  CHECK(std::abs(memory.allocated() / 72972500992.0 - 1) < 0.05);
}

TEST_CASE(
    "what Nemotron4 15B keeps allocated between steps is within 2 % of the documented bytes") {
  const StageMemory memory = memory_of(nemotron_15b(), 64).front();
  CHECK(std::abs(memory.kept() / 34466545664.0 - 1) < 0.02);
}

TEST_CASE("weights, gradients and the sharded optimizer take 2, 2 and 12 bytes a parameter") {
  const StageMemory memory = memory_of(llama_8b(), 8).front();
  constexpr double kParameters = 8030261248;
  CHECK(memory.weights == 2 * kParameters);
  CHECK(memory.gradients == 2 * kParameters);
  CHECK(memory.optimizer == 12 * kParameters / 8);
}

TEST_CASE("placeholders of weight gradients take 2 bytes for each shape of weights") {
  Recipe recipe = llama_8b();
  const double plain = memory_of(recipe, 8).front().gradients;
  recipe.software.weight_gradient_placeholders = Sourced<bool>{true, "test"};
  const double qkv = 4096.0 * (4096 + 2 * 1024);
  const double fc1 = 4096.0 * 2 * 14336;
  CHECK(memory_of(recipe, 8).front().gradients - plain ==
        2 * (qkv + 4096.0 * 4096 + fc1 + fc1 / 2 + 128256.0 * 4096));
  recipe.software.weight_gradient_placeholders->value = false;
  CHECK(memory_of(recipe, 8).front().gradients == plain);
}

TEST_CASE(
    "weights of one shape share a placeholder, and only the head's stage has the output layer's") {
  Recipe recipe = llama_8b();
  recipe.parallelism.context_parallel_size = 1;
  recipe.parallelism.pipeline_model_parallel_size = 2;
  recipe.model.activation = Activation::squared_relu;
  recipe.model.ffn_hidden_size = 4096;
  recipe.model.num_query_groups = 32;
  const auto plain = memory_of(recipe, 8);
  recipe.software.weight_gradient_placeholders = Sourced<bool>{true, "test"};
  const auto with = memory_of(recipe, 8);
  const double square = 2 * 4096.0 * 4096;  // projection, FC1 and FC2 alike; QKV is three of them
  CHECK(with[0].gradients - plain[0].gradients == 4 * square);
  CHECK(with[1].gradients - plain[1].gradients == 4 * square + 2 * 128256.0 * 4096);
}

TEST_CASE("an optimizer that is not distributed is on every rank whole") {
  Recipe recipe = llama_8b();
  recipe.optimizer.distributed = false;
  CHECK(memory_of(recipe, 8).front().optimizer == 12.0 * 8030261248);
}

TEST_CASE("the activations of a layer are those of the closed form") {
  // kernels.md 5.2: 8h + 4h_q + 4h_kv + 4a + 6f bytes for each of 4096 tokens in 32 layers.
  const double token = 8 * 4096 + 4 * 4096 + 4 * 1024 + 4 * 32 + 6 * 14336;
  CHECK(memory_of(llama_8b(), 8).front().activations == 32 * 4096 * token);
}

TEST_CASE("without sequence parallelism the hidden states are not divided") {
  Recipe recipe = nemotron_15b();
  const double with = memory_of(recipe, 64).front().activations;
  recipe.parallelism.sequence_parallel = false;
  const double tokens = 2 * 4096;
  CHECK(memory_of(recipe, 64).front().activations - with == 32 * tokens * 8 * 6144 / 2);
}

TEST_CASE("without interleaving each stage holds one micro-batch more than the next") {
  Recipe recipe = llama_8b();
  recipe.parallelism.context_parallel_size = 1;
  recipe.parallelism.pipeline_model_parallel_size = 4;
  const auto stages = memory_of(recipe, 4);
  REQUIRE(stages.size() == 4);
  for (std::size_t stage = 0; stage < 4; ++stage)
    CHECK(stages[stage].activations ==
          doctest::Approx(stages[3].activations * static_cast<double>(4 - stage)));
}

TEST_CASE("interleaved, the first stage holds the layers of (PP-1)/(PP VP) more than the model") {
  // kernels.md 5.3: L (1 + (PP-1)/(PP VP)) layers of one micro-batch.
  const auto stages = memory_of(llama_405b_a4(), 224, "b200-sxm");
  const double token = 8 * 16384.0 / 4 + (4.0 * 16384 + 4 * 1024 + 4 * 128 + 6 * 53248) / 4;
  CHECK(stages.front().activations ==
        doctest::Approx(126 * (1 + 13.0 / (14 * 9)) * 4096 * token).epsilon(1e-6));
}

TEST_CASE("full recompute keeps the input of each layer alone") {
  Recipe recipe = llama_8b();
  recipe.recompute = Recompute::full;
  CHECK(memory_of(recipe, 8).front().activations == 32.0 * 4096 * 2 * 4096);
}

TEST_CASE("full recompute of every n-th layer keeps the others whole") {
  Recipe recipe = llama_8b();
  const double kept = memory_of(recipe, 8).front().activations;
  recipe.recompute = Recompute::full;
  const double again = memory_of(recipe, 8).front().activations;
  for (const int every : {1, 2, 3, 5, 32, 33}) {
    CAPTURE(every);
    recipe.recompute_every_nth_layer = every;
    const int recomputed = 32 / every;
    CHECK(memory_of(recipe, 8).front().activations ==
          doctest::Approx(kept + (again - kept) * recomputed / 32).epsilon(1e-12));
  }
  recipe.recompute_every_nth_layer = 2;
  const LayerList list = layers_of(recipe);
  REQUIRE(list.kinds().size() == 2);
  for (int layer = 0; layer < 32; ++layer) {
    const LayerKind& kind = list.kinds()[static_cast<std::size_t>(list.kind_of(layer))];
    CHECK(recomputes_layer(recipe, kind) == (layer % 2 == 1));
    CHECK(kind.layers == 16);
  }
  recipe.recompute = Recompute::none;
  CHECK(layers_of(recipe).kinds().size() == 1);
}

TEST_CASE("FP32 weights take 4 bytes, their optimizer 8 and no second copy") {
  Recipe recipe = llama_8b();
  recipe.optimizer.grad_reduce_dtype = DataType::fp32;
  const StageMemory mixed = memory_of(recipe, 8).front();
  recipe.training.precision = Precision::tf32;
  const StageMemory wide = memory_of(recipe, 8).front();
  CHECK(wide.weights == 2 * mixed.weights);
  CHECK(wide.gradients == mixed.gradients);
  CHECK(wide.optimizer == doctest::Approx(mixed.optimizer * 8 / 12).epsilon(1e-12));
  // Hidden states, inputs and results of twice as many bytes, and the scores of an attention that
  // is not fused.
  CHECK(wide.activations > 2 * mixed.activations);
}

TEST_CASE("the loss takes the logits and what each kernel holds beside them") {
  Recipe recipe = llama_8b();
  const double logits = 4096.0 * 128256;
  const double hidden =
      3 * 2.0 * 4096 * 4096;  // the final norm's input and output, the head's input
  const auto loss_with = [&](CrossEntropy kernel) {
    recipe.software.cross_entropy.value = kernel;
    return memory_of(recipe, 8).front().loss;
  };
  CHECK(loss_with(CrossEntropy::fused) == hidden + 2 * logits);
  CHECK(loss_with(CrossEntropy::unfused) == hidden + 6 * logits);
  CHECK(loss_with(CrossEntropy::jit) == hidden + 14 * logits);
  CHECK(loss_with(CrossEntropy::compiled) == hidden + 10 * logits);
}

TEST_CASE("the loss and a layer's backward follow each other: the larger one counts") {
  Recipe recipe = llama_8b();
  CHECK(memory_of(recipe, 8).front().temporary == 0);
  recipe.model.vocab_size = 128;
  const StageMemory memory = memory_of(recipe, 8).front();
  CHECK(memory.loss == 0);
  CHECK(memory.temporary == 2.0 * 4096 * (2 * 4096 + 3 * 14336));
}

TEST_CASE("a deferred weight gradient keeps a rank's own rows and the gradients of its logits") {
  Recipe recipe = llama_405b();
  const double plain = memory_of(recipe, 512).back().loss;
  recipe.overlap.defer_embedding_wgrad_compute = true;
  recipe.overlap.wgrad_deferral_limit = 10;
  CHECK(memory_of(recipe, 512).back().loss - plain ==
        10.0 * 4096 * 2 * (16384.0 / 8 + 128256.0 / 8));
}

TEST_CASE("only the last stage holds the loss") {
  const auto stages = memory_of(llama_405b(), 512);
  for (std::size_t stage = 0; stage < stages.size(); ++stage)
    CHECK((stages[stage].loss > 0) == (stage + 1 == stages.size()));
}

TEST_CASE("what is kept, allocated and outside of the allocator make the total") {
  StageMemory memory;
  memory.weights = 1;
  memory.gradients = 2;
  memory.optimizer = 4;
  memory.workspaces = 8;
  memory.activations = 16;
  memory.loss = 32;
  memory.temporary = 64;
  memory.cuda_context = 128;
  memory.communicators = 256;
  memory.user_buffers = 512;
  memory.fragmentation = 1024;
  CHECK(memory.kept() == 15);
  CHECK(memory.allocated() == 127);
  CHECK(memory.outside() == 896);
  CHECK(memory.total() == 1023);
  CHECK(memory.likely() == 2047);
}

TEST_CASE("FP8 keeps one copy of a layer's weights beside BF16, on Hopper two") {
  Recipe recipe = llama_405b();
  recipe.training.precision = Precision::fp8;
  const auto copies = [&](const char* name) {
    const StageMemory memory = memory_of(recipe, 512, name)[1];
    return memory.fp8_copies / (memory.weights - memory.fp8_copies);
  };
  CHECK(copies("h100-sxm") == 1);
  CHECK(copies("b200-sxm") == 0.5);
  recipe.training.fp8_params = true;
  CHECK(copies("h100-sxm") == 1);
  CHECK(copies("b200-sxm") == 0);
}

TEST_CASE("embedding and output layer stay in BF16, whatever keeps the layers in FP8") {
  Recipe recipe = llama_405b();
  const std::vector<StageMemory> bf16 = memory_of(recipe, 512);
  recipe.training.precision = Precision::fp8;
  recipe.training.fp8_params = true;
  const std::vector<StageMemory> fp8 = memory_of(recipe, 512);
  // On Hopper a layer takes two bytes either way.
  for (std::size_t stage = 0; stage < fp8.size(); ++stage) {
    CHECK(fp8[stage].weights == bf16[stage].weights);
    CHECK(fp8[stage].fp8_copies <= bf16[stage].weights / 2);
  }
  CHECK(fp8.front().fp8_copies < bf16.front().weights / 2);
  CHECK(fp8.back().fp8_copies < bf16.back().weights / 2);
}

TEST_CASE("dropout keeps a mask of one byte for each of its two places in a layer") {
  Recipe recipe = llama_8b();
  const double plain = memory_of(recipe, 8).front().activations;
  recipe.model.hidden_dropout = 0.1;
  const double masks = 32.0 * 2 + 1;  // and that of the embedding
  CHECK(memory_of(recipe, 8).front().activations - plain == masks * 4096 * 4096);
}

TEST_CASE("selective recompute spares the log-sum-exp of the attention") {
  Recipe recipe = llama_8b();
  const double plain = memory_of(recipe, 8).front().activations;
  recipe.recompute = Recompute::selective;
  CHECK(plain - memory_of(recipe, 8).front().activations == 32.0 * 4096 * 4 * 32);
}

TEST_CASE("selective recompute of modules spares what they save, and has it again in a backward") {
  Recipe recipe = llama_8b();
  recipe.model.vocab_size = 128;
  const StageMemory plain = memory_of(recipe, 8).front();
  recipe.recompute = Recompute::selective;
  const auto spared = [&](const std::vector<RecomputeModule>& modules) {
    recipe.recompute_modules = modules;
    const StageMemory memory = memory_of(recipe, 8).front();
    const double layer = (plain.activations - memory.activations) / 32;
    CHECK(memory.temporary - plain.temporary == layer);
    return layer / 4096;
  };
  CHECK(spared({}) == 0);
  CHECK(spared({RecomputeModule::layernorm}) == 4 * 4096);
  CHECK(spared({RecomputeModule::mlp}) == 2 * 4096 + 6 * 14336);
  CHECK(spared({RecomputeModule::mlp, RecomputeModule::layernorm}) == 4 * 4096 + 6 * 14336);
}

TEST_CASE("full recompute has one layer's activations again in its backward") {
  Recipe recipe = llama_8b();
  recipe.model.vocab_size = 128;
  const StageMemory plain = memory_of(recipe, 8).front();
  recipe.recompute = Recompute::full;
  const StageMemory full = memory_of(recipe, 8).front();
  CHECK(full.temporary - plain.temporary == (plain.activations - full.activations) / 32);
}

TEST_CASE("losses of all micro-batches are kept where all forwards run before the first backward") {
  Recipe recipe = llama_8b();
  recipe.parallelism.context_parallel_size = 1;
  recipe.parallelism.pipeline_model_parallel_size = 4;
  recipe.parallelism.virtual_pipeline_model_parallel_size = 4;
  recipe.software.cross_entropy.value = CrossEntropy::unfused;
  const auto loss_of = [&](int micro_batches) {
    recipe.training.global_batch_size = micro_batches;
    return memory_of(recipe, 4).back().loss;
  };
  const double saved = 8192.0 * (4 * 4096 + 4 * 128256);
  CHECK(loss_of(3) - loss_of(1) == doctest::Approx(2 * saved));
  CHECK(loss_of(8) == doctest::Approx(loss_of(1)));
}

TEST_CASE("deferred weight gradients fill up only as their micro-batches come") {
  Recipe recipe = llama_405b();
  recipe.overlap.defer_embedding_wgrad_compute = true;
  recipe.overlap.wgrad_deferral_limit = 22;
  recipe.training.global_batch_size = 4;  // one micro-batch a replica
  const double one = memory_of(recipe, 512).back().loss;
  recipe.training.global_batch_size = 256;
  CHECK(memory_of(recipe, 512).back().loss > one);
}

TEST_CASE("a rank opens the communicators that its recipe needs") {
  const auto opened = [](const Recipe& recipe, int gpus, int stage) {
    const RankGrid grid = rank_grid(recipe, gpus);
    const PipelineStage pipeline(pipeline_shape(recipe, grid.micro_batches()), stage);
    const Communicators found = communicators(recipe, grid, pipeline.neighbours());
    return std::pair(found.pairs, found.larger);
  };
  Recipe alone = llama_8b();
  alone.parallelism.context_parallel_size = 1;
  CHECK(opened(alone, 1, 0) == std::pair(0, 0));
  CHECK(opened(llama_8b(), 2, 0) == std::pair(3, 0));  // world, CP, DP x CP
  CHECK(opened(llama_8b(), 8, 0) == std::pair(1, 2));
  Recipe large = llama_405b();  // world, TP, DP x CP, TP x PP; CP; PP batched
  CHECK(opened(large, 512, 3) == std::pair(1, 5));
  large.overlap.overlap_p2p_comm = true;  // a pair with each neighbour around the ring
  CHECK(opened(large, 512, 0) == std::pair(3, 4));
  large.parallelism.virtual_pipeline_model_parallel_size = 1;
  CHECK(opened(large, 512, 0) == std::pair(1, 5));  // 1F1B, batched again
  large.parallelism.pipeline_schedule = PipelineSchedule::zero_bubble_h1;
  CHECK(opened(large, 512, 0) == std::pair(2, 4));
  CHECK(opened(large, 512, 7) == std::pair(2, 4));
  large.training.precision = Precision::fp8;  // amax
  CHECK(opened(large, 512, 7) == std::pair(2, 5));
}

TEST_CASE("layers of multi-token prediction are kept, and one loss is at work at a time") {
  Recipe recipe = llama_8b();
  const double layer = ModelTotals(recipe).layer(0).saved_bytes;
  const auto head = [&](int depths) {
    recipe.model.mtp_num_layers = depths;
    return ModelTotals(recipe).head();
  };
  for (int depths = 1; depths <= 2; ++depths) {
    const double kept = head(depths).saved_bytes - head(depths - 1).saved_bytes;
    CHECK(kept > layer);
    CHECK(head(depths).forward_bytes - head(depths - 1).forward_bytes == kept);
  }
}

TEST_CASE("what is outside of the allocator comes from the software's file") {
  const Recipe recipe = llama_8b();
  const MemorySpec& spec = recipe.software.memory;
  const StageMemory memory = memory_of(recipe, 8).front();
  CHECK(memory.cuda_context == static_cast<double>(spec.cuda_context.value.value()));
  CHECK(memory.communicators == static_cast<double>(spec.communicator_of_two.value.value() +
                                                    2 * spec.communicator.value.value()));
  CHECK(memory.user_buffers == 0);
  CHECK(memory.fragmentation ==
        doctest::Approx((spec.reserved_per_allocated.value - 1) * memory.allocated()));
}

TEST_CASE("user buffers hold the hidden states once for each of ten GEMMs, FP8 where it travels") {
  Recipe recipe = llama_405b();
  CHECK(user_buffer_bytes(recipe, ModelTotals(recipe)) == 0);
  overlap_tensor_parallel(recipe, "h100-h16384-tp8-bf16");
  const double elements = 4096.0 * 16384;
  CHECK(user_buffer_bytes(recipe, ModelTotals(recipe)) == 20 * elements);
  recipe.training.precision = Precision::fp8;
  overlap_tensor_parallel(recipe, "h100-h16384-tp8-fp8");
  CHECK(user_buffer_bytes(recipe, ModelTotals(recipe)) == (6 + 4 + 2) * elements);
}

}  // namespace simtrain::testing::memory_test
