#pragma once

#include <string>
#include <vector>

#include "sim/app/command.h"

namespace simtrain {

/// The tables of a command, one for each way to call it.
std::vector<std::span<const OptionRow>> tables_of(const CommandRow& command);

/// Their rows in one list, an option that several of them have as the first one has it.
std::vector<OptionRow> rows_of(const CommandRow& command);

/// What help has to say of an option or an argument ("--row NAME"), or of options that share their
/// help ("--row, --set"); a paragraph has no term.
struct HelpItem {
  std::string term;
  std::string text;
};
std::vector<HelpItem> help_items(std::span<const OptionRow> rows);

/// How a command is called by one of its tables: "simtrain run SCENARIO.yaml", "[--row NAME]", ...,
/// between which a line may be broken.
std::vector<std::string> synopsis(std::string_view command, std::span<const OptionRow> rows);

/// The same in lines of a report's width.
std::string wrapped_synopsis(std::string_view command, std::span<const OptionRow> rows);

/// The whole text of `simtrain help COMMAND`.
std::string command_help(const CommandRow& command);

}  // namespace simtrain
