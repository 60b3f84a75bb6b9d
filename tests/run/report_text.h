#pragma once

#include <string>

#include <fmt/format.h>

#include "sim/run/results/report.h"

namespace simtrain::testing {

/// All that a report says of a step, a fact a line, but how the engine came to it: time taken,
/// events, ranks simulated.
inline std::string text_of(const Report& report) {
  std::string text = fmt::format(
      "scenario {}\nlayout {}\nfingerprint {}\nstep {:a}\nerror {:a}\nspread {:a} {}\n",
      report.scenario, report.layout, report.engine.fingerprint, report.step_time_s,
      report.step_time_error.relative, report.step_spread.group_s, report.step_spread.groups);
  text += fmt::format("clock {:a}\nmfu {:a}\n", report.clock, report.mfu);
  for (std::size_t i = 0; i < kShares; ++i)
    text += fmt::format("{} {:a}\n", name_of(static_cast<Share>(i)), report.breakdown[i]);
  text += fmt::format("memory of {:a}", report.memory_capacity);
  for (const StageMemory& stage : report.memory)
    text += fmt::format(" {:a} {:a}", stage.total(), stage.allocated());
  for (const CommunicationRow& row : report.communication)
    text += fmt::format("\ncalls {} {} {} {} {} {} {:a} {:a}", row.group,
                        static_cast<int>(row.collective), static_cast<int>(row.algorithm),
                        static_cast<int>(row.protocol), row.bytes.value(), row.count, row.total_s,
                        row.exposed_s);
  for (const HopRow& row : report.placement.hops) {
    text += "\nhops " + row.group;
    for (const std::int64_t hops : row.hops) text += fmt::format(" {}", hops);
  }
  if (const auto& link = report.placement.busiest_link)
    text += fmt::format("\nlink {} {:a}", link->name, link->load);
  text += fmt::format("\nenergy {:a} trace", report.energy.total_joules());
  for (const double watts : report.energy.trace.mean_w) text += fmt::format(" {:a}", watts);
  return text + "\n";
}

}  // namespace simtrain::testing
