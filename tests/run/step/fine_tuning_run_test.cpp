// Fine-tuning from a scenario to its report: all ranks alike, the READMEs' FLOPs, and what is
// saved.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "tests/run/scenarios.h"

namespace simtrain::testing::fine_tuning_run_test {

namespace {

using Settings = std::vector<std::string>;

Scenario llama_70b(const Settings& settings) {
  return scenario("llama31_70b_h100", "bf16-64", settings);
}

const Settings kAdapters{"lora.rank=16", "overlap.defer_embedding_wgrad_compute=false"};

/// MFU in % of a run of NVIDIA/dgxc-benchmarking v25.02 llama3/finetuning, in BF16.
double readme_mfu(Scenario of, double batch, double seconds, int gpus) {
  of.recipe.training.seq_length = 4096;
  const double flops = model_flops_per_sample(of.recipe, MfuConvention::nvidia_dgxc_finetune);
  return 100 * tflops_per_gpu(flops, batch, seconds, gpus) / 989;
}

}  // namespace

TEST_CASE("Fine-tuned jobs folded by class and unfolded agree exactly") {
  for (const Settings& more : {Settings{}, Settings{"training.precision=fp8", "vp=1"},
                               Settings{"lora.target_modules=[linear_fc2]"}}) {
    Settings settings = kAdapters;
    settings.insert(settings.end(), more.begin(), more.end());
    settings.insert(settings.end(), {"cp=1", "packed_sequences.mean_document=500"});
    const Report folded = simulate(llama_70b(settings), {});
    const Report unfolded = simulate(llama_70b(settings), {true});
    CHECK(unfolded.engine.ranks_simulated == unfolded.gpus);
    CHECK(folded.engine.ranks_simulated < folded.gpus);
    CHECK(folded.step_time_s == unfolded.step_time_s);
    CHECK(folded.engine.fingerprint == unfolded.engine.fingerprint);
  }
}

TEST_CASE("Adapters alone take less time and memory than all weights") {
  const Report all = simulate(llama_70b({"overlap.defer_embedding_wgrad_compute=false"}), {});
  const Report adapters = simulate(llama_70b(kAdapters), {});
  CHECK(adapters.step_time_s < all.step_time_s);
  CHECK(adapters.fullest_stage().optimizer < 0.01 * all.fullest_stage().optimizer);
  CHECK(adapters.fullest_stage().gradients < 0.01 * all.fullest_stage().gradients);
  CHECK(all.parameters.trained == all.parameters.model);
  CHECK(adapters.parameters.model == all.parameters.model + adapters.parameters.trained);
}

TEST_CASE("One document a sequence is a sequence") {
  const Report plain = simulate(llama_70b({"cp=1"}), {});
  const Report packed = simulate(llama_70b({"cp=1", "packed_sequences.mean_document=8192"}), {});
  CHECK(packed.step_time_s == plain.step_time_s);
  CHECK(packed.engine.fingerprint == plain.engine.fingerprint);
  CHECK(packed.mfu == plain.mfu);
  const Report documents = simulate(llama_70b({"cp=1", "packed_sequences.mean_document=500"}), {});
  CHECK(documents.step_time_s < plain.step_time_s);
}

TEST_CASE("Documents of unlike lengths take what theirs do, not all of them what short ones do") {
  const auto attention = [](const std::string& packed) {
    return part(simulate(llama_70b({"cp=1", "packed_sequences." + packed}), {}).breakdown,
                Share::attention);
  };
  const double whole = attention("mean_document=8192");
  const double mixed =
      attention("documents=[{length: 128, share: 0.99}, {length: 8192, share: 0.01}]");
  const double alike = attention("mean_document=3295");  // of as many pairs
  CHECK(mixed < 0.7 * whole);
  CHECK(mixed > alike);
  CHECK(mixed < 1.3 * alike);
}

TEST_CASE("FLOPs are those of the READMEs of fine-tuning: no attention, 4 of 6 with LoRA") {
  constexpr double kRounded = 0.007;  // they round FLOPs of a sample to three digits
  const auto small = [](const Settings& settings) {
    return scenario("llama31_8b_h100", "bf16-8", settings);
  };
  CHECK(readme_mfu(small({}), 32, 1.32, 8) == doctest::Approx(56.38).epsilon(kRounded));
  CHECK(readme_mfu(small({}), 128, 1.33, 32) == doctest::Approx(55.95).epsilon(kRounded));
  CHECK(readme_mfu(small({"lora.rank=8"}), 32, 0.92, 8) == doctest::Approx(53.9).epsilon(kRounded));
  CHECK(readme_mfu(llama_70b({}), 32, 3.36, 32) == doctest::Approx(51.1).epsilon(kRounded));
  CHECK(readme_mfu(llama_70b(kAdapters), 32, 9.118, 8) == doctest::Approx(50.3).epsilon(kRounded));
  CHECK(readme_mfu(llama_70b(kAdapters), 64, 9.4, 16) == doctest::Approx(48.7).epsilon(kRounded));
}

}  // namespace simtrain::testing::fine_tuning_run_test
