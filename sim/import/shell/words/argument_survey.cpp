#include "sim/import/shell/words/argument_survey.h"

#include <algorithm>
#include <utility>

namespace simtrain {
namespace {

using ReadWords = std::vector<ReadWord>;

constexpr std::size_t kMostAssignments = 256;  // of one command

bool is_operator(const ReadWords& words, std::size_t at, std::string_view text) {
  return at < words.size() && words[at].word.ends && words[at].word.text == text;
}

/// The bracket that closes a list whose first word is at `at`; none where none does.
std::optional<std::size_t> list_end(const ReadWords& words, std::size_t at) {
  for (int depth = 1; at < words.size(); ++at) {
    if (is_operator(words, at, "(")) ++depth;
    if (is_operator(words, at, ")") && --depth == 0) return at;
  }
  return std::nullopt;
}

/// Whether what is set at `at`, up to before `next`, is for other programs: exported, or set for
/// one.
bool sets_for_others(const ReadWords& words, std::size_t at, std::size_t next) {
  return (at > 0 && words[at - 1].word.text == "export") || sets_for_program(words, next);
}

/// Whether the words of a command before `at` are assignments, or those of `export` and its like.
bool assigns(const ReadWords& words, std::size_t at) {
  const std::size_t least = at - std::min(at, kMostAssignments);
  for (; !words[at].word.starts; --at) {
    if (at == least || words[at - 1].word.ends) return false;
    const std::string_view before = words[at - 1].written;
    const bool declares = declares_own(before) || before == "export" || before == "readonly";
    if (!declares && !assigned_by(words[at - 1]) && !before.starts_with('-')) return false;
  }
  return true;
}

/// Whether `NAME=value` or `NAME+=value` at `at` holds arguments in one word: an option, or what
/// `${NAME:-"--a 1 --b"}` does.
bool sets_arguments(const ReadWords& words, std::size_t at) {
  const auto assigned = assigned_by(words[at]);
  const std::string_view text = words[at].word.text;
  if (!assigned || text.size() < assigned->value) return false;
  const std::string_view value = text.substr(assigned->value);
  const bool several = value.find(' ') != std::string_view::npos;
  return are_arguments(value) && (several || value.starts_with("--") || !value.starts_with('-')) &&
         assigns(words, at);
}

/// `inside`: the variable whose arguments the word is among; `own`: the one whose default it gives.
void note_uses(const ReadWord& word, std::string_view inside, std::string_view own,
               ArgumentSurvey& survey) {
  for (std::size_t at = word.written.find('$'); at < word.written.size();
       at = word.written.find('$', at + 1)) {
    const VariableUse use = use_at(word.written, at);
    if (use.name == own || !survey.defines(use.name)) continue;
    if (!use.whole || (!use.items && survey.lists.contains(use.name))) {
      survey.apart.insert(use.name);
    } else if (use.name != inside) {
      survey.used.insert(use.name);
      if (inside.empty()) survey.by_commands = true;
    }
  }
}

/// `NAME=$OTHER`: one variable is set to the arguments of another.
struct Copy {
  std::string_view name;
  std::string from;
};

std::optional<Copy> copy_at(const ReadWords& words, std::size_t at, const ArgumentSurvey& survey) {
  const auto assigned = assigned_by(words[at]);
  if (!assigned || !assigns(words, at)) return std::nullopt;
  const std::string_view value = std::string_view(words[at].written).substr(assigned->value);
  if (!value.starts_with('$')) return std::nullopt;
  VariableUse use = use_at(value, 0);
  const bool all = use.items || (use.whole && !survey.lists.contains(use.name));
  if (!all || !survey.defines(use.name) || use.name == assigned->name) return std::nullopt;
  return Copy{assigned->name, std::move(use.name)};
}

}  // namespace

std::optional<AssignedWord> assigned_by(const ReadWord& word) {
  const std::string_view written = word.written;
  AssignedWord found{leading_name(written)};
  if (word.word.ends || found.name.empty()) return std::nullopt;
  found.value = found.name.size();
  found.appends = written.substr(found.value).starts_with('+');
  if (found.appends) ++found.value;
  if (!written.substr(found.value).starts_with('=')) return std::nullopt;
  ++found.value;
  return found;
}

bool sets_for_program(const ReadWords& words, std::size_t next) {
  return next < words.size() && !words[next].word.ends && !words[next].word.starts;
}

std::optional<ArgumentDefinition> definition_at(const ReadWords& words, std::size_t at) {
  const auto assigned = assigned_by(words[at]);
  if (!assigned || assigned->value < words[at].written.size()) return std::nullopt;
  ArgumentDefinition found{std::string(assigned->name), assigned->appends};
  if (is_operator(words, at + 1, "(")) {
    const auto end = list_end(words, at + 2);
    if (!end) return std::nullopt;
    found.list = true;
    found.begin = at + 2;
    found.end = *end;
    found.next = *end + 1;
  } else {
    found.begin = found.end = at + 1;
    while (found.end < words.size() && words[found.end].word.quote != 0) ++found.end;
    found.next = found.end;
    if (found.end == found.begin) return std::nullopt;
  }
  found.exported = sets_for_others(words, at, found.next);
  return found;
}

bool are_arguments(std::string_view text) {
  if (text.starts_with('-')) return text.size() > 1 && (text[1] == '-' || starts_name(text[1]));
  text.remove_prefix(std::min(text.find_first_not_of("+~"), text.size()));
  constexpr std::string_view kKeyMarks =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789.";
  const std::size_t end = std::min(text.find_first_not_of(kKeyMarks), text.size());
  return end > 0 && starts_name(text[0]) && text.substr(end).starts_with('=');
}

VariableUse use_at(std::string_view word, std::size_t at) {
  std::string_view rest = word.substr(at + 1);
  const bool braced = rest.starts_with('{');
  if (braced) rest.remove_prefix(1);
  while (braced && (rest.starts_with('#') || rest.starts_with('!'))) rest.remove_prefix(1);
  const std::string_view name = leading_name(rest);
  rest.remove_prefix(name.size());
  const bool plain = at == 0 && word.size() == name.size() + rest.size() + (braced ? 2 : 1);
  const bool items = plain && braced && (rest == "[@]}" || rest == "[*]}");
  return {std::string(name), items, items || (plain && rest == (braced ? "}" : ""))};
}

ArgumentSurvey survey_of(const ReadWords& words, const std::vector<std::string>& looped) {
  ArgumentSurvey survey;
  for (std::size_t at = 0; at < words.size(); ++at) {
    if (const auto copy = copy_at(words, at, survey)) survey.texts.emplace(copy->name);
    if (sets_arguments(words, at)) {
      const std::string name(leading_name(words[at].written));
      survey.texts.insert(name);
      if (sets_for_others(words, at, at + 1)) survey.apart.insert(name);
    }
    const auto found = definition_at(words, at);
    if (!found) continue;
    (found->list ? survey.lists : survey.texts).insert(found->name);
    if (found->exported) survey.apart.insert(found->name);
    at = found->next - 1;
  }
  for (std::size_t at = 0; at < words.size(); ++at) {
    const auto found = definition_at(words, at);
    const std::size_t next = found ? found->next : at + 1;
    if (const auto copy = copy_at(words, at, survey)) {
      survey.used.insert(copy->from);
      continue;
    }
    for (; at < next; ++at) {
      const bool sets = !found && sets_arguments(words, at);
      if (!words[at].word.ends)
        note_uses(words[at], found ? found->name : "", sets ? leading_name(words[at].written) : "",
                  survey);
    }
    --at;
  }
  for (const std::string& word : looped) {
    if (word.starts_with('$')) survey.looped.insert(use_at(word, 0).name);
  }
  return survey;
}

}  // namespace simtrain
