#include <fmt/format.h>

#include "sim/app/command.h"
#include "sim/run/simulate.h"

namespace simtrain {
namespace {

struct BenchCase {
  std::string_view scenario;
  std::string_view row;
  bool unfold;
};

constexpr std::array<BenchCase, 3> kCases{{{"llama405b_a4_224", "", false},
                                           {"llama31_405b_h100", "bf16-2048", false},
                                           {"llama31_405b_h100", "bf16-512", true}}};

}  // namespace

CommandResult bench_command(const CommandCall& call) {
  if (!call.arguments.empty()) throw InputError({}, "", "bench takes no arguments");
  std::string out = fmt::format("{:<34}{:>10}{:>10}{:>14}  {}\n", "scenario", "events", "seconds",
                                "events/s", "fingerprint");
  for (const BenchCase& test : kCases) {
    const auto source = ScenarioSource::from_file(
        fmt::format("{}/scenarios/{}.yaml", call.data.root(), test.scenario));
    const Report report =
        simulate(source.scenario(call.data, std::string(test.row), {}), {test.unfold});
    const std::string name = fmt::format("{}{}{}{}", test.scenario, test.row.empty() ? "" : " ",
                                         test.row, test.unfold ? " unfolded" : "");
    out += fmt::format("{:<34}{:>10}{:>10.3f}{:>14.0f}  {}\n", name, report.engine.events,
                       report.engine.wall_s,
                       static_cast<double>(report.engine.events) / report.engine.wall_s,
                       report.engine.fingerprint);
  }
  return {out};
}

}  // namespace simtrain
