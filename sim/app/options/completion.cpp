#include "sim/app/options/completion.h"

#include <array>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sim/app/command.h"
#include "sim/app/options/usage_text.h"

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

/// What plain arguments commands take: names of a family of `simtrain list`, or families.
struct PlainRow {
  std::string_view commands;
  std::string_view family;
};
constexpr std::array<PlainRow, 3> kPlain{{
    {"run|sweep|tune|scale|compare|profile", "scenarios"},
    {"nccl|topology", "clusters"},
    {"list", ""},
}};

/// Options whose value is a name of a family.
constexpr std::array<std::pair<std::string_view, std::string_view>, 10> kNamed{{
    {"--gpu", "gpus"},
    {"--op", "collectives"},
    {"--cluster", "clusters"},
    {"--software", "software"},
    {"--model", "models"},
    {"--log-format", "log-formats"},
    {"--profile-format", "profile-formats"},
    {"--steps", "step-windows"},
    {"--convention", "mfu-conventions"},
    {"--scenario", "scenarios"},
}};

std::string plain_cases(const std::vector<std::string>& topics) {
  std::string out;
  for (const PlainRow& row : kPlain)
    out += fmt::format("    {}) _simtrain_names \"$1\" {} ;;\n", row.commands, row.family);
  return out + fmt::format("    help) echo {} ;;\n  esac\n}}\n", fmt::join(topics, " "));
}

std::string command_list() {
  std::string names;
  for (const CommandRow& row : commands()) names += fmt::format(" {}", row.name);
  return fmt::format("\n_simtrain_commands() {{\n  echo{}\n}}\n", names);
}

std::string option_cases() {
  std::string out = "\n_simtrain_options() {\n  case $1 in\n";
  for (const CommandRow& row : commands()) {
    out += fmt::format("    {}) echo", row.name);
    for (const UsageOption& option : usage_options(with_common_options(row.usage)))
      out += fmt::format(" {}", option.name);
    out += " ;;\n";
  }
  return out + "  esac\n}\n";
}

std::string value_cases() {
  std::string out =
      "\n# $2 is the command, $3 the option before the word.\n_simtrain_values() {\n"
      "  case \"$2 $3\" in\n    *' --row') _simtrain_rows \"$1\" ;;\n";
  for (const CommandRow& row : commands()) {
    for (const UsageOption& option : usage_options(with_common_options(row.usage))) {
      if (!option.values.empty())
        out += fmt::format("    '{} {}') echo {} ;;\n", row.name, option.name,
                           fmt::join(option.values, " "));
    }
  }
  for (const auto& [option, family] : kNamed)
    out += fmt::format("    *' {}') _simtrain_names \"$1\" {} ;;\n", option, family);
  return out + "  esac\n}\n";
}

}  // namespace

std::string completion_script(const std::vector<std::string>& topics) {
  return std::string(kHead) + plain_cases(topics) + command_list() + option_cases() +
         value_cases() + std::string(kTail);
}

}  // namespace simtrain
