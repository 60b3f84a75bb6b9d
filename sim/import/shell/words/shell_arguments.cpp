#include "sim/import/shell/words/shell_arguments.h"

#include <algorithm>
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
  while (found.end < words.size() && words[found.end].word.quoted) ++found.end;
  found.next = found.end;
  return found.end > found.begin ? std::optional(found) : std::nullopt;
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
  Names used;   ///< by a command or by others of them
  Names apart;  ///< exported, or used in part
  bool by_commands = false;

  [[nodiscard]] bool defines(std::string_view name) const {
    return lists.contains(name) || texts.contains(name);
  }
};

void note_uses(const ReadWord& word, std::string_view inside, Survey& survey) {
  for (std::size_t at = word.written.find('$'); at < word.written.size();
       at = word.written.find('$', at + 1)) {
    const Use use = use_at(word.written, at);
    if (!survey.defines(use.name)) continue;
    if (!use.whole || (!use.items && survey.lists.contains(use.name))) {
      survey.apart.insert(use.name);
    } else if (use.name != inside) {
      survey.used.insert(use.name);
      if (inside.empty()) survey.by_commands = true;
    }
  }
}

Survey survey_of(const ReadWords& words) {
  Survey survey;
  for (std::size_t at = 0; at < words.size(); ++at) {
    const auto found = definition_at(words, at);
    if (!found) continue;
    (found->list ? survey.lists : survey.texts).insert(found->name);
    if (found->exported) survey.apart.insert(found->name);
    at = found->next - 1;
  }
  for (std::size_t at = 0; at < words.size(); ++at) {
    const auto found = definition_at(words, at);
    const std::size_t next = found ? found->next : at + 1;
    for (; at < next; ++at)
      if (!words[at].word.ends) note_uses(words[at], found ? found->name : "", survey);
    --at;
  }
  return survey;
}

class ArgumentReader {
 public:
  ArgumentReader(const ReadWords& words, const Names& placed, const Names& unused)
      : words_(words), placed_(placed), unused_(unused) {}

  /// The words with arguments in their places. `at_end` is what the variables hold at the end of
  /// the script.
  ReadWords read(const Contents& at_end) {
    ReadWords out;
    contents_.clear();
    body_ = 0;
    for (std::size_t at = 0; at < words_.size();) {
      note_body(at);
      const auto found = definition_at(words_, at);
      if (found && (placed_.contains(found->name) || unused_.contains(found->name))) {
        out.push_back(words_[at]);
        define(*found, words_[at].word.undecided, at_end);
        at = found->next;
        continue;
      }
      if (!found) define_plain(words_[at]);
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
    keep(found.name, std::move(values), found.appends || undecided);
  }

  /// `NAME=value` of a variable that holds arguments elsewhere.
  void define_plain(const ReadWord& word) {
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
    if (!value.written.empty()) values.push_back(std::move(value));
    keep(std::string(name), std::move(values), appends || word.word.undecided);
  }

  void keep(const std::string& name, ReadWords values, bool adds) {
    ReadWords& kept = contents_[name];
    if (!adds) kept.clear();
    const std::size_t room = kMostArguments - std::min(kept.size(), kMostArguments);
    values.resize(std::min(values.size(), room));
    kept.insert(kept.end(), values.begin(), values.end());
  }

  /// Adds a word, or what it stands for, to `out`, up to `most` words that are put in.
  void add(const ReadWord& word, const Contents& at_end, ReadWords& out, std::size_t most) const {
    const std::string_view name = used_in(word, placed_);
    if (name.empty()) return out.push_back(word);
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
  const Names& unused_;
  Contents contents_;
  int body_ = 0;  ///< open braces of a function
};

}  // namespace

std::vector<std::string> put_in_arguments(std::vector<ReadWord>& words) {
  const Survey survey = survey_of(words);
  if (!survey.by_commands) return {};
  Names placed;
  Names unused;
  for (const Names* names : {&survey.lists, &survey.texts}) {
    for (const std::string& name : *names) {
      if (!survey.apart.contains(name)) (survey.used.contains(name) ? placed : unused).insert(name);
    }
  }
  ArgumentReader reader(words, placed, unused);
  reader.read({});
  const Contents at_end = reader.contents();
  words = reader.read(at_end);
  return {unused.begin(), unused.end()};
}

}  // namespace simtrain
