#include "sim/run/recipe_import/shell_words.h"

#include <cctype>
#include <functional>
#include <map>
#include <optional>
#include <string_view>

namespace simtrain {
namespace {

constexpr std::size_t kLongest = 4096;  // of a word with its variables put in

bool starts_name(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool in_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

/// The quote that closes the one at `start`, or npos.
std::size_t closing_quote(const std::string& text, std::size_t start) {
  for (std::size_t i = start + 1; i < text.size(); ++i) {
    if (text[i] == '\\' && text[start] == '"') {
      ++i;
    } else if (text[i] == text[start]) {
      return i;
    }
  }
  return std::string::npos;
}

/// A quoted text that is a command line itself: "--num-layers 24 ...", "python x.py --bf16".
bool holds_options(std::string_view quoted) {
  for (std::size_t at = quoted.find("--"); at != std::string_view::npos;
       at = quoted.find("--", at + 2)) {
    const bool starts = at == 0 || is_blank(quoted[at - 1]);
    if (starts && at + 2 < quoted.size() && starts_name(quoted[at + 2]) &&
        quoted.find_first_of(" \t\n") != std::string_view::npos)
      return true;
  }
  return false;
}

/// Splits a script into words; variables stay as they are written.
class Splitter {
 public:
  Splitter(std::string text, const std::string& file) : text_(std::move(text)), file_(file) {}

  std::vector<ShellWord> split() {
    while (at_ < text_.size()) step();
    finish();
    return std::move(words_);
  }

 private:
  void step() {
    const char c = text_[at_];
    if (c == '\\' && at_ + 1 < text_.size()) {
      if (text_[at_ + 1] == '\n') {
        advance();
        finish();
      } else {
        advance();
        add(text_[at_]);
      }
    } else if (c == '\'' || c == '"') {
      return quoted();
    } else if (c == '#' && !open_) {
      while (at_ < text_.size() && text_[at_] != '\n') advance();
      return;
    } else if (c == '$' && at_ + 1 < text_.size() &&
               (text_[at_ + 1] == '{' || text_[at_ + 1] == '(')) {
      return bracketed();
    } else if (is_blank(c)) {
      finish();
    } else if (c == ';' || c == '|' || c == '&' || c == '(' || c == ')' || c == '<' || c == '>') {
      finish();
      words_.push_back({"", place_, true});
    } else {
      add(c);
    }
    advance();
  }

  void quoted() {
    const std::size_t end = closing_quote(text_, at_);
    if (end == std::string::npos) return add_and_advance();
    if (holds_options(std::string_view(text_).substr(at_ + 1, end - at_ - 1))) {
      text_[at_] = ' ';  // its words are words of the script
      text_[end] = ' ';
      finish();
      return advance();
    }
    const char quote = text_[at_];
    begin();
    advance();
    while (at_ < end) {
      if (quote == '"' && text_[at_] == '\\' && at_ + 1 < end) advance();
      add(text_[at_]);
      advance();
    }
    advance();
  }

  /// `${...}` and `$(...)` stay one piece, blanks and all.
  void bracketed() {
    const char opening = text_[at_ + 1];
    const char closing = opening == '{' ? '}' : ')';
    int depth = 0;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == opening) ++depth;
      add_and_advance();
      if (c == closing && --depth == 0) return;
    }
  }

  void add_and_advance() {
    add(text_[at_]);
    advance();
  }
  void begin() {
    if (!open_) word_ = {"", place_};
    open_ = true;
  }
  void add(char c) {
    begin();
    word_.text += c;
  }
  void finish() {
    if (open_) words_.push_back(std::move(word_));
    open_ = false;
  }
  void advance() {
    ++place_.column;
    if (text_[at_++] != '\n') return;
    ++place_.line;
    place_.column = 1;
  }

  std::string text_;
  std::string file_;
  SourcePlace place_{file_, 1, 1};
  std::size_t at_ = 0;
  bool open_ = false;
  ShellWord word_;
  std::vector<ShellWord> words_;
};

/// The variables of a script; one that is set to several values has none that is known.
class Variables {
 public:
  /// Takes a word that is `NAME=value`.
  bool take(const std::string& word) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos || equals == 0 || !starts_name(word[0])) return false;
    for (std::size_t i = 0; i < equals; ++i) {
      if (!in_name(word[i])) return false;
    }
    std::string value = put_in(word.substr(equals + 1));
    const auto [entry, fresh] = values_.try_emplace(word.substr(0, equals), value);
    if (!fresh && entry->second != value) entry->second.reset();
    return true;
  }

  [[nodiscard]] std::string put_in(const std::string& word) const {
    std::string out;
    for (std::size_t at = 0; at < word.size() && out.size() <= kLongest;) {
      const std::size_t length = word[at] == '$' ? reference_length(word, at) : 0;
      const auto value = length > 0 ? value_of(word.substr(at, length)) : std::nullopt;
      const std::size_t taken = length > 0 ? length : 1;
      out += value ? *value : word.substr(at, taken);
      at += taken;
    }
    return out;
  }

 private:
  /// Of `$NAME` or `${...}`; 0 where there is none.
  static std::size_t reference_length(const std::string& word, std::size_t at) {
    if (at + 1 >= word.size()) return 0;
    if (word[at + 1] == '{') {
      const std::size_t end = word.find('}', at);
      return end == std::string::npos ? 0 : end - at + 1;
    }
    std::size_t end = at + 1;
    while (end < word.size() && in_name(word[end])) ++end;
    return starts_name(word[at + 1]) ? end - at : 0;
  }

  [[nodiscard]] std::optional<std::string> value_of(const std::string& reference) const {
    const bool braced = reference[1] == '{';
    const std::string inside =
        braced ? reference.substr(2, reference.size() - 3) : reference.substr(1);
    std::size_t end = 0;
    while (end < inside.size() && in_name(inside[end])) ++end;
    const auto known = values_.find(inside.substr(0, end));
    if (known != values_.end()) return known->second;
    const std::string rest = inside.substr(end);
    if (rest.starts_with(":-") || rest.starts_with(":=")) return rest.substr(2);
    if (rest.starts_with('-')) return rest.substr(1);
    return std::nullopt;
  }

  std::map<std::string, std::optional<std::string>, std::less<>> values_;
};

}  // namespace

std::vector<ShellWord> shell_words(const std::string& text, const std::string& file) {
  std::vector<ShellWord> words = Splitter(text, file).split();
  Variables variables;
  for (const ShellWord& word : words) variables.take(word.text);
  for (ShellWord& word : words) word.text = variables.put_in(word.text);
  return words;
}

}  // namespace simtrain
