#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/app/console.h"
#include "sim/app/options/option_row.h"
#include "sim/core/files/data_folder.h"

namespace simtrain {

/// What a command leaves for `main`: text for standard output and the exit status (0 done, 1 the
/// answer is no). Wrong input is an InputError (2), anything else our own failure (3).
struct CommandResult {
  std::string output;
  int status = 0;
  bool data = false;  ///< for programs (JSON, CSV, YAML, names, a script): never coloured
};

/// A result for programs.
inline CommandResult for_programs(std::string output) { return {std::move(output), 0, true}; }

/// What every command is called with.
struct CommandCall {
  std::vector<std::string> arguments;  ///< behind the command's name
  DataFolder data;
  const Console& console;
};

/// One command of the program: a file in this folder, which defines its row, and a line in
/// `commands()`.
struct CommandRow {
  std::string_view name;
  std::string_view help;  ///< one line
  std::string_view example;
  std::string_view about;  ///< a paragraph
  CommandResult (*run)(const CommandCall&);
  std::span<const OptionRow> options;  ///< its table
  /// Tables of further ways to call it, where there are some.
  std::span<const std::span<const OptionRow>> other_options{};
};

/// All of them, in the order in which help shows them.
const std::vector<CommandRow>& commands();

extern const CommandRow kRunCommand;
extern const CommandRow kSweepCommand;
extern const CommandRow kValidateCommand;
extern const CommandRow kCalibrateCommand;
extern const CommandRow kMetricsCommand;
extern const CommandRow kCompareCommand;
extern const CommandRow kProfileCommand;
extern const CommandRow kNcclCommand;
extern const CommandRow kTopologyCommand;
extern const CommandRow kImportCommand;
extern const CommandRow kExportCommand;
extern const CommandRow kTuneCommand;
extern const CommandRow kScaleCommand;
extern const CommandRow kGoodputCommand;
extern const CommandRow kShareCommand;
extern const CommandRow kNewCommand;
extern const CommandRow kIndexCommand;
extern const CommandRow kListCommand;
extern const CommandRow kSchemaCommand;
extern const CommandRow kServeCommand;
extern const CommandRow kBenchCommand;
extern const CommandRow kHelpCommand;

/// `validate --leave-one-table-out`.
CommandResult leave_out_command(const CommandCall& call);
/// `validate --nccl`.
CommandResult validate_nccl_command(const CommandCall& call);
/// `validate --kernels` and `calibrate --kernels`.
CommandResult validate_kernels_command(const CommandCall& call);
CommandResult calibrate_kernels_command(const CommandCall& call);
CommandResult calibrate_machine_command(const CommandCall& call);

/// The program: takes the options of every command, picks the command (a path is short for `run
/// PATH`), prints, returns the exit status. `commit` is what was built, empty where that is not
/// known.
int program(std::vector<std::string> arguments, std::string_view commit);

}  // namespace simtrain
