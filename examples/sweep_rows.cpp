// Sweeps one key of a recipe on one thread, and prints each row as soon as it is done:
//     sweep_rows [SCENARIO ROW KEY VALUES]
#include <cstdio>
#include <string>
#include <vector>

#include <simtrain/simtrain.h>

namespace api = simtrain::api;

namespace {

void print(const api::SweepRow& row) {
  const char* value = row.values.back().second.c_str();
  if (row.status == api::SweepStatus::ok) {
    std::printf("%s %.17g s\n", value, row.step_time_s);
  } else {
    std::printf("%s %s\n", value, row.reason.c_str());
  }
}

}  // namespace

int main(int count, char** arguments) {
  std::vector<std::string> asked(arguments + 1, arguments + count);
  if (asked.empty()) asked = {"llama31_8b_h100", "bf16-8", "training.seq_length", "1024:8192:1024"};
  if (asked.size() != 4) {
    std::printf("sweep_rows [SCENARIO ROW KEY VALUES]\n");
    return 2;
  }
  api::SweepOptions options;
  options.threads = 1;
  try {
    const auto data = api::DataFolder::installed();
    const auto recipe = api::Scenario::from_data(data, asked[0]).row(asked[1]);
    api::sweep(recipe, {{asked[2], asked[3]}}, print, options);
  } catch (const api::InputError& error) {
    std::printf("%s\n", error.what());
    return 2;
  }
}
