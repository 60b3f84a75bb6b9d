// Prints where the step time goes, and the calls that cost most of it.
#include <cstdio>

#include <simtrain/simtrain.h>

namespace api = simtrain::api;

int main() {
  const auto data = api::DataFolder::installed();
  const auto recipe = api::Scenario::from_data(data, "llama31_8b_h100").row("bf16-16");
  const api::Result result = api::simulate(recipe);

  double sum = 0;
  for (const api::TimeShare& share : result.breakdown) {
    sum += share.seconds;
    if (share.seconds == 0) continue;
    std::printf("%-22s %9.3f ms %6.2f %%\n", share.name.c_str(), 1e3 * share.seconds,
                100 * share.seconds / result.step_time_s);
  }
  std::printf("%-22s %9.3f ms\n\n", "sum", 1e3 * sum);

  for (const api::Communication& call : result.communication) {
    std::printf("%-4s %-16s %-8s %5lld x %9.1f MB  %9.3f ms, exposed %9.3f ms\n",
                call.group.c_str(), call.collective.c_str(), call.algorithm.c_str(),
                static_cast<long long>(call.count), call.bytes / 1e6, 1e3 * call.total_s,
                1e3 * call.exposed_s);
  }
}
