// The worked examples of the five documents, to their printed digits.

#include "sim/run/figures/metrics.h"

#include <string>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "sim/core/files/data_folder.h"
#include "sim/workload/model/fields/model_fields.h"
#include "tests/core/checkout.h"

namespace simtrain::testing::metrics_test {

namespace {

ModelSpec model(const std::string& name) {
  return DataFolder(simtrain::testing::source_dir())
      .load<ModelSpec>("scenarios/models", name, {}, "model");
}

double mfu(double flops, double batch, double step_time_s, double gpus, double peak_tflops) {
  return model_flops_utilization(tflops_per_gpu(flops, batch, step_time_s, gpus), peak_tflops);
}

std::string tokens(double seq_length, double batch, double step_time_s) {
  return fmt::format("{:.0f}", tokens_per_second(seq_length, batch, step_time_s));
}

}  // namespace

TEST_CASE("throughput is as in the examples of 001, 002 and 003") {
  CHECK(tokens(8192, 128, 12.39) == "84631");
  CHECK(tokens(4096, 256, 3.59) == "292082");
  CHECK(tokens(4096, 256, 2.693) == "389371");
}

TEST_CASE("days to train are as in the examples of 001, 002 and 003") {
  CHECK(fmt::format("{:.2f}", days_per_trillion_tokens(84631)) == "136.76");
  CHECK(fmt::format("{:.1f}", days_per_trillion_tokens(292082)) == "39.6");
  CHECK(fmt::format("{:.1f}", days_per_trillion_tokens(389371)) == "29.7");
}

TEST_CASE("MFU is as in the examples of 001, 002, 004 and 003") {
  CHECK(fmt::format("{:.2f}", 100 * mfu(4.74e14, 128, 12.39, 8, 1979)) == "30.93");
  CHECK(fmt::format("{:.2f}", 100 * mfu(1.01e16, 32, 4.77, 128, 989)) == "53.52");
  CHECK(fmt::format("{:.2f}", 100 * mfu(434.5e12, 256, 2.693, 64, 989)) == "65.26");
  CHECK(fmt::format("{:.2f}", 100 * mfu(3.85e14, 256, 2.693, 64, 989)) == "57.82");
}

TEST_CASE("the FLOPs of a sample of Llama 3.1 8B are those worked out in 001") {
  const double flops =
      model_flops_per_sample(model("llama3.1-8b"), 8192, MfuConvention::nvidia_dgxc);
  CHECK(flops == 8192.0 * (20937965568.0 + 33822867456.0 + 3152019456.0));
  CHECK(fmt::format("{:.2e}", flops) == "4.74e+14");
}

TEST_CASE("each convention counts the blocks' products as its document's formula does") {
  for (const std::string name :
       {"llama3.1-8b", "llama3.1-70b", "llama3.1-405b", "nemotron4-15b", "nemotron4-340b"}) {
    CAPTURE(name);
    const ModelSpec spec = model(name);
    const double layers = spec.num_layers;
    const auto h = static_cast<double>(spec.hidden_size);
    const auto f = static_cast<double>(spec.ffn_hidden_size);
    const auto s = 8192.0;
    const double k = spec.activation == Activation::swiglu ? 18 : 12;
    const auto formula = [&](double groups, double square) {
      return s * (12 * layers * h * h * (1 + groups + square * s / h) + k * layers * f * h +
                  6 * static_cast<double>(spec.vocab_size) * h);
    };
    const auto folded = [&](MfuConvention way) { return model_flops_per_sample(spec, 8192, way); };
    const double groups = static_cast<double>(spec.num_query_groups) / spec.num_attention_heads;
    CHECK(folded(MfuConvention::nvidia_dgxc) == doctest::Approx(formula(groups, 1)).epsilon(1e-12));
    CHECK(folded(MfuConvention::causal) == doctest::Approx(formula(groups, 0.5)).epsilon(1e-12));
    CHECK(folded(MfuConvention::nvidia_dgxc_mha) == doctest::Approx(formula(1, 1)).epsilon(1e-12));
  }
}

TEST_CASE("the FLOPs of a sample of Nemotron4 are those worked out in 003") {
  const double small =
      model_flops_per_sample(model("nemotron4-15b"), 4096, MfuConvention::nvidia_dgxc);
  CHECK(small == 4096.0 * 93994352640.0);
  CHECK(fmt::format("{:.2e}", small) == "3.85e+14");
  const double large =
      model_flops_per_sample(model("nemotron4-340b"), 4096, MfuConvention::nvidia_dgxc);
  CHECK(large == 4096 * (510966890496.0 + 1565515579392.0 + 28311552000.0));
  CHECK(fmt::format("{:.5e}", large) == "8.62124e+15");
}

TEST_CASE("the older formula without grouped queries is that of 002") {
  const double flops =
      model_flops_per_sample(model("nemotron4-340b"), 4096, MfuConvention::nvidia_dgxc_mha);
  CHECK(flops == 4096 * (869730877440.0 + 1565515579392.0 + 28311552000.0));
  CHECK(fmt::format("{:.2e}", flops) == "1.01e+16");
}

// 004 prints 38666279738 for its attention term, which is 38654705664; its rounded 434.5e12 holds.
TEST_CASE("the older formula gives the 434.5e12 of 004") {
  const double flops =
      model_flops_per_sample(model("nemotron4-15b"), 4096, MfuConvention::nvidia_dgxc_mha);
  CHECK(flops == 4096 * (38654705664.0 + 57982058496.0 + 9437184000.0));
  CHECK(fmt::format("{:.1f}e12", flops / 1e12) == "434.5e12");
}

TEST_CASE(
    "the TFLOPS per GPU that 003 logged follow from its own formula to a hundredth of a percent") {
  const double flops =
      model_flops_per_sample(model("nemotron4-340b"), 4096, MfuConvention::nvidia_dgxc);
  CHECK(tflops_per_gpu(flops, 512, 21.542, 128) == doctest::Approx(1600.74).epsilon(1e-4));
}

TEST_CASE("the training_metrics tool counts by its table for the models it knows") {
  ModelSpec llama = model("llama3.1-405b");
  CHECK(model_flops_per_sample(llama, 8192, MfuConvention::google_training_metrics) == 2.16533e16);
  llama.num_layers = 62;
  CHECK(model_flops_per_sample(llama, 8192, MfuConvention::google_training_metrics) ==
        model_flops_per_sample(llama, 8192, MfuConvention::nvidia_dgxc));
}

TEST_CASE("causal counting leaves out half of the attention square") {
  const ModelSpec llama = model("llama3.1-8b");
  CHECK(model_flops_per_sample(llama, 8192, MfuConvention::nvidia_dgxc) -
            model_flops_per_sample(llama, 8192, MfuConvention::causal) ==
        doctest::Approx(8192.0 * 12 * 32 * 4096 * 8192 / 2));
}

}  // namespace simtrain::testing::metrics_test
