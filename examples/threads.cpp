// Simulates several scenarios at a time, a thread each, with one data folder.
#include <cstdio>
#include <future>
#include <string>
#include <vector>

#include <simtrain/simtrain.h>

namespace api = simtrain::api;

int main() {
  const auto data = api::DataFolder::installed();
  const auto recipe = api::Scenario::from_data(data, "llama31_8b_h100");

  const std::vector<std::string> rows{"bf16-8", "bf16-16", "fp8-8", "fp8-16"};
  std::vector<std::future<api::Result>> running;
  for (const std::string& row : rows) {
    const api::Scenario scenario = recipe.row(row);
    running.push_back(
        std::async(std::launch::async, [scenario] { return api::simulate(scenario); }));
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const api::Result result = running[i].get();  // throws what simulate() has thrown
    std::printf("%-8s %7.3f s  fingerprint %s\n", rows[i].c_str(), result.step_time_s,
                result.fingerprint.c_str());
  }
}
