#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim/core/data_folder.h"

namespace simtrain {

/// What a command leaves for `main`: text for standard output and the exit status (0 done, 1 the
/// answer is no). Wrong input is an InputError (2), anything else our own failure (3).
struct CommandResult {
  std::string output;
  int status = 0;
};

/// What every command is called with.
struct CommandCall {
  std::vector<std::string> arguments;  ///< behind the command's name
  DataFolder data;
};

/// One command of the program: a file in this folder and a row in `commands()`.
struct CommandRow {
  std::string_view name;
  std::string_view usage;
  std::string_view help;  ///< one line
  std::string_view example;
  CommandResult (*run)(const CommandCall&);
};

const std::vector<CommandRow>& commands();

CommandResult run_command(const CommandCall& call);
CommandResult validate_command(const CommandCall& call);
CommandResult calibrate_command(const CommandCall& call);
/// `validate --leave-one-table-out`.
CommandResult leave_out_command(const CommandCall& call);
/// `validate --kernels` and `calibrate --kernels`.
CommandResult validate_kernels_command(const CommandCall& call);
CommandResult calibrate_kernels_command(const CommandCall& call);
CommandResult nccl_command(const CommandCall& call);
CommandResult topology_command(const CommandCall& call);
CommandResult import_command(const CommandCall& call);
CommandResult list_command(const CommandCall& call);
CommandResult bench_command(const CommandCall& call);
CommandResult help_command(const CommandCall& call);

/// The program: picks the command (a path stands for `run PATH`), prints, returns the exit status.
int program(const std::vector<std::string>& arguments);

}  // namespace simtrain
