// Any bytes at all, read as a scenario, its rows and `--set` arguments: only InputError may come
// out. What is small enough is simulated as well.
//
// Input: a scenario's text; then, behind a line "====", one KEY=VALUE a line. Where the text is
// empty, a good scenario replaces it, so that mutations reach the checks behind the reader.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

#include "sim/core/invariant.h"
#include "sim/run/simulate.h"
#include "tests/core/checkout.h"

namespace {

using simtrain::Scenario;
using simtrain::ScenarioSource;
using simtrain::Setting;

constexpr std::string_view kGood = R"(name: good
source: the fuzz target
cluster: {name: dgx-superpod-h100, nodes: 4}
software: nemo-25.02
model: llama3.1-8b
training: {precision: bf16, seq_length: 8192, micro_batch_size: 1, global_batch_size: 32}
parallelism: {tensor_model_parallel_size: 2, pipeline_model_parallel_size: 2, sequence_parallel: true}
overlap: {tp_comm_overlap: false, overlap_p2p_comm: true, overlap_grad_reduce: true, overlap_param_gather: true}
optimizer: {distributed: true, grad_reduce_dtype: bf16, bucket_size_mb: 125}
)";

bool small(const Scenario& scenario) {
  const simtrain::Recipe& recipe = scenario.recipe;
  const double replicas = static_cast<double>(scenario.gpus()) /
                          (static_cast<double>(recipe.tp()) * recipe.cp() * recipe.pp());
  const double micro_batches =
      recipe.training.global_batch_size / replicas / recipe.training.micro_batch_size;
  return scenario.cluster.gpus() <= 128 && micro_batches * recipe.pp() * recipe.vp() <= 512 &&
         recipe.vp() * recipe.pp() <= 64;
}

void simulate_small(const Scenario& scenario) {
  const simtrain::Report report = simtrain::simulate(scenario);
  double sum = 0;
  for (const double share : report.breakdown) sum += share;
  simtrain::invariant(report.step_time_s > 0 && std::isfinite(report.mfu), "a step takes time");
  simtrain::invariant(std::abs(sum / report.step_time_s - 1) < 1e-6, "the breakdown is the step");
}

void read(const std::string& text, const std::vector<Setting>& settings) {
  static const simtrain::DataFolder data(simtrain::testing::source_dir());
  const auto source = ScenarioSource::from_text(text, "fuzz.yaml");
  std::vector<std::string> rows = source.row_names();
  if (rows.empty()) rows.emplace_back();
  for (std::size_t i = 0; i < std::min<std::size_t>(rows.size(), 2); ++i) {
    const Scenario scenario = source.scenario(data, rows[i], settings);
    if (small(scenario)) simulate_small(scenario);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::istringstream stream(std::string(data, data + size));
  std::string text;
  std::vector<Setting> settings;
  bool behind = false;
  try {
    for (std::string line; std::getline(stream, line);) {
      if (line == "====") {
        behind = true;
      } else if (behind) {
        settings.push_back(simtrain::parse_setting(line));
      } else {
        text += line + "\n";
      }
    }
    read(text.empty() ? std::string(kGood) : text, settings);
  } catch (const simtrain::InputError&) {  // what a wrong scenario deserves
  }
  return 0;
}
