#include "sim/output/run/page/run_html_memory.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "sim/output/html/coloured_groups.h"
#include "sim/output/html/html_colours.h"
#include "sim/output/text/unit_text.h"
#include "sim/run/analysis/memory_timeline.h"

namespace simtrain {
namespace {

using Json = nlohmann::ordered_json;

/// Points of a line over one window.
constexpr std::size_t kPoints = 240;

/// Parts of a stage's memory, from the bottom of the picture to its top.
struct PartRow {
  std::string_view name;
  double (*bytes)(const StageMemory& stage);
};
constexpr std::array kParts{
    PartRow{"weights", [](const StageMemory& s) { return s.weights - s.fp8_copies; }},
    PartRow{"FP8 copies", [](const StageMemory& s) { return s.fp8_copies; }},
    PartRow{"gradients", [](const StageMemory& s) { return s.gradients; }},
    PartRow{"optimizer", [](const StageMemory& s) { return s.optimizer; }},
    PartRow{"activations", [](const StageMemory& s) { return s.activations; }},
    PartRow{"loss", [](const StageMemory& s) { return s.loss; }},
    PartRow{"temporary", [](const StageMemory& s) { return s.temporary + s.workspaces; }},
    PartRow{"outside of the allocator", [](const StageMemory& s) { return s.outside(); }}};
static_assert(kParts.size() <= kGroupColours.size());

double rounded_gigabytes(double bytes) { return std::round(bytes / 1e6) / 1e3; }

/// The most that a rank holds in each part of a window.
Json most_held(const RankMemory& memory, const PipelineWindow& window) {
  std::vector<double> most(kPoints, 0);
  const double length = window.to_s - window.from_s;
  const auto place = [&](double seconds) {
    const double share = (seconds - window.from_s) / length;
    return static_cast<std::size_t>(std::clamp(share, 0.0, 1.0) * (kPoints - 1));
  };
  for (std::size_t i = 0; i < memory.points.size(); ++i) {
    const double from = to_seconds(memory.points[i].time);
    const double to =
        i + 1 < memory.points.size() ? to_seconds(memory.points[i + 1].time) : window.to_s;
    if (to <= window.from_s || from >= window.to_s) continue;
    for (std::size_t at = place(from); at <= place(to); ++at)
      most[at] = std::max(most[at], memory.points[i].bytes);
  }
  Json json = Json::array();
  for (const double bytes : most) json.push_back(rounded_gigabytes(bytes));
  return json;
}

}  // namespace

std::vector<MemoryPart> memory_parts(const StageMemory& stage) {
  std::vector<MemoryPart> parts;
  parts.reserve(kParts.size());
  for (const PartRow& part : kParts) parts.push_back({part.name, part.bytes(stage)});
  return parts;
}

Json memory_json(const Report& report) {
  Json parts = Json::array();
  for (std::size_t i = 0; i < kParts.size(); ++i) {
    Json gigabytes = Json::array();
    for (const StageMemory& stage : report.memory)
      gigabytes.push_back(rounded_gigabytes(kParts[i].bytes(stage)));
    parts.push_back(
        {{"name", kParts[i].name}, {"colour", group_colour(i)}, {"gb", std::move(gigabytes)}});
  }
  return {{"capacity_gb", report.memory_capacity / 1e9}, {"parts", std::move(parts)}};
}

Json memory_over_time(const SimulatedStep& simulated, const PipelinePicture& picture) {
  const std::vector<RankMemory> ranks =
      memory_timeline(simulated.scenario.recipe, simulated.cluster.spec().gpu, simulated.grid,
                      simulated.plan, simulated.timeline);
  Json windows = Json::array();
  for (const PipelineWindow& window : picture.windows) {
    Json stages = Json::array();
    for (int stage = 0; stage < picture.stages; ++stage) {
      const auto first = std::find_if(ranks.begin(), ranks.end(),
                                      [&](const RankMemory& rank) { return rank.stage == stage; });
      if (first != ranks.end()) stages.push_back(most_held(*first, window));
    }
    windows.push_back(std::move(stages));
  }
  return windows;
}

Json memory_section(const Report& report) {
  Json names = Json::array();
  for (const PartRow& part : kParts) names.push_back(part.name);
  Json stages = Json::array();
  for (std::size_t stage = 0; stage < report.memory.size(); ++stage) {
    const StageMemory& memory = report.memory[stage];
    Json parts = Json::array();
    for (const PartRow& part : kParts) parts.push_back(gigabytes(part.bytes(memory)));
    stages.push_back({{"stage", stage},
                      {"parts", std::move(parts)},
                      {"total", gigabytes(memory.total())},
                      {"likely", gigabytes(memory.likely())}});
  }
  return {{"capacity", gigabytes(report.memory_capacity)},
          {"parts", std::move(names)},
          {"stages", std::move(stages)}};
}

}  // namespace simtrain
