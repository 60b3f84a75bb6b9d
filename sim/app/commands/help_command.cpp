#include <fmt/format.h>

#include "sim/app/command.h"
#include "sim/app/options/completion.h"
#include "sim/app/options/hardware_help.h"
#include "sim/app/options/man_page.h"
#include "sim/app/options/scenario_help.h"

namespace simtrain {
namespace {

std::string overview() {
  std::string out = "simtrain predicts the step time and MFU of LLM training on a GPU cluster.\n\n";
  for (const CommandRow& row : commands()) out += fmt::format("  {}\n", row.example);
  out += "\nCommands\n";
  for (const CommandRow& row : commands()) out += fmt::format("  {:<10}{}\n", row.name, row.help);
  return out +
         "\n'simtrain help COMMAND' tells more, also of --color and --quiet, which go with\n"
         "every command; 'simtrain help scenario' lists the keys of a scenario, 'simtrain\n"
         "help hardware' the values of its hardware; 'simtrain --version' says which\n"
         "simtrain this is.\n";
}

constexpr std::string_view kHelp =
    "simtrain help [COMMAND|scenario|hardware|man|completion]\n\n"
    "  Without a topic an overview. scenario: the keys of a scenario file; hardware:\n"
    "  those of the hardware that it may change; man: the manual page as roff;\n"
    "  completion: a script that completes simtrain's arguments in bash and zsh, for\n"
    "  'source <(simtrain help completion)'.\n";

CommandResult help_command(const CommandCall& call) {
  if (call.arguments.empty()) return for_programs(overview());
  const std::string& topic = call.arguments.front();
  if (call.arguments.size() > 1) throw InputError({}, "", "help takes one topic");
  if (topic == "scenario") return for_programs(scenario_help());
  if (topic == "hardware") return for_programs(hardware_help());
  if (topic == "man") return for_programs(man_page());
  if (topic == "completion") return for_programs(completion_script());
  std::vector<std::string> known{"scenario", "hardware", "man", "completion"};
  for (const CommandRow& row : commands()) {
    if (row.name == topic) {
      return for_programs(
          fmt::format("Example\n  {}\n\n{}", row.example, with_common_options(row.usage)));
    }
    known.emplace_back(row.name);
  }
  throw InputError({}, "help",
                   fmt::format("'{}' is no topic; {}", topic, suggestion(topic, known)));
}

}  // namespace

std::string with_common_options(std::string_view usage) {
  return fmt::format("{}\n{}", usage, kCommonUsage);
}

const CommandRow kHelpCommand{"help", kHelp, "shows this, a command or the scenario's keys",
                              "simtrain help scenario", help_command};

}  // namespace simtrain
