#include "sim/app/bench/bench_sizes.h"

#include <algorithm>
#include <array>
#include <ctime>
#include <fstream>
#include <malloc.h>
#include <vector>

#include <fmt/format.h>

#include "sim/run/simulate.h"

namespace simtrain {
namespace {

constexpr std::array<BenchSize, 7> kSizes{{{2'048, false, "ideal"},
                                           {16'384, false, "ideal"},
                                           {65'536, false, "ideal"},
                                           {131'072, false, "ideal"},
                                           {512, true, "ideal"},
                                           {2'048, true, "ideal"},
                                           {512, true, "ecmp"}}};

/// CPU time of this process. Other programs on the machine do not count.
double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

/// A value of /proc/self/status in bytes; 0 where there is none.
double process_status(std::string_view key) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(key)) return 1024 * std::stod(line.substr(key.size()));
  }
  return 0;
}

/// Forgets the most memory that was held so far: what is free goes back to the system, which counts
/// anew when asked in this file.
void restart_peak() {
  malloc_trim(0);
  std::ofstream("/proc/self/clear_refs") << "5";
}

std::string bench_size_name(const BenchSize& size) {
  return fmt::format("405B, {} GPUs{}{}", size.gpus, size.unfold ? ", every rank" : "",
                     size.routing == "ideal" ? "" : fmt::format(", {}", size.routing));
}

}  // namespace

std::span<const BenchSize> bench_sizes() { return kSizes; }

std::string bench_size_header() {
  return fmt::format("{:<32}{:>8}{:>9}{:>9}{:>10}{:>11}\n", "CPU time by size", "build s",
                     "seconds", "events", "ns/event", "bytes/rank");
}

std::string bench_size_line(const DataFolder& data, const ScenarioSource& source,
                            const BenchSize& size) {
  std::vector<Setting> settings;
  for (const std::string& text :
       {std::string("cluster.name=clos-h100-1to1"), fmt::format("nodes={}", size.gpus / 8),
        fmt::format("gbs={}", size.gpus / 2), fmt::format("hardware.routing={}", size.routing)})
    settings.push_back(parse_setting(text));
  const Scenario scenario = source.scenario(data, "bf16-2048", settings);
  restart_peak();
  const double before = process_status("VmRSS:");
  const double begin = cpu_seconds();
  ClusterCache clusters;
  clusters.get(scenario.cluster);
  const double built = cpu_seconds();
  const EngineFigures engine = simulate(scenario, {size.unfold, &clusters}).engine;
  const double seconds = cpu_seconds() - built;
  const double held = std::max(0.0, process_status("VmHWM:") - before);
  return fmt::format("{:<32}{:>8.3f}{:>9.3f}{:>9}{:>10.0f}{:>11.0f}\n", bench_size_name(size),
                     built - begin, seconds, engine.events,
                     1e9 * seconds / static_cast<double>(engine.events), held / engine.ranks);
}

}  // namespace simtrain
