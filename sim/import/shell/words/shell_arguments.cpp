#include "sim/import/shell/words/shell_arguments.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <string_view>

namespace simtrain {
namespace {

using ReadWords = std::vector<ReadWord>;
using Contents = std::map<std::string, ReadWords, std::less<>>;
using Names = std::set<std::string, std::less<>>;

constexpr std::size_t kMostArguments = 1024;  // of a variable
constexpr std::size_t kMostPutIn = 16384;     // of all words of a script

bool is_operator(const ReadWords& words, std::size_t at, std::string_view text) {
  return at < words.size() && words[at].word.ends && words[at].word.text == text;
}

/// `NAME` at the start of a text.
std::string_view leading_name(std::string_view text) {
  if (text.empty() || !starts_name(text[0])) return {};
  return text.substr(0, static_cast<std::size_t>(
                            std::find_if_not(text.begin(), text.end(), in_name) - text.begin()));
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

std::optional<Definition> definition_at(const ReadWords& words, std::size_t at) {
  const std::string_view written = words[at].written;
  const std::string_view name = leading_name(written);
  const std::string_view sign = written.substr(name.size());
  if (words[at].word.ends || name.empty() || (sign != "=" && sign != "+=")) return std::nullopt;
  Definition found{std::string(name), sign == "+="};
  found.exported = at > 0 && words[at - 1].word.text == "export";
  if (is_operator(words, at + 1, "(")) {
    const auto end = list_end(words, at + 2);
    if (!end) return std::nullopt;
    found.list = true;
    found.begin = at + 2;
    found.end = *end;
    found.next = *end + 1;
    return found;
  }
  found.begin = found.end = at + 1;
  while (found.end < words.size() && words[found.end].word.quote != 0) ++found.end;
  found.next = found.end;
  found.exported = found.exported || sets_for_program(words, found.next);
  return found.end > found.begin ? std::optional(found) : std::nullopt;
}

/// Whether the words of a command before `at` are assignments, or those of `export` and its like.
bool assigns(const ReadWords& words, std::size_t at) {
  constexpr std::array<std::string_view, 5> kDeclarers{"export", "local", "readonly", "declare",
                                                       "typeset"};
  for (; !words[at].word.starts; --at) {
    if (at == 0 || words[at - 1].word.ends) return false;
    const std::string_view before = words[at - 1].written;
    const std::string_view sign = before.substr(leading_name(before).size());
    const bool declares =
        std::find(kDeclarers.begin(), kDeclarers.end(), before) != kDeclarers.end();
    if (!declares && !sign.starts_with('=') && !sign.starts_with("+=") && !before.starts_with('-'))
      return false;
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
  const ReadWord& word = words[at];
  const std::string_view name = leading_name(word.written);
  if (word.word.ends || name.empty() || !word.word.text.starts_with(name)) return false;
  std::string_view value = std::string_view(word.word.text).substr(name.size());
  if (value.starts_with('+')) value.remove_prefix(1);
  if (!value.starts_with('=')) return false;
  value.remove_prefix(1);
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
      const bool exported = at > 0 && words[at - 1].word.text == "export";
      if (exported || sets_for_program(words, at + 1)) survey.apart.insert(name);
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
    body_ = 0;
    for (std::size_t at = 0; at < words_.size();) {
      note_body(at);
      const auto found = definition_at(words_, at);
      if (found && (placed_.contains(found->name) || left_out_.contains(found->name))) {
        out.push_back(words_[at]);
        define(*found, words_[at].word.undecided, at_end);
        at = found->next;
        continue;
      }
      if (!found) define_plain(words_[at], at_end);
      if (words_[at].word.starts && words_[at].written == "unset") forget(at + 1);
      add(words_[at], at_end, out, kMostPutIn);
      ++at;
    }
    return out;
  }

  [[nodiscard]] const Contents& contents() const { return contents_; }

 private:
  /// Counts the braces of a function's body.
  void note_body(std::size_t at) {
    const ShellWord& word = words_[at].word;
    const bool opens = !word.ends && word.text == "{";
    if (opens && (body_ > 0 ||
                  (at > 1 && is_operator(words_, at - 1, ")") && is_operator(words_, at - 2, "("))))
      ++body_;
    if (body_ > 0 && !word.ends && word.text == "}") --body_;
  }

  void define(const Definition& found, bool undecided, const Contents& at_end) {
    ReadWords values;
    for (std::size_t at = found.begin; at < found.end; ++at) {
      add(words_[at], at_end, values, kMostArguments);
      const bool behind = at > found.begin && words_[at - 1].word.ends;
      if (!values.empty() && !behind) values.back().word.starts = false;
    }
    keep(found.name, std::move(values), found.appends, undecided);
  }

  /// `NAME=value` of a variable that holds arguments elsewhere.
  void define_plain(const ReadWord& word, const Contents& at_end) {
    const std::string_view name = leading_name(word.written);
    std::string_view sign = std::string_view(word.written).substr(name.size());
    if (word.word.ends || !placed_.contains(name)) return;
    const bool appends = sign.starts_with("+=");
    if (!appends && !sign.starts_with('=')) return;
    ReadWord value = word;
    value.word.starts = false;
    value.word.text = word.word.text.substr(name.size() + (appends ? 2 : 1));
    value.written = word.written.substr(name.size() + (appends ? 2 : 1));
    ReadWords values;
    if (used_in(value, placed_).empty() && are_arguments(value.word.text)) {
      add_each(value, values);
    } else if (!value.written.empty()) {
      add(value, at_end, values, kMostArguments);
    }
    keep(std::string(name), std::move(values), appends, word.word.undecided);
  }

  /// The variables that `unset` names hold nothing.
  void forget(std::size_t at) {
    for (; sets_for_program(words_, at); ++at) contents_[words_[at].written].clear();
  }

  /// What an assignment that only a run makes or not replaces stays, as undecided as the rest.
  void keep(const std::string& name, ReadWords values, bool appends, bool undecided) {
    ReadWords& kept = contents_[name];
    if (!appends && !undecided) kept.clear();
    for (ReadWord& word : kept)
      word.word.undecided = word.word.undecided || (undecided && !appends);
    const std::size_t room = kMostArguments - std::min(kept.size(), kMostArguments);
    values.resize(std::min(values.size(), room));
    kept.insert(kept.end(), values.begin(), values.end());
  }

  /// Adds a word, or what it stands for, to `out`, up to `most` words that are put in.
  void add(const ReadWord& word, const Contents& at_end, ReadWords& out, std::size_t most) const {
    const std::string_view name = used_in(word, placed_);
    if (name.empty()) return add_split(word, out);
    auto held = contents_.find(name);
    if (body_ > 0 || held == contents_.end()) {
      held = at_end.find(name);
      if (held == at_end.end()) return;
    }
    if (out.size() + held->second.size() > std::max(most, words_.size())) return;
    bool first = word.word.starts;
    for (ReadWord value : held->second) {
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
  int body_ = 0;  ///< open braces of a function
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
