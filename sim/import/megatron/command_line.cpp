#include "sim/import/megatron/command_line.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "sim/import/terms/environment.h"

namespace simtrain {
namespace {

constexpr std::array<std::string_view, 10> kArgumentEnds{
    "ARGS",      "args",      "OPTS",  "OPTIONS", "options",
    "ARGUMENTS", "overrides", "EXTRA", "MORE",    "FLAGS"};

constexpr std::size_t kLongestShown = 60;  // of a word, in a note

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

/// Whether a word is an option whose value is in the next.
bool wants_value(const ShellWord& word) {
  const bool option = word.text.starts_with('-') && word.text.find('=') == std::string::npos;
  return option && !(is_option(word) && takes_none(underscored(word.text.substr(2))));
}

/// Whether the word at `at` stands for arguments that only a run knows: `$@`, `$EXTRA_ARGS`, and
/// `$(get_args)` where it is no option's value.
bool is_open_arguments(const std::vector<ShellWord>& words, std::size_t at) {
  std::string_view text = words[at].text;
  if (words[at].ends) return false;
  if (text.starts_with("$(") || text.starts_with('`'))
    return !words[at].starts && at > 0 && !words[at - 1].ends && !wants_value(words[at - 1]) &&
           !text.starts_with("$((");
  if (!text.starts_with('$')) return false;
  text.remove_prefix(1);
  if (text.starts_with('{')) text.remove_prefix(1);
  if (text.starts_with('@') || text.starts_with('*')) return true;
  const std::string_view name = leading_name(text);
  return std::any_of(kArgumentEnds.begin(), kArgumentEnds.end(),
                     [&](std::string_view end) { return name.ends_with(end); });
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

void note_unread(const ShellScript& script, RecipeReading& reading) {
  for (const auto& [name, rounds] : script.rounds)
    ++reading.left_out
          ["rounds of a loop behind the first; --override KEY=VALUE gives what one of "
           "them has"][fmt::format("{}, which has {}", name, rounds)];
  for (const std::string& name : script.unused)
    ++reading.left_out["arguments in variables that no command of the script uses"][name];
  for (std::size_t at = 0; at < script.words.size(); ++at) {
    if (is_open_arguments(script.words, at))
      ++reading.left_out["arguments that only a run knows; --override KEY=VALUE gives each"]
                        [script.words[at].text.substr(0, kLongestShown)];
  }
}

ScriptRequest script_request(const RecipeRequest& request) {
  std::vector<std::string> files;
  for (const std::string& text : request.overrides) {
    if (text.starts_with(kWithoutFile)) files.push_back(text.substr(kWithoutFile.size()));
  }
  if (request.defaults) files.emplace_back(kAllMissing);
  return {std::move(files), request.nodes, request.arguments};
}

}  // namespace simtrain
