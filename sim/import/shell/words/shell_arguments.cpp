#include "sim/import/shell/words/shell_arguments.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <string_view>

#include <fmt/format.h>

namespace simtrain {
namespace {

using ReadWords = std::vector<ReadWord>;

/// What a variable holds, and the function that set it last; 0: none did.
struct Held {
  ReadWords words{};
  std::size_t function = 0;
};
using Contents = std::map<std::string, Held, std::less<>>;
using Names = std::set<std::string, std::less<>>;

constexpr std::size_t kMostArguments = 1024;  // of a variable
constexpr std::size_t kMostPutIn = 16384;     // of all words of a script

bool is_operator(const ReadWords& words, std::size_t at, std::string_view text) {
  return at < words.size() && words[at].word.ends && words[at].word.text == text;
}

/// `NAME=value` or `NAME+=value` in a word: where its value starts.
struct Assigned {
  std::string_view name;
  bool appends = false;
  std::size_t value = 0;
};

std::optional<Assigned> assigned_by(const ReadWord& word) {
  const std::string_view written = word.written;
  Assigned found{leading_name(written)};
  if (word.word.ends || found.name.empty()) return std::nullopt;
  found.value = found.name.size();
  found.appends = written.substr(found.value).starts_with('+');
  if (found.appends) ++found.value;
  if (!written.substr(found.value).starts_with('=')) return std::nullopt;
  ++found.value;
  return found;
}

/// `NAME=(...)` or `NAME="--a 1"`: the place of its words.
struct Definition {
  std::string name;
  bool appends = false;
  bool exported = false;
  bool list = false;
  std::size_t begin = 0;
  std::size_t end = 0;   ///< of the words
  std::size_t next = 0;  ///< behind it all
};

/// The bracket that closes a list whose first word is at `at`; none where none does.
std::optional<std::size_t> list_end(const ReadWords& words, std::size_t at) {
  for (int depth = 1; at < words.size(); ++at) {
    if (is_operator(words, at, "(")) ++depth;
    if (is_operator(words, at, ")") && --depth == 0) return at;
  }
  return std::nullopt;
}

/// Whether the word at `next` is of the command before it: `NAME=value program` sets it for that
/// alone.
bool sets_for_program(const ReadWords& words, std::size_t next) {
  return next < words.size() && !words[next].word.ends && !words[next].word.starts;
}

/// Whether what is set at `at`, up to before `next`, is for other programs: exported, or set for
/// one.
bool sets_for_others(const ReadWords& words, std::size_t at, std::size_t next) {
  return (at > 0 && words[at - 1].word.text == "export") || sets_for_program(words, next);
}

std::optional<Definition> definition_at(const ReadWords& words, std::size_t at) {
  const auto assigned = assigned_by(words[at]);
  if (!assigned || assigned->value < words[at].written.size()) return std::nullopt;
  Definition found{std::string(assigned->name), assigned->appends};
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

/// Whether the words of a command before `at` are assignments, or those of `export` and its like.
bool assigns(const ReadWords& words, std::size_t at) {
  constexpr std::array<std::string_view, 5> kDeclarers{"export", "local", "readonly", "declare",
                                                       "typeset"};
  for (; !words[at].word.starts; --at) {
    if (at == 0 || words[at - 1].word.ends) return false;
    const std::string_view before = words[at - 1].written;
    const bool declares =
        std::find(kDeclarers.begin(), kDeclarers.end(), before) != kDeclarers.end();
    if (!declares && !assigned_by(words[at - 1]) && !before.starts_with('-')) return false;
  }
  return true;
}

/// Whether a text is an option or a key with its value, or starts with one.
bool are_arguments(std::string_view text) {
  if (text.starts_with('-')) return text.size() > 1 && (text[1] == '-' || starts_name(text[1]));
  text.remove_prefix(std::min(text.find_first_not_of("+~"), text.size()));
  constexpr std::string_view kKeyMarks =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789.";
  const std::size_t end = std::min(text.find_first_not_of(kKeyMarks), text.size());
  return end > 0 && starts_name(text[0]) && text.substr(end).starts_with('=');
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

/// The words that a word holds, each as one.
void add_each(const ReadWord& word, ReadWords& out) {
  std::vector<ShellWord> parts;
  add_parts(word.word, parts);
  for (ShellWord& part : parts) {
    part.starts = word.word.starts && &part == &parts.front();
    out.push_back({part, part.text, word.forgotten});
  }
}

/// A word that stands for several (`${NAME:-"--a 1 --b"}`), one for each; else it alone.
void add_split(const ReadWord& word, ReadWords& out) {
  const std::string_view text = word.word.text;
  const bool several = word.written.starts_with('$') && text.find(' ') != text.npos &&
                       (are_arguments(text) || text.find(" --") != text.npos);
  if (!several) return out.push_back(word);
  add_each(word, out);
}

/// A variable that a word names: all of it, if the word is nothing else, or a part.
struct Use {
  std::string name;
  bool items = false;  ///< all of it, each value a word: `${NAME[@]}`
  bool whole = false;  ///< all of it where it is a text: `$NAME`
};

Use use_at(std::string_view word, std::size_t at) {
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

/// The variable whose arguments a word stands for; empty where it is anything else.
std::string_view used_in(const ReadWord& word, const Names& names) {
  if (word.word.ends || !word.written.starts_with('$')) return {};
  const Use use = use_at(word.written, 0);
  const auto known = use.whole ? names.find(use.name) : names.end();
  return known == names.end() ? std::string_view() : *known;
}

/// What a script does with the variables that hold arguments.
struct Survey {
  Names lists;
  Names texts;
  Names used;    ///< by a command or by others of them
  Names apart;   ///< exported, or used in part
  Names looped;  ///< what loops go over
  bool by_commands = false;

  [[nodiscard]] bool defines(std::string_view name) const {
    return lists.contains(name) || texts.contains(name);
  }
};

/// `inside`: the variable whose arguments the word is among; `own`: the one whose default it gives.
void note_uses(const ReadWord& word, std::string_view inside, std::string_view own,
               Survey& survey) {
  for (std::size_t at = word.written.find('$'); at < word.written.size();
       at = word.written.find('$', at + 1)) {
    const Use use = use_at(word.written, at);
    if (use.name == own || !survey.defines(use.name)) continue;
    if (!use.whole || (!use.items && survey.lists.contains(use.name))) {
      survey.apart.insert(use.name);
    } else if (use.name != inside) {
      survey.used.insert(use.name);
      if (inside.empty()) survey.by_commands = true;
    }
  }
}

Survey survey_of(const ReadWords& words, const std::vector<std::string>& looped) {
  Survey survey;
  for (std::size_t at = 0; at < words.size(); ++at) {
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

class ArgumentReader {
 public:
  ArgumentReader(const ReadWords& words, const Names& placed, const Names& left_out)
      : words_(words), placed_(placed), left_out_(left_out) {}

  /// The words with arguments in their places. `at_end` is what the variables hold at the end of
  /// the script.
  ReadWords read(const Contents& at_end) {
    ReadWords out;
    contents_.clear();
    for (std::size_t at = 0; at < words_.size();) {
      const auto found = definition_at(words_, at);
      if (found && (placed_.contains(found->name) || left_out_.contains(found->name))) {
        out.push_back(words_[at]);
        define(*found, at, at_end);
        at = found->next;
        continue;
      }
      if (!found) define_plain(at, at_end);
      if (words_[at].word.starts && words_[at].written == "unset") forget(at + 1);
      add(words_[at], at_end, out, kMostPutIn);
      ++at;
    }
    return out;
  }

  [[nodiscard]] const Contents& contents() const { return contents_; }

 private:
  void define(const Definition& found, std::size_t place, const Contents& at_end) {
    ReadWords values;
    for (std::size_t at = found.begin; at < found.end; ++at) {
      add(words_[at], at_end, values, kMostArguments);
      const bool behind = at > found.begin && words_[at - 1].word.ends;
      if (!values.empty() && !behind) values.back().word.starts = false;
    }
    keep(found.name, std::move(values), found.appends, place);
  }

  /// `NAME=value` of a variable that holds arguments elsewhere.
  void define_plain(std::size_t place, const Contents& at_end) {
    const ReadWord& word = words_[place];
    const auto assigned = assigned_by(word);
    if (!assigned || !placed_.contains(assigned->name)) return;
    ReadWord value = word;
    value.word.starts = false;
    value.word.text = word.word.text.substr(std::min(assigned->value, word.word.text.size()));
    value.written = word.written.substr(assigned->value);
    ReadWords values;
    if (used_in(value, placed_).empty() && are_arguments(value.word.text)) {
      add_each(value, values);
    } else if (!value.written.empty()) {
      add(value, at_end, values, kMostArguments);
    }
    keep(std::string(assigned->name), std::move(values), assigned->appends, place);
  }

  /// The variables that `unset` names hold nothing.
  void forget(std::size_t at) {
    for (; sets_for_program(words_, at); ++at) contents_[words_[at].written] = {};
  }

  /// Under which a variable of a function's own is kept.
  static std::string own_name(std::string_view name, std::size_t function) {
    return fmt::format("{}@{}", name, function);
  }

  /// Whether an assignment is of a variable of a function's own.
  [[nodiscard]] bool is_local(std::size_t place) const {
    if (words_[place].word.function == 0) return false;
    while (!words_[place].word.starts && place > 0) --place;
    const std::string& command = words_[place].written;
    return command == "local" || command == "declare" || command == "typeset";
  }

  /// What an assignment that only a run makes or not replaces stays, as undecided as the rest.
  void keep(const std::string& name, ReadWords values, bool appends, std::size_t place) {
    const ShellWord& where = words_[place].word;
    const std::string own = own_name(name, where.function);
    Held& held = contents_[is_local(place) || contents_.contains(own) ? own : name];
    held.function = where.function;
    ReadWords& kept = held.words;
    if (!appends && !where.undecided) kept.clear();
    for (ReadWord& word : kept)
      word.word.undecided = word.word.undecided || (where.undecided && !appends);
    const std::size_t room = kMostArguments - std::min(kept.size(), kMostArguments);
    values.resize(std::min(values.size(), room));
    kept.insert(kept.end(), values.begin(), values.end());
  }

  /// Adds a word, or what it stands for, to `out`, up to `most` words that are put in.
  void add(const ReadWord& word, const Contents& at_end, ReadWords& out, std::size_t most) const {
    const std::string_view name = used_in(word, placed_);
    if (name.empty()) return add_split(word, out);
    const std::size_t function = word.word.function;
    auto held = contents_.find(own_name(name, function));
    if (held == contents_.end()) held = contents_.find(name);
    if (held == contents_.end() || (function != 0 && held->second.function != function)) {
      held = at_end.find(name);
      if (held == at_end.end()) return;
    }
    if (out.size() + held->second.words.size() > std::max(most, words_.size())) return;
    bool first = word.word.starts;
    for (ReadWord value : held->second.words) {
      value.word.starts = value.word.starts || first;
      value.word.undecided = value.word.undecided || word.word.undecided;
      first = false;
      out.push_back(std::move(value));
    }
  }

  const ReadWords& words_;
  const Names& placed_;
  const Names& left_out_;
  Contents contents_;
};

}  // namespace

std::vector<std::string> put_in_arguments(std::vector<ReadWord>& words,
                                          const std::vector<std::string>& looped) {
  const Survey survey = survey_of(words, looped);
  Names placed;
  Names unused;
  Names left_out;
  for (const Names* names : {&survey.lists, &survey.texts}) {
    for (const std::string& name : *names) {
      if (survey.apart.contains(name)) continue;
      if (survey.used.contains(name) && survey.by_commands) {
        placed.insert(name);
      } else if (survey.looped.contains(name)) {
        left_out.insert(name);
      } else if (survey.by_commands) {
        unused.insert(name);
      }
    }
  }
  left_out.insert(unused.begin(), unused.end());
  if (placed.empty() && left_out.empty()) return {};
  ArgumentReader reader(words, placed, left_out);
  reader.read({});
  const Contents at_end = reader.contents();
  words = reader.read(at_end);
  return {unused.begin(), unused.end()};
}

}  // namespace simtrain
