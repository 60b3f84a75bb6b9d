#include <algorithm>
#include <exception>

#include <fmt/format.h>
#include <simtrain/scenario.h>

#include "sim/app/command.h"
#include "sim/app/version.h"
#include "sim/core/input/input_error.h"
#include "sim/core/invariant.h"
#include "sim/core/suggestion.h"
#include "sim/run/engine/executor.h"

namespace simtrain {
namespace {

constexpr int kWrongInput = 2;
constexpr int kOwnFailure = 3;

bool wants_help(const std::string& argument) { return argument == "--help" || argument == "-h"; }

CommandResult dispatch(std::vector<std::string> arguments, std::string_view commit,
                       const Console& console) {
  if (!arguments.empty() && arguments.front() == "--version")
    return for_programs(version_line(commit));
  const DataFolder data(api::installed_data_path());
  if (arguments.empty() || wants_help(arguments.front()))
    return kHelpCommand.run({{}, data, console});
  const std::string& name = arguments.front();
  for (const CommandRow& row : commands()) {
    if (row.name != name) continue;
    if (arguments.size() == 2 && wants_help(arguments[1]))
      return kHelpCommand.run({{name}, data, console});
    return row.run({{arguments.begin() + 1, arguments.end()}, data, console});
  }
  const bool path = name.find('/') != std::string::npos || name.ends_with(".yaml") ||
                    name.ends_with(".yml") || name.starts_with("-");
  if (path) return kRunCommand.run({std::move(arguments), data, console});
  std::vector<std::string> known;
  for (const CommandRow& row : commands()) known.emplace_back(row.name);
  throw InputError({}, "",
                   fmt::format("'{}' is neither a command nor a scenario file (.yaml); {}", name,
                               suggestion(name, known)));
}

}  // namespace

const std::vector<CommandRow>& commands() {
  static const std::vector<CommandRow> rows{
      kRunCommand,     kNewCommand,     kSweepCommand,    kTuneCommand,      kScaleCommand,
      kShareCommand,   kGoodputCommand, kValidateCommand, kCalibrateCommand, kMetricsCommand,
      kCompareCommand, kProfileCommand, kNcclCommand,     kTopologyCommand,  kImportCommand,
      kExportCommand,  kIndexCommand,   kListCommand,     kSchemaCommand,    kServeCommand,
      kBenchCommand,   kHelpCommand};
  return rows;
}

int program(std::vector<std::string> arguments, std::string_view commit) {
  Console console;
  try {
    console = Console(take_common_options(arguments));
    const CommandResult result = dispatch(std::move(arguments), commit, console);
    if (console.print(result.output, result.data)) return result.status;
    console.error("standard output cannot be written");
    return kOwnFailure;
  } catch (const InputError& error) {
    console.error(error.what());
    return kWrongInput;
  } catch (const StuckProgram& error) {
    console.error(error.what());
    return kOwnFailure;
  } catch (const InternalError& error) {
    console.error(error.what());
    return kOwnFailure;
  } catch (const std::exception& error) {
    console.error(fmt::format("internal error: {}", error.what()));
    return kOwnFailure;
  }
}

}  // namespace simtrain
