// The log lines and worked examples of the five documents; data/ holds the lines as they print
// them.
#include <doctest/doctest.h>

#include "sim/measured/run_metrics.h"
#include "sim/measured/training_metrics.h"
#include "tests/core/checkout.h"
#include "tests/measured/lines.h"

namespace simtrain::testing::documented_logs_test {
namespace {

const std::string kData = source_dir() + "/tests/measured/data/";

template <class T>
Sourced<T> known(T value) {
  return {value, "test"};
}

TEST_CASE("000_ece8d9e1a5d97706.txt, lines 233 to 249: a DLLogger record over several lines") {
  const MeasuredRun run = read_log_file(kData + "dllogger-step-12.json", {});
  CHECK(run.format == "dllogger");
  REQUIRE(run.steps.size() == 1);
  CHECK(run.steps[0].number == 12);
  CHECK(run.steps[0].seconds == 118.18969259262084);
  CHECK(run.steps[0].loss == 12.563005447387695F);
  CHECK(run.facts.batch_from_samples.value() == 2016);  // line 291
  CHECK(run.skipped.count == 0);
  CHECK(run.lines == 17);
}

TEST_CASE("000_ece8d9e1a5d97706.txt, lines 289 to 294: training_metrics on that record") {
  TrainingMetricsRequest request;
  request.file = kData + "dllogger-step-12.json";
  request.batch_size = 2016;
  request.num_accelerators = 224;
  request.precision = "fp8";
  request.model_type = "llama3.1-405b";
  request.accelerator_type = "b200";
  MeasuredRun run;
  const TrainingMetrics metrics = training_metrics(request, run);
  CHECK(metrics.average_step_time_s == 118.18969259262084);
  CHECK(fmt::format("{:.2f}", metrics.tflops_per_accelerator) == "1648.87");
  CHECK(fmt::format("{:.4f}", metrics.mfu) == "0.3664");
}

TEST_CASE("001_510f6ce44a84b7c5.txt, line 47, and the examples of lines 55 to 81") {
  const MeasuredRun run = read_log_file(kData + "log-llama31-8b-step-49.out", {});
  CHECK(run.format == "nemo");
  CHECK(run.missed);
  REQUIRE(run.steps.size() == 1);
  CHECK(run.steps[0].number == 49);
  CHECK(run.facts.peak_memory_bytes.value() == 70833405952.0);
  RunFacts facts = facts_of_log(run.facts);
  CHECK(facts.global_batch_size->value == 128);
  CHECK(run.facts.batch_from_samples.value() == 128);
  facts.seq_length = known(8192.0);
  facts.gpus = known(8.0);
  facts.flops_per_sample = known(4.74e14);
  facts.peak_tflops = known(1979.0);
  const RunMetrics metrics = run_metrics(run, facts);
  CHECK(metrics.step_time_s->mean == 12.39);
  CHECK(fmt::format("{:.0f}", *metrics.tokens_per_s) == "84631");
  CHECK(fmt::format("{:.2f}", *metrics.days_per_1t_tokens) == "136.76");
  CHECK(fmt::format("{:.2f}", *metrics.mfu * 100) == "30.93");
}

TEST_CASE("002_2ab7223827e0622b.txt, line 17, and the examples of lines 25 to 31") {
  const MeasuredRun run = read_log_file(kData + "nemotron4-340b-step-99.txt", {});
  CHECK(run.format == "nemo-progress-bar");
  REQUIRE(run.steps.size() == 1);
  CHECK(run.steps[0].number == 99);
  RunFacts facts = facts_of_log(run.facts);
  CHECK(facts.global_batch_size->value == 256);
  facts.seq_length = known(4096.0);
  const RunMetrics metrics = run_metrics(run, facts);
  CHECK(metrics.status == RunStatus::success);
  CHECK(metrics.step_time_s->mean == 3.59);
  CHECK(fmt::format("{:.0f}", *metrics.tokens_per_s) == "292082");
  CHECK(fmt::format("{:.1f}", *metrics.days_per_1t_tokens) == "39.6");
  REQUIRE(metrics.missing.size() == 1);
  CHECK(metrics.missing[0] ==
        "TFLOP/s of the model: not known are the model (--model or --model-flops), the number of "
        "GPUs (--gpus)");
}

TEST_CASE("002_2ab7223827e0622b.txt, lines 43 to 49: MFU of a step of 4.77 s") {
  MeasuredRun run;
  run.steps = {{0, 4.77}};
  RunFacts facts;
  facts.global_batch_size = known(32.0);
  facts.gpus = known(128.0);
  facts.flops_per_sample = known(1.01e16);
  facts.peak_tflops = known(989.0);
  CHECK(fmt::format("{:.2f}", *run_metrics(run, facts).mfu * 100) == "53.52");

  facts.global_batch_size = known(64.0);
  const RunMetrics impossible = run_metrics(run, facts);
  CHECK_FALSE(impossible.mfu);
  CHECK(impossible.missing.back().starts_with("MFU: 107.0 % of the peak is more than a GPU gives"));
}

TEST_CASE("004_380b933fece10253.txt, line 23, and the examples of lines 26 to 38") {
  const MeasuredRun run = read_log_file(kData + "log-nemotron4-15b-step-49.out", {});
  RunFacts facts = facts_of_log(run.facts);
  CHECK(facts.global_batch_size->value == 256);
  CHECK(run.facts.peak_memory_bytes.value() == 72972500992.0);
  facts.seq_length = known(4096.0);
  facts.gpus = known(64.0);
  facts.flops_per_sample = known(434.5e12);
  facts.peak_tflops = known(989.0);
  const RunMetrics metrics = run_metrics(run, facts);
  CHECK(fmt::format("{:.0f}", *metrics.tokens_per_s) == "389371");
  CHECK(fmt::format("{:.1f}", *metrics.days_per_1t_tokens) == "29.7");
  CHECK(fmt::format("{:.2f}", *metrics.mfu * 100) == "65.26");
  // 003_f297fc10c3e3377f.txt, lines 128 to 137: the same with the FLOPs that it corrects.
  facts.flops_per_sample = known(3.85e14);
  CHECK(fmt::format("{:.2f}", *run_metrics(run, facts).mfu * 100) == "57.82");
}

}  // namespace
}  // namespace simtrain::testing::documented_logs_test
