#include <chrono>
#include <cstdint>

#include <fmt/format.h>

#include "sim/app/bench/bench_sizes.h"
#include "sim/app/command.h"
#include "sim/core/threads/parallel_each.h"
#include "sim/run/simulate.h"

namespace simtrain {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

ScenarioSource bench_source(const CommandCall& call, std::string_view name) {
  return ScenarioSource::from_file(fmt::format("{}/scenarios/{}.yaml", call.data.root(), name));
}

struct BenchCase {
  std::string_view scenario;
  std::string_view row;
  bool unfold;
};

constexpr std::array<BenchCase, 3> kCases{{{"llama405b_a4_224", "", false},
                                           {"llama31_405b_h100", "bf16-2048", false},
                                           {"llama31_405b_h100", "bf16-512", true}}};

std::string case_line(const CommandCall& call, const BenchCase& test) {
  const Scenario scenario =
      bench_source(call, test.scenario).scenario(call.data, std::string(test.row), {});
  const Report report = simulate(scenario, {test.unfold});
  const std::string name = fmt::format("{}{}{}{}", test.scenario, test.row.empty() ? "" : " ",
                                       test.row, test.unfold ? " unfolded" : "");
  return fmt::format(
      "{:<36}{:>8}{:>9.3f}{:>9.0f}  {}\n", name, report.engine.events, report.engine.wall_s,
      static_cast<double>(report.engine.events) / report.engine.wall_s, report.engine.fingerprint);
}

/// What-if plans of Llama 3.1 405B: TP, PP and VP.
constexpr std::array<std::array<int, 3>, 8> kPlans{
    {{8, 8, 8}, {8, 8, 4}, {8, 16, 4}, {8, 16, 8}, {4, 16, 4}, {4, 16, 8}, {4, 8, 8}, {8, 8, 1}}};
constexpr std::array<int, 4> kNodes{64, 128, 256, 512};

/// One pass over the plans on so many nodes, from settings to reports, in one thread.
std::string plans_line(const CommandCall& call, const ScenarioSource& source, int nodes) {
  const Clock::time_point begin = Clock::now();
  ClusterCache clusters;
  std::uint64_t events = 0;
  for (const auto& [tp, pp, vp] : kPlans) {
    std::vector<Setting> settings;
    for (const std::string& text :
         {fmt::format("nodes={}", nodes), fmt::format("gbs={}", 4 * nodes),
          fmt::format("tp={}", tp), fmt::format("pp={}", pp), fmt::format("vp={}", vp)})
      settings.push_back(parse_setting(text));
    const Scenario scenario = source.scenario(call.data, "bf16-512", settings);
    events += simulate(scenario, {false, &clusters}).engine.events;
  }
  const double seconds = seconds_since(begin);
  return fmt::format("{:<36}{:>8}{:>9.3f}{:>9.0f}{:>15.0f}\n",
                     fmt::format("{} plans of 405B, {} GPUs", kPlans.size(), 8 * nodes), events,
                     seconds, static_cast<double>(events) / seconds,
                     static_cast<double>(kPlans.size()) / seconds);
}

CommandResult bench_command(const CommandCall& call) {
  if (!call.arguments.empty()) throw InputError({}, "", "bench takes no arguments");
  std::string out = fmt::format("{:<36}{:>8}{:>9}{:>9}  {}\n", "scenario", "events", "seconds",
                                "events/s", "fingerprint");
  const Watch bar = call.console.bar("lines");
  const std::size_t lines = kCases.size() + bench_sizes().size() + kNodes.size();
  std::size_t done = 0;
  for (const BenchCase& test : kCases) {
    out += case_line(call, test);
    bar(++done, lines);
  }
  const ScenarioSource source = bench_source(call, "llama31_405b_h100");
  out += "\n" + bench_size_header();
  for (const BenchSize& size : bench_sizes()) {
    out += bench_size_line(call.data, source, size);
    bar(++done, lines);
  }
  out += fmt::format("\n{:<36}{:>8}{:>9}{:>9}{:>15}\n", "one thread, settings to reports", "events",
                     "seconds", "events/s", "simulations/s");
  for (const int nodes : kNodes) {
    out += on_one_core([&] { return plans_line(call, source, nodes); });
    bar(++done, lines);
  }
  return {out};
}

}  // namespace

const CommandRow kBenchCommand{
    "bench",
    "measures the engine",
    "simtrain bench",
    "Times fixed scenarios: events (those of periods that are as the one before, which are written "
    "and not simulated, among them), events per second, fingerprint. Then Llama 3.1 405B under "
    "weak scaling on 512 to 131,072 GPUs: CPU seconds to build the cluster and to simulate, CPU "
    "nanoseconds of an event, bytes of memory of a simulated rank at the most. Then what-if plans "
    "on 512 to 4,096 GPUs as a sweep does, in one process with shared clusters: simulations per "
    "second of one thread. tools/compare_bench compares two builds by it.",
    bench_command,
    {}};

}  // namespace simtrain
