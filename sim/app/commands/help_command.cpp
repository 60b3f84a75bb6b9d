#include <array>

#include <fmt/format.h>

#include "sim/app/command.h"
#include "sim/app/help/command_help.h"
#include "sim/app/help/completion.h"
#include "sim/app/help/hardware_help.h"
#include "sim/app/help/man_page.h"
#include "sim/app/help/options_page.h"
#include "sim/app/help/scenario_help.h"
#include "sim/core/suggestion.h"

namespace simtrain {
namespace {

std::string overview() {
  std::string out = "simtrain predicts the step time and MFU of LLM training on a GPU cluster.\n\n";
  for (const CommandRow& row : commands()) out += fmt::format("  {}\n", row.example);
  out += "\nCommands\n";
  for (const CommandRow& row : commands()) out += fmt::format("  {:<10}{}\n", row.name, row.help);
  return out +
         "\n'simtrain help COMMAND' has more, also on --color and --quiet, which go with\n"
         "every command; 'simtrain help scenario' lists the keys of a scenario, 'simtrain\n"
         "help hardware' the values of its hardware; 'simtrain --version' says which\n"
         "simtrain this is.\n";
}

constexpr std::array kHelpOptions{OptionRow{
    .value = "[COMMAND|TOPIC]",
    .help = "a command, or a topic. scenario: the keys of a scenario file; hardware: those "
            "of the hardware that it may change; options: every command with all its options; man: "
            "the manual page as roff, 'man COMMAND' that of a command; completion: a script that "
            "completes simtrain's arguments in bash and zsh, "
            "for 'source <(simtrain help completion)'. Without either an overview",
    .type = OptionType::argument,
    .completes = kCompletesTopics}};

/// Topics of help beside the commands.
struct Topic {
  std::string_view name;
  std::string (*text)();
};

std::string completion();

constexpr std::array<Topic, 5> kTopics{{{"scenario", scenario_help},
                                        {"hardware", hardware_help},
                                        {"options", options_page},
                                        {"man", man_page},
                                        {"completion", completion}}};

/// The commands among them.
std::vector<std::string> topic_names() {
  std::vector<std::string> names;
  names.reserve(kTopics.size() + commands().size());
  for (const Topic& topic : kTopics) names.emplace_back(topic.name);
  for (const CommandRow& row : commands()) names.emplace_back(row.name);
  return names;
}

std::string completion() { return completion_script(topic_names()); }

InputError no_topic(const std::string& topic) {
  return InputError({}, "help",
                    fmt::format("'{}' is no topic; {}", topic, suggestion(topic, topic_names())));
}

const CommandRow& command_of(const std::string& name) {
  for (const CommandRow& row : commands()) {
    if (row.name == name) return row;
  }
  throw no_topic(name);
}

CommandResult help_command(const CommandCall& call) {
  const std::vector<std::string>& words = call.arguments;
  if (words.empty()) return for_programs(overview());
  if (words.size() == 2 && words.front() == "man")
    return for_programs(man_page(command_of(words.back())));
  if (words.size() > 1) throw InputError({}, "", "help takes one topic");
  for (const Topic& row : kTopics) {
    if (row.name == words.front()) return for_programs(row.text());
  }
  return for_programs(command_help(command_of(words.front())));
}

}  // namespace

const CommandRow kHelpCommand{"help",
                              "shows this, a command or the scenario's keys",
                              "simtrain help scenario",
                              "Prints what there is to know of a command or a topic.",
                              help_command,
                              kHelpOptions};

}  // namespace simtrain
