#include <fmt/format.h>

#include "sim/app/command.h"
#include "sim/app/scenario_help.h"

namespace simtrain {
namespace {

std::string overview() {
  std::string out = "simtrain predicts the step time and MFU of LLM training on a GPU cluster.\n\n";
  for (const CommandRow& row : commands()) out += fmt::format("  {}\n", row.example);
  out += "\nCommands\n";
  for (const CommandRow& row : commands()) out += fmt::format("  {:<10}{}\n", row.name, row.help);
  return out +
         "\n'simtrain help COMMAND' tells more; 'simtrain help scenario' lists the keys of a "
         "scenario.\n";
}

CommandResult help_command(const CommandCall& call) {
  if (call.arguments.empty()) return {overview()};
  const std::string& topic = call.arguments.front();
  if (call.arguments.size() > 1) throw InputError({}, "", "help takes one topic");
  if (topic == "scenario") return {scenario_help()};
  std::vector<std::string> known{"scenario"};
  for (const CommandRow& row : commands()) {
    if (row.name == topic) return {std::string(row.usage)};
    known.emplace_back(row.name);
  }
  throw InputError({}, "help",
                   fmt::format("'{}' is no topic; {}", topic, suggestion(topic, known)));
}

}  // namespace

const CommandRow kHelpCommand{"help", "simtrain help [COMMAND|scenario]\n",
                              "shows this, a command or the scenario's keys",
                              "simtrain help scenario", help_command};

}  // namespace simtrain
