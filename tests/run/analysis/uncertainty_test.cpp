#include "sim/run/uncertainty/uncertainty.h"

#include <cmath>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>

#include <doctest/doctest.h>

#include "sim/core/files/data_folder.h"
#include "sim/run/simulate.h"
#include "tests/core/checkout.h"
#include "tests/core/data_folder.h"
#include "tests/core/error_of.h"

namespace simtrain::testing::uncertainty_test {

namespace {

KindError kind(Share share, double error) {
  KindError row;
  row.share = share;
  row.relative_error.value = error;
  return row;
}

/// 6 s of GEMMs and 4 s of attention on 8 GPUs.
PredictedStep ten_seconds() {
  PredictedStep step;
  step.time_s = 10;
  part(step.breakdown, Share::gemm) = 6;
  part(step.breakdown, Share::attention) = 4;
  step.gpu = "h100-sxm";
  step.precision = Precision::fp8;
  step.head_dimension = 128;
  step.gpus = 8;
  step.gpus_per_node = 8;
  return step;
}

UncertaintySpec spec_of(std::vector<KindError> kinds) {
  UncertaintySpec spec;
  spec.scale.value = 1;
  spec.run_to_run.value = 0.01;
  spec.per_doubling.value = 0.02;
  for (const auto& [name, known] : EnumNames<StackKnowledge>::rows)
    spec.stacks.push_back({known, {}, {}});
  spec.machines.emplace_back();
  spec.kinds = std::move(kinds);
  return spec;
}

/// What loading the data file says with these rows before its own.
std::string refusal_with(const std::string& rows) {
  namespace fs = std::filesystem;
  const fs::path source = simtrain::testing::source_dir() + "/hardware";
  const fs::path root = fs::temp_directory_path() /
                        ("simtrain-uncertainty-" + std::to_string(std::hash<std::string>()(rows)));
  fs::create_directories(root / "hardware");
  fs::copy(source / "gpus", root / "hardware/gpus", fs::copy_options::recursive);
  std::ostringstream text;
  text << std::ifstream(source / "uncertainty.yaml").rdbuf();
  std::string file = text.str();
  file.insert(file.find("kinds:\n") + 7, rows);
  std::ofstream(root / "hardware/uncertainty.yaml") << file;
  std::string result = error_of([&] { load_uncertainty(DataFolder(root.string())); });
  fs::remove_all(root);
  return result;
}

}  // namespace

TEST_CASE("A row that would never count is refused") {
  const std::string error = "relative_error: {value: 0.1, source: assumed}}\n";
  CHECK(refusal_with("  - {share: gemm, precision: fp8, " + error).empty());
  CHECK(refusal_with("  - {share: gemm, " + error)
            .ends_with(":28:5: share: 'gemm' has a row without conditions above, which counts"));
  CHECK(refusal_with("  - {share: gemm, gpu: h101-sxm, " + error)
            .ends_with(":27:5: gpu: 'h101-sxm' is not in hardware/gpus; did you mean 'h100-sxm'?"));
}

TEST_CASE("A row of a block counts for models whose layers have it") {
  KindError sparse = kind(Share::attention, 0.4);
  sparse.block = BlockKind::dsa;
  const UncertaintySpec spec =
      spec_of({kind(Share::gemm, 0.05), sparse, kind(Share::attention, 0.1)});
  PredictedStep step = ten_seconds();
  step.blocks = {BlockKind::mla, BlockKind::mlp};
  CHECK(step_error(spec, step).relative == doctest::Approx(std::sqrt(0.0026)));
  step.blocks.push_back(BlockKind::dsa);
  CHECK(step_error(spec, step).relative == doctest::Approx(std::sqrt(0.0266)));
}

TEST_CASE("The error of a step is its shares' errors, doublings and noise, added as squares") {
  UncertaintySpec spec = spec_of({kind(Share::gemm, 0.05), kind(Share::attention, 0.1)});
  PredictedStep step = ten_seconds();
  // 0.6 * 5 % = 3 %, 0.4 * 10 % = 4 %, noise 1 %.
  CHECK(step_error(spec, step).relative == doctest::Approx(std::sqrt(0.0026)));
  step.gpus = 64;  // three doublings of 2 %
  CHECK(step_error(spec, step).relative == doctest::Approx(std::sqrt(0.0026 + 0.0036)));
  step.gpus = 4;  // less than a node
  CHECK(step_error(spec, step).relative == doctest::Approx(std::sqrt(0.0026)));
  spec.scale.value = 0.5;
  CHECK(step_error(spec, step).relative == doctest::Approx(0.5 * std::sqrt(0.0026)));
}

TEST_CASE("Messages beside passes save no more than what a step takes longer than these") {
  UncertaintySpec spec = spec_of({kind(Share::gemm, 0), kind(Share::data_parallel, 0.4)});
  spec.run_to_run.value = 0;
  PredictedStep step = ten_seconds();
  step.breakdown = {};
  part(step.breakdown, Share::gemm) = 1;
  part(step.breakdown, Share::data_parallel) = 9;
  step.dp_messages_s = 9;
  CHECK(step_error(spec, step).relative == doctest::Approx(0.36));
  CHECK(!step_error(spec, step).faster);  // nothing is known of its passes
  step.passes_s = 8;
  const StepError error = step_error(spec, step);
  CHECK(error.relative == doctest::Approx(0.36));
  CHECK(*error.faster == doctest::Approx(std::log(10.0 / 8) / kNineOfTen));
  CHECK(interval_90(10, error).low == doctest::Approx(8));
  CHECK(interval_90(10, error).high == doctest::Approx(10 * std::exp(kNineOfTen * 0.36)));
  part(step.breakdown, Share::data_parallel) = 0.1;  // hidden, but for the end
  part(step.breakdown, Share::gemm) = 9.9;
  step.passes_s = 9.9;
  const StepError hidden = step_error(spec, step);
  CHECK(hidden.relative == doctest::Approx(0.4 - std::log(10.0 / 9) / kNineOfTen));
  CHECK(interval_90(10, hidden).high == doctest::Approx(9 * std::exp(kNineOfTen * 0.4)));
  step.dp_messages_s = 2;  // far from showing
  CHECK(step_error(spec, step).relative == doctest::Approx(0.004));
}

TEST_CASE("An interval does not reach below that of a network that is free") {
  Scenario scenario = ScenarioSource::from_text(R"(
name: sharded
source: test
cluster: {name: dgx-superpod-h100, gpus: 64, placement: compact}
software: nemo-25.04.01
model: llama3.1-8b
training: {precision: bf16, seq_length: 8192, micro_batch_size: 1, global_batch_size: 64}
parallelism: {tensor_model_parallel_size: 1, pipeline_model_parallel_size: 1, sequence_parallel: false}
overlap: {tp_comm_overlap: false, overlap_p2p_comm: false, overlap_grad_reduce: true, overlap_param_gather: true}
optimizer: {distributed: true, grad_reduce_dtype: bf16, bucket_size_mb: 200}
sharding: {strategy: fsdp2}
recompute: full
)",
                                                "")
                          .scenario(simtrain::testing::data_folder(), "", {});
  std::optional<Interval> fastest;
  double high = 0;
  for (const double gigabits : {400.0, 100.0, 50.0, 35.0, 25.0, 12.0}) {
    CAPTURE(gigabits);
    scenario.cluster.node.nic_bandwidth.value = Bandwidth(gigabits * 1e9 / 8);
    const Interval now = simulate(scenario).step_time_interval();
    if (!fastest) fastest = now;
    CHECK(now.low >= 0.99 * fastest->low);
    CHECK(now.high >= high);
    high = now.high;
  }
}

TEST_CASE("Of a share the first row counts whose conditions hold") {
  KindError other_gpu = kind(Share::gemm, 1);
  other_gpu.gpu = "b200-sxm";
  KindError other_precision = kind(Share::gemm, 2);
  other_precision.precision = Precision::bf16;
  KindError other_heads = kind(Share::gemm, 3);
  other_heads.head_dimension = 64;
  KindError this_gpu = kind(Share::gemm, 0.1);
  this_gpu.gpu = "h100-sxm";
  this_gpu.precision = Precision::fp8;
  this_gpu.head_dimension = 128;
  const UncertaintySpec spec =
      spec_of({other_gpu, other_precision, other_heads, this_gpu, kind(Share::gemm, 4)});
  CHECK(step_error(spec, ten_seconds()).relative ==
        doctest::Approx(std::sqrt(0.06 * 0.06 + 0.0001)));
}

TEST_CASE("Nine of ten normal errors lie in the interval") {
  const Interval interval = interval_90(10, {0.05, 0, {}});
  CHECK(interval.low == doctest::Approx(10 * std::exp(-0.0822427)));
  CHECK(interval.high == doctest::Approx(10 * std::exp(0.0822427)));
  CHECK(interval.holds(10.8));
  CHECK_FALSE(interval.holds(10.9));
  CHECK(interval.holds(9.3));
  CHECK_FALSE(interval.holds(9.2));
}

TEST_CASE("Stack and machine add to the error; a stack known less widens the slow side alone") {
  UncertaintySpec spec = spec_of({kind(Share::gemm, 0.05), kind(Share::attention, 0.1)});
  spec.scale.value = 0.5;  // of what is within a machine and stack that are known
  spec.machines.front().relative_error.value = 0.02;
  spec.stacks[2].relative_error.value = 0.03;
  spec.stacks[2].slower.value = 0.2;
  PredictedStep step = ten_seconds();
  CHECK(step_error(spec, step).relative == doctest::Approx(std::sqrt(0.00065 + 0.0004)));
  CHECK(step_error(spec, step).slower == 0);
  step.stack = StackKnowledge::described;
  const StepError error = step_error(spec, step);
  CHECK(error.relative == doctest::Approx(std::sqrt(0.00065 + 0.0004 + 0.0009)));
  CHECK(error.slower == 0.2);
  REQUIRE(error.causes.size() >= 3);
  CHECK(error.causes[0].cause == "software");
  CHECK(error.causes[0].slower);
  CHECK(error.causes[1].cause == "software");
  const Interval interval = interval_90(10, error);
  CHECK(interval.low == doctest::Approx(10 * std::exp(-kNineOfTen * error.relative)));
  CHECK(interval.high ==
        doctest::Approx(10 * std::exp(kNineOfTen * std::hypot(error.relative, 0.2))));
}

TEST_CASE("The machine row of the GPU counts, else the last") {
  UncertaintySpec spec = spec_of({kind(Share::gemm, 0), kind(Share::attention, 0)});
  spec.run_to_run.value = 0;
  MachineError own;
  own.gpu = "h100-sxm";
  own.relative_error.value = 0.01;
  spec.machines.front().relative_error.value = 0.05;
  spec.machines.insert(spec.machines.begin(), own);
  PredictedStep step = ten_seconds();
  CHECK(step_error(spec, step).relative == doctest::Approx(0.01));
  step.gpu = "b200-sxm";
  CHECK(step_error(spec, step).relative == doctest::Approx(0.05));
}

TEST_CASE("The data file has a row for every share, and says where its values come from") {
  const UncertaintySpec spec = load_uncertainty(DataFolder(simtrain::testing::source_dir()));
  for (const KindError& row : spec.kinds) {
    CAPTURE(name_of(row.share));
    CHECK(row.relative_error.value > 0);
    CHECK(row.relative_error.source.size() > 5);
  }
}

}  // namespace simtrain::testing::uncertainty_test
