#include <algorithm>
#include <cstdio>
#include <exception>

#include <fmt/format.h>

#include "sim/app/command.h"
#include "sim/app/program_files.h"
#include "sim/core/input_error.h"
#include "sim/run/executor.h"

namespace simtrain {
namespace {

constexpr int kWrongInput = 2;
constexpr int kOwnFailure = 3;

bool print(const std::string& text) {
  return std::fwrite(text.data(), 1, text.size(), stdout) == text.size() &&
         std::fflush(stdout) == 0;
}

bool wants_help(const std::string& argument) { return argument == "--help" || argument == "-h"; }

CommandResult dispatch(std::vector<std::string> arguments) {
  const DataFolder data(data_root());
  if (arguments.empty() || wants_help(arguments.front())) return kHelpCommand.run({{}, data});
  const std::string& name = arguments.front();
  for (const CommandRow& row : commands()) {
    if (row.name != name) continue;
    if (arguments.size() == 2 && wants_help(arguments[1])) return kHelpCommand.run({{name}, data});
    return row.run({{arguments.begin() + 1, arguments.end()}, data});
  }
  const bool path = name.find('/') != std::string::npos || name.ends_with(".yaml") ||
                    name.ends_with(".yml") || name.starts_with("-");
  if (path) return kRunCommand.run({std::move(arguments), data});
  std::vector<std::string> known;
  for (const CommandRow& row : commands()) known.emplace_back(row.name);
  throw InputError({}, "",
                   fmt::format("'{}' is neither a command nor a scenario file (.yaml); {}", name,
                               suggestion(name, known)));
}

}  // namespace

const std::vector<CommandRow>& commands() {
  static const std::vector<CommandRow> rows{
      kRunCommand,       kSweepCommand,   kTuneCommand,    kScaleCommand,   kValidateCommand,
      kCalibrateCommand, kMetricsCommand, kCompareCommand, kProfileCommand, kNcclCommand,
      kTopologyCommand,  kImportCommand,  kListCommand,    kBenchCommand,   kHelpCommand};
  return rows;
}

int program(const std::vector<std::string>& arguments) {
  try {
    const CommandResult result = dispatch(arguments);
    if (print(result.output)) return result.status;
    std::fputs("simtrain: standard output cannot be written\n", stderr);
    return kOwnFailure;
  } catch (const InputError& error) {
    fmt::print(stderr, "simtrain: {}\n", error.what());
    return kWrongInput;
  } catch (const StuckProgram& error) {
    fmt::print(stderr, "simtrain: {}\n", error.what());
    return kOwnFailure;
  } catch (const std::exception& error) {
    fmt::print(stderr, "simtrain: internal error: {}\n", error.what());
    return kOwnFailure;
  }
}

}  // namespace simtrain
