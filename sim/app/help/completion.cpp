#include "sim/app/help/completion.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sim/app/command.h"
#include "sim/app/help/command_help.h"
#include "sim/app/options/common_options.h"

namespace simtrain {
namespace {

/// $1 is the program, $2 a family of `simtrain list`.
constexpr std::string_view kHead =
    R"sh(# Completion of simtrain, printed by 'simtrain help completion'.
if [ -n "${ZSH_VERSION:-}" ]; then
  type compdef >/dev/null || { autoload -U compinit && compinit -i; }
  autoload -U +X bashcompinit && bashcompinit
fi

_simtrain_names() {
  "$1" list $2 2>/dev/null | sed -n 's/^\([A-Za-z0-9._/-][A-Za-z0-9._/-]*\).*/\1/p'
}

# The rows of the scenario among the words.
_simtrain_rows() {
  local word
  for word in "${COMP_WORDS[@]}"; do
    case $word in *[!A-Za-z0-9._/-]*) ;; *.yaml) "$1" list scenarios 2>/dev/null |
      sed -n "\\,^scenarios/${word##*/}\$,,/^s/s/^  --row \\([A-Za-z0-9._-]*\\)\$/\\1/p" ;;
    esac
  done
}

# Plain arguments of command $2.
_simtrain_plain() {
  case $2 in
)sh";

// clang-format off
constexpr std::string_view kTail = R"sh(
_simtrain() {
  local program=${COMP_WORDS[0]} command=${COMP_WORDS[1]} word=${COMP_WORDS[COMP_CWORD]}
  local before=${COMP_WORDS[COMP_CWORD-1]} words given=
  [ "$word" = = ] && word=
  [ "$before" = = ] && before=${COMP_WORDS[COMP_CWORD-2]}
  case $word in --*=*) given=${word%%=*}= before=${word%%=*} word=${word#*=} ;; esac  # zsh
  case $command in *.yaml) command=run ;; esac
  if [ "$COMP_CWORD" = 1 ]; then
    case $word in
      -*) words="--help --version" ;;
      *) words="$(_simtrain_commands) $(_simtrain_plain "$program" run)" ;;
    esac
  else
    words=$(_simtrain_values "$program" "$command" "$before")
    if [ -z "$words" ]; then
      case "$before $word" in
        *' -'*) words=$(_simtrain_options "$command") ;;
        -*) ;;
        *) words=$(_simtrain_plain "$program" "$command") ;;
      esac
    fi
  fi
  COMPREPLY=($(compgen -P "$given" -W "$words" -- "$word"))
  case "$command $words" in
    *scenarios/*) COMPREPLY+=($(compgen -f -X '!*.yaml' -- "$word")) ;;
  esac
}
complete -o bashdefault -o default -F _simtrain simtrain
)sh";
// clang-format on

/// What completes a value: a call that prints it, without end; nothing where files do.
std::string source_of(const OptionRow& row, const std::vector<std::string>& topics) {
  const std::vector<std::string> words = words_of(row);
  if (!words.empty()) return fmt::format("echo {}", fmt::join(words, " "));
  if (row.completes.empty()) return {};
  if (row.completes == kCompletesRows) return "_simtrain_rows \"$1\"";
  if (row.completes == kCompletesTopics) return fmt::format("echo {}", fmt::join(topics, " "));
  return fmt::format("_simtrain_names \"$1\" {}",
                     row.completes == kCompletesFamilies ? "" : row.completes);
}

std::string plain_cases(const std::vector<std::string>& topics) {
  std::string out;
  for (const CommandRow& command : commands()) {
    for (const OptionRow& row : command.options) {
      const std::string source = source_of(row, topics);
      if (row.type == OptionType::argument && !source.empty())
        out += fmt::format("    {}) {} ;;\n", command.name, source);
    }
  }
  return out + "  esac\n}\n";
}

std::string command_list() {
  std::string names;
  for (const CommandRow& command : commands()) names += fmt::format(" {}", command.name);
  return fmt::format("\n_simtrain_commands() {{\n  echo{}\n}}\n", names);
}

/// The options of a command, those of every command last.
std::vector<OptionRow> options_of(const CommandRow& command) {
  std::vector<OptionRow> options = rows_of(command);
  options.insert(options.end(), kCommonOptions.begin(), kCommonOptions.end());
  std::erase_if(options, [](const OptionRow& row) { return !row.is_option(); });
  return options;
}

std::string option_cases() {
  std::string out = "\n_simtrain_options() {\n  case $1 in\n";
  for (const CommandRow& command : commands()) {
    out += fmt::format("    {}) echo", command.name);
    for (const OptionRow& row : options_of(command)) out += fmt::format(" --{}", row.name);
    out += " ;;\n";
  }
  return out + "  esac\n}\n";
}

std::string value_cases(const std::vector<std::string>& topics) {
  std::string out =
      "\n# $2 is the command, $3 the option before the word.\n_simtrain_values() {\n"
      "  case \"$2 $3\" in\n";
  for (const CommandRow& command : commands()) {
    for (const OptionRow& row : options_of(command)) {
      const std::string source = source_of(row, topics);
      if (!source.empty())
        out += fmt::format("    '{} --{}') {} ;;\n", command.name, row.name, source);
    }
  }
  return out + "  esac\n}\n";
}

}  // namespace

std::string completion_script(const std::vector<std::string>& topics) {
  return std::string(kHead) + plain_cases(topics) + command_list() + option_cases() +
         value_cases(topics) + std::string(kTail);
}

}  // namespace simtrain
