#pragma once

#include <string>
#include <vector>

#include <boost/program_options.hpp>

#include "sim/app/command.h"
#include "sim/app/options/option_row.h"
#include "sim/app/output_files.h"
#include "sim/run/scenario/scenario.h"

namespace simtrain {

inline constexpr OptionRow kAgainstOption{
    .name = "against",
    .value = "FILE",
    .help =
        "another run beside this one: figures, parts of the step, keys that differ and memory "
        "of both, as text, JSON or the page of --report; the same file, where only settings "
        "or rows differ",
    .completes = "scenarios"};
inline constexpr OptionRow kAgainstRowOption{.name = "against-row",
                                             .value = "NAME",
                                             .help = "its row, where it has a table",
                                             .with = "against"};
inline constexpr OptionRow kAgainstSetOption{.name = "against-set",
                                             .value = "KEY=VALUE",
                                             .help = "changes its keys, as --set those of this run",
                                             .type = OptionType::texts,
                                             .with = "against"};

/// Throws InputError at what goes with --against where that is not given.
void check_against(const boost::program_options::variables_map& values);

/// The run that is set against the one of `--against`; nothing is owned.
struct AgainstRequest {
  const CommandCall& call;
  const boost::program_options::variables_map& values;
  const ScenarioSource& source;
  const std::string& path;
  const std::string& row;
  const std::vector<Setting>& settings;
  OutputFiles& outputs;
};

/// Simulates both and shows them side by side. Throws InputError at options that are of one run,
/// and where one of the scenarios has a table and no row is named.
CommandResult run_against(const AgainstRequest& request, bool json);

}  // namespace simtrain
