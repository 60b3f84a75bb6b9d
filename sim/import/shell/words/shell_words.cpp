#include "sim/import/shell/words/shell_words.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>
#include <utility>

namespace simtrain {
namespace {

constexpr std::size_t kLongestBracket = 512;  // a longer one is taken for plain text
constexpr std::size_t kMostUnended = 16;      // behind as many no document is looked for

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

/// The quote that closes the one at `start` of a command in brackets, before `end`; `start` where
/// none does.
std::size_t quote_end(const std::string& text, std::size_t start, std::size_t end) {
  const std::size_t close = text.find(text[start], start + 1);
  return close < end ? close : start;
}

bool is_quote(char c) { return c == '\'' || c == '"'; }

/// The last character of the `$(...)` or `${...}` at `start`, or `start` where there is none.
std::size_t bracket_end(const std::string& text, std::size_t start) {
  if (start + 1 >= text.size() || text[start] != '$') return start;
  const char opening = text[start + 1];
  if (opening != '{' && opening != '(') return start;
  const char closing = opening == '{' ? '}' : ')';
  int depth = 0;
  const std::size_t end = std::min(text.size(), start + kLongestBracket);
  for (std::size_t i = start + 1; i < end; ++i) {
    if (opening == '(' && is_quote(text[i])) i = quote_end(text, i, end);
    if (text[i] == opening) ++depth;
    if (text[i] == closing && --depth == 0) return i;
  }
  return start;
}

/// The quote that closes the one at `start`, or npos.
std::size_t closing_quote(const std::string& text, std::size_t start) {
  const bool expands = text[start] == '"';
  for (std::size_t i = start + 1; i < text.size(); ++i) {
    if (expands) i = bracket_end(text, i);
    if (text[i] == '\\' && expands) {
      ++i;
    } else if (text[i] == text[start]) {
      return i;
    }
  }
  return std::string::npos;
}

/// A quoted text that is a command line itself: "--num-layers 24 ...", "python x.py --bf16".
bool holds_options(std::string_view quoted) {
  constexpr std::string_view kConfiguration = ".yml ";  // MaxText's options have no dashes
  if (quoted.find("python") != quoted.npos && quoted.find(kConfiguration) != quoted.npos)
    return true;
  for (std::size_t at = quoted.find("--"); at != std::string_view::npos;
       at = quoted.find("--", at + 2)) {
    const bool starts = at == 0 || is_blank(quoted[at - 1]);
    if (starts && at + 2 < quoted.size() && starts_name(quoted[at + 2]) &&
        quoted.find_first_of(" \t\n") != std::string_view::npos)
      return true;
  }
  return false;
}

/// A quoted text that is a command put together of variables: "torchrun $NODES x.py $OPTIONS",
/// "$LAUNCHER $OPTIONS".
bool holds_variables(std::string_view quoted) {
  constexpr std::array<std::string_view, 6> kLaunchers{"torchrun",  "python", "python3",
                                                       "deepspeed", "srun",   "mpirun"};
  std::vector<ShellWord> words;
  ShellWord whole;
  whole.text = quoted;
  add_parts(whole, words);
  if (words.size() < 2) return false;
  const auto variables = std::count_if(words.begin(), words.end(), [](const ShellWord& word) {
    return word.text.starts_with('$') && !word.text.starts_with("$(");
  });
  const bool launches =
      std::find(kLaunchers.begin(), kLaunchers.end(), words.front().text) != kLaunchers.end();
  return variables > 0 && (launches || variables == std::ssize(words));
}

/// `END` of the `<<END`, `<<-END` or `<<'END'` at `at`; empty where there is none.
std::string end_of_document(std::string_view text, std::size_t at) {
  if (at > 0 && text[at - 1] == '<') return {};
  text.remove_prefix(at);
  if (!text.starts_with("<<") || text.starts_with("<<<")) return {};
  text.remove_prefix(text.starts_with("<<-") ? 3 : 2);
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  if (!text.empty() && is_quote(text[0])) text.remove_prefix(1);
  return std::string(leading_name(text));
}

/// Where the line that is `end` and nothing else starts, from the line at `at` on, or npos.
std::size_t document_stop(std::string_view text, std::size_t at, std::string_view end) {
  while (at < text.size()) {
    std::string_view line = text.substr(at, text.find('\n', at) - at);
    const std::size_t next = at + line.size() + 1;
    line.remove_prefix(std::min(line.find_first_not_of('\t'), line.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line == end) return at;
    at = next;
  }
  return std::string_view::npos;
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
    } else if (c == '`') {
      return backquoted();
    } else if (c == '#' && !open_) {
      while (at_ < text_.size() && text_[at_] != '\n') advance();
      return;
    } else if (c == '$' && at_ + 1 < text_.size() &&
               (text_[at_ + 1] == '{' || text_[at_ + 1] == '(')) {
      return bracketed();
    } else if (is_blank(c)) {
      finish();
      if (c == '\n') return next_line();
    } else if (c == ';' || c == '|' || c == '&' || c == '(' || c == ')' || c == '<' || c == '>') {
      finish();
      if (document_end_.empty()) document_end_ = end_of_document(text_, at_);
      words_.push_back({std::string(1, c), place_, true, false, false, quote()});
      fresh_ = c != '<' && c != '>';
    } else {
      add(c);
    }
    advance();
  }

  /// A document starts on the line behind the command whose it is.
  void next_line() {
    fresh_ = true;
    advance();
    if (!document_end_.empty()) document(std::exchange(document_end_, {}));
  }

  /// JSON up to the line that is `end` is one word.
  void document(const std::string& end) {
    const std::size_t first = text_.find_first_not_of(" \t\r\n", at_);
    if (unended_ == kMostUnended || first == std::string::npos || text_[first] != '{') return;
    const std::size_t stop = document_stop(text_, at_, end);
    if (stop == std::string::npos) {
      ++unended_;
      return;
    }
    words_.push_back({text_.substr(at_, stop - at_), place_});
    words_.back().document = true;
    while (at_ < stop) advance();
    while (at_ < text_.size() && text_[at_] != '\n') advance();
  }

  void quoted() {
    const std::size_t end = closing_quote(text_, at_);
    if (end == std::string::npos) return add_and_advance();
    const std::string_view inside = std::string_view(text_).substr(at_ + 1, end - at_ - 1);
    if (holds_options(inside) || (text_[at_] == '"' && holds_variables(inside))) {
      text_[at_] = ' ';  // its words are words of the script
      text_[end] = ' ';
      finish();
      if (at_ >= options_end_) ++quotes_;
      options_end_ = std::max(options_end_, end);
      return advance();
    }
    const char quote = text_[at_];
    begin();
    advance();
    while (at_ < end) {
      const std::size_t last = quote == '"' ? bracket_end(text_, at_) : at_;
      if (last == at_ && quote == '"' && text_[at_] == '\\' && at_ + 1 < end) advance();
      do add_and_advance();
      while (at_ <= last);
    }
    advance();
  }

  /// `` `command` `` stays one piece too.
  void backquoted() {
    const std::size_t end = text_.find('`', at_ + 1);
    if (end == std::string::npos || end - at_ > kLongestBracket) return add_and_advance();
    while (at_ <= end) add_and_advance();
  }

  /// `${...}` and `$(...)` stay one piece, blanks and all.
  void bracketed() {
    const char opening = text_[at_ + 1];
    const char closing = opening == '{' ? '}' : ')';
    int depth = 0;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (opening == '(' && is_quote(c)) {
        const std::size_t end =
            quote_end(text_, at_, std::min(text_.size(), at_ + kLongestBracket));
        while (at_ < end) add_and_advance();
      }
      if (c == opening) ++depth;
      add_and_advance();
      if (c == closing && --depth == 0) return;
    }
  }

  [[nodiscard]] std::size_t quote() const { return at_ < options_end_ ? quotes_ : 0; }

  void add_and_advance() {
    add(text_[at_]);
    advance();
  }
  void begin() {
    if (!open_) word_ = {"", place_, false, fresh_, false, quote()};
    open_ = true;
    fresh_ = false;
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
  std::size_t quotes_ = 0;       ///< quoted texts that hold options, so far
  std::size_t options_end_ = 0;  ///< of the last of them
  std::string document_end_;     ///< of the document that the line announces
  std::size_t unended_ = 0;      ///< documents without an end, so far
  bool open_ = false;
  bool fresh_ = true;  ///< the next word is the first of a command
  ShellWord word_;
  std::vector<ShellWord> words_;
};

}  // namespace

std::string_view leading_name(std::string_view text) {
  if (text.empty() || !starts_name(text[0])) return {};
  return text.substr(0, static_cast<std::size_t>(
                            std::find_if_not(text.begin(), text.end(), in_name) - text.begin()));
}

std::vector<ShellWord> split_script(const std::string& text, const std::string& file) {
  return Splitter(text, file).split();
}

std::string_view set_variable(const ShellWord& word) {
  const std::string_view text = word.text;
  const std::string_view name = leading_name(text);
  return !word.ends && text.substr(name.size()).starts_with('=') ? name : std::string_view();
}

std::vector<std::span<const ShellWord>> commands_in(const std::vector<ShellWord>& words) {
  std::vector<std::span<const ShellWord>> commands;
  for (std::size_t at = 0; at < words.size();) {
    std::size_t end = at + 1;
    while (end < words.size() && !words[end].starts) ++end;
    commands.push_back(std::span(words).subspan(at, end - at));
    at = end;
  }
  return commands;
}

std::size_t behind_words(const std::vector<ShellWord>& words, std::size_t at) {
  while (at < words.size() && (words[at].quote != 0 || (!words[at].ends && !words[at].starts)))
    ++at;
  return at;
}

std::size_t find_keyword(const std::vector<ShellWord>& words, std::size_t at,
                         std::string_view text) {
  constexpr std::size_t kLongestTest = 64;  // words from `if` to `then`
  const std::size_t end = std::min(words.size(), at + kLongestTest);
  for (std::size_t i = at + 1; i < end; ++i) {
    if (words[i].starts && words[i].text == text) return i;
  }
  return at;
}

std::optional<ArithmeticText> arithmetic_at(const std::vector<ShellWord>& words, std::size_t at) {
  constexpr std::size_t kMostWords = 64;
  if (!is_operator(words, at, "(") || !is_operator(words, at + 1, "(")) return std::nullopt;
  const SourcePlace& place = words[at].place;
  const SourcePlace& next = words[at + 1].place;
  if (next.line != place.line || next.column != place.column + 1) return std::nullopt;
  ArithmeticText found;
  const std::size_t most = std::min(words.size(), at + kMostWords);
  for (std::size_t i = at + 2; i < most; ++i) {
    if (is_operator(words, i, ")") && is_operator(words, i + 1, ")")) {
      found.end = i + 2;
      return found;
    }
    found.text += words[i].text;
  }
  return std::nullopt;
}

void add_parts(const ShellWord& word, std::vector<ShellWord>& parts) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const std::string_view text = word.text;
  for (std::size_t at = text.find_first_not_of(kBlanks); at != std::string_view::npos;) {
    const std::size_t end = std::min(text.find_first_of(kBlanks, at), text.size());
    ShellWord part = word;
    part.text = text.substr(at, end - at);
    parts.push_back(std::move(part));
    at = text.find_first_not_of(kBlanks, end);
  }
}

}  // namespace simtrain
