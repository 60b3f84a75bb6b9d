#pragma once

#include <string>
#include <vector>

#include "sim/app/arguments/study_options.h"
#include "sim/app/command.h"
#include "sim/app/options/shared_rows.h"
#include "sim/study/tune/plan_limits.h"

namespace simtrain {

// What both ways to call `tune` ask: a scenario, sizes, and which plans count.

inline constexpr std::array kScenarioRows{kScenarioArgument, kRowOption, kSetOption,
                                          kMachineOption};
inline constexpr std::array kSizeRows{
    OptionRow{.name = "gpus", .value = "SIZES"},
    OptionRow{.name = "nodes",
              .value = "SIZES",
              .help = "sizes to choose from, 64,128 or 64:512:64 or 64:2048:x2: of one of the two; "
                      "without them the scenario's own"}};
inline constexpr std::array kPlanRows{
    OptionRow{
        .name = "limit",
        .value = "KEY=VALUES",
        .help =
            "values that a knob may have: tp=1,2,4 or pp=2:16 or mbs=1:8:x2 or "
            "recompute=none,selective; keys: tp, pp, vp, cp, dp, ep, etp, mbs, recompute, account "
            "(none, embedding, loss, both; layout where it is named or the scenario has one), "
            "schedule (tried only where it is limited: 1f1b,zb_h1), dispatch (likewise: allgather, "
            "alltoall, deepep, hybridep)",
        .type = OptionType::texts},
    OptionRow{.name = "memory-margin",
              .value = "PERCENT",
              .help = "of a GPU's memory to leave free",
              .type = OptionType::number,
              .preset = "0"}};
inline constexpr OptionRow kExhaustiveOption{
    .name = "exhaustive", .help = "simulates every plan that fits: the same result, later"};

/// The scenario as the command line names it.
struct Asked {
  DataFolder data;
  ScenarioSource source;
  std::string row;
  std::vector<Setting> settings;

  [[nodiscard]] Scenario scenario() const { return source.draft(data, row, settings).scenario; }
};

/// Throws InputError where the file has a table and no row of it is named.
Asked asked(const DataFolder& data, const std::string& path,
            const boost::program_options::variables_map& values);

/// The scenario on each number of GPUs that is asked for; its own plan need not be legal.
std::vector<Scenario> sizes_of(const Asked& asked,
                               const boost::program_options::variables_map& values);

/// The options of kPlanRows.
PlanLimits limits_of(const boost::program_options::variables_map& values);
double memory_margin_of(const boost::program_options::variables_map& values);

}  // namespace simtrain
