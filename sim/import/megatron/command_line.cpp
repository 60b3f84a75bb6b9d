#include "sim/import/megatron/command_line.h"

#include <algorithm>

#include <fmt/format.h>

#include "sim/import/terms/environment.h"

namespace simtrain {
namespace {

bool is_option(const ShellWord& word) {
  return word.text.starts_with("--") && word.text.size() > 2;
}

/// The value of the option at `at`: behind its equals sign, or the words that follow it.
YamlNode value_of(std::span<const ShellWord> words, std::size_t at, const std::string& name) {
  const ShellWord& word = words[at];
  const std::size_t equals = word.text.find('=');
  if (equals != std::string::npos) return scalar_node(word.text.substr(equals + 1), word.place);
  const auto is_value = [&](std::size_t i) {
    return i < words.size() && !words[i].ends && !is_option(words[i]);
  };
  if (takes_none(name) || !is_value(at + 1)) return scalar_node("true", word.place);
  std::string value = words[at + 1].text;
  for (std::size_t i = at + 2; takes_many(name) && is_value(i); ++i) value += "," + words[i].text;
  return scalar_node(std::move(value), words[at + 1].place);
}

}  // namespace

void add_options(std::span<const ShellWord> words, MegatronArguments& arguments) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (!is_option(words[i])) continue;
    const std::string& text = words[i].text;
    const std::string name = underscored(text.substr(2, std::min(text.find('='), text.size()) - 2));
    YamlNode value = value_of(words, i, name);
    if (words[i].undecided) {
      arguments.add_undecided(name, std::move(value));
    } else {
      arguments.add_option(name, std::move(value));
    }
  }
}

void read_environment(const ShellScript& script, RecipeReading& reading) {
  for (const auto& [name, word] : script.environment)
    read_variable(name, scalar_node(word.text, word.place), reading);
}

void note_rounds(const ShellScript& script, RecipeReading& reading) {
  for (const auto& [name, rounds] : script.rounds)
    ++reading.left_out
          ["rounds of a loop behind the first; --override KEY=VALUE gives what one of "
           "them has"][fmt::format("{}, which has {}", name, rounds)];
}

ScriptRequest script_request(const RecipeRequest& request) {
  std::vector<std::string> files;
  for (const std::string& text : request.overrides) {
    if (text.starts_with(kWithoutFile)) files.push_back(text.substr(kWithoutFile.size()));
  }
  if (request.defaults) files.emplace_back(kAllMissing);
  return {std::move(files), request.nodes};
}

}  // namespace simtrain
