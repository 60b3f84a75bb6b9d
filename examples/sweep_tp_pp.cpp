// Sweeps tensor and pipeline parallelism, and prints what each combination comes to.
#include <cstdio>
#include <string>

#include <simtrain/simtrain.h>

namespace api = simtrain::api;

namespace {

std::string name_of(const api::SweepRow& row) {
  std::string name;
  for (const auto& [key, value] : row.values) name += key + " " + value + "  ";
  return name;
}

void print(const api::SweepRow& row) {
  if (row.status == api::SweepStatus::ok) {
    std::printf("%s%7.3f s  MFU %.1f %%\n", name_of(row).c_str(), row.step_time_s, 100 * row.mfu);
  } else {
    std::printf("%s%s\n", name_of(row).c_str(), row.reason.c_str());
  }
}

}  // namespace

int main() {
  const auto data = api::DataFolder::installed();
  const auto recipe = api::Scenario::from_data(data, "llama31_8b_h100").row("bf16-16");

  const auto rows = api::sweep(recipe, {{"tp", "1,2,4"}, {"pp", "1,2"}});
  for (const api::SweepRow& row : rows) print(row);
  if (const api::SweepRow* best = api::fastest(rows)) {
    std::printf("fastest that fits: %s\n", name_of(*best).c_str());
  }
}
