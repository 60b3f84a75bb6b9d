#include "sim/import/shell/words/shell_arguments.h"

#include <algorithm>
#include <map>
#include <string_view>

#include <fmt/format.h>

#include "sim/import/shell/words/argument_survey.h"

namespace simtrain {
namespace {

using ReadWords = std::vector<ReadWord>;

using Contents = std::map<std::string, ReadWords, std::less<>>;
using Names = ArgumentSurvey::Names;

constexpr std::size_t kMostArguments = 1024;  // of a variable
constexpr std::size_t kMostAdded = 16384;     // of all words of a script

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

/// The variable whose arguments a word stands for; empty where it is anything else.
std::string_view used_in(const ReadWord& word, const Names& names) {
  if (word.word.ends || !word.written.starts_with('$')) return {};
  const VariableUse use = use_at(word.written, 0);
  const auto known = use.whole ? names.find(use.name) : names.end();
  return known == names.end() ? std::string_view() : *known;
}

class ArgumentReader {
 public:
  ArgumentReader(const ReadWords& words, const std::vector<std::size_t>& callers,
                 const Names& placed, const Names& left_out)
      : words_(words), callers_(callers), placed_(placed), left_out_(left_out) {}

  /// The words with arguments in their places.
  ReadWords read() {
    ReadWords out;
    for (std::size_t at = 0; at < words_.size();) {
      const auto found = definition_at(words_, at);
      if (found && (placed_.contains(found->name) || left_out_.contains(found->name))) {
        out.push_back(words_[at]);
        define(*found, at);
        at = found->next;
        continue;
      }
      if (!found) define_plain(at);
      if (words_[at].word.starts && words_[at].written == "unset") forget(at + 1);
      add(words_[at], out, kMostAdded);
      ++at;
    }
    return out;
  }

 private:
  void define(const ArgumentDefinition& found, std::size_t place) {
    ReadWords values;
    for (std::size_t at = found.begin; at < found.end; ++at) {
      add(words_[at], values, kMostArguments);
      const bool behind = at > found.begin && words_[at - 1].word.ends;
      if (!values.empty() && !behind) values.back().word.starts = false;
    }
    keep(found.name, std::move(values), found.appends, place);
  }

  /// `NAME=value` of a variable that holds arguments elsewhere.
  void define_plain(std::size_t place) {
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
      add(value, values, kMostArguments);
    }
    keep(std::string(assigned->name), std::move(values), assigned->appends, place);
  }

  /// The variables that `unset` names hold nothing.
  void forget(std::size_t at) {
    for (; sets_for_program(words_, at); ++at)
      contents_[held_name(words_[at].written, words_[at].word.call)] = {};
  }

  /// Under which a variable of a call's own is kept.
  static std::string own_name(std::string_view name, std::size_t call) {
    return fmt::format("{}@{}", name, call);
  }

  /// Under which a variable that a call names is kept: its own, that of a call around it, or that
  /// of all.
  [[nodiscard]] std::string held_name(std::string_view name, std::size_t call) const {
    for (; call != 0; call = callers_[call - 1]) {
      std::string own = own_name(name, call);
      if (contents_.contains(own)) return own;
    }
    return std::string(name);
  }

  /// What an assignment that only a run makes or not replaces stays, as undecided as the rest.
  void keep(const std::string& name, ReadWords values, bool appends, std::size_t place) {
    const ShellWord& where = words_[place].word;
    ReadWords& kept =
        contents_[words_[place].own ? own_name(name, where.call) : held_name(name, where.call)];
    if (!appends && !where.undecided) kept.clear();
    for (ReadWord& word : kept)
      word.word.undecided = word.word.undecided || (where.undecided && !appends);
    const std::size_t room = kMostArguments - std::min(kept.size(), kMostArguments);
    values.resize(std::min(values.size(), room));
    kept.insert(kept.end(), values.begin(), values.end());
  }

  /// Adds a word, or what it stands for, to `out`, up to `most` words that are put in.
  void add(const ReadWord& word, ReadWords& out, std::size_t most) const {
    const std::string_view name = used_in(word, placed_);
    if (name.empty()) return add_split(word, out);
    const auto held = contents_.find(held_name(name, word.word.call));
    if (held == contents_.end()) return;
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
  const std::vector<std::size_t>& callers_;
  const Names& placed_;
  const Names& left_out_;
  Contents contents_;
};

}  // namespace

std::vector<std::string> put_in_arguments(std::vector<ReadWord>& words,
                                          const std::vector<std::size_t>& callers,
                                          const std::vector<std::string>& looped) {
  const ArgumentSurvey survey = survey_of(words, looped);
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
  words = ArgumentReader(words, callers, placed, left_out).read();
  return {unused.begin(), unused.end()};
}

}  // namespace simtrain
