#include "sim/import/shell/words/shell_parameters.h"

#include <algorithm>
#include <charconv>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include "sim/import/shell/words/shell_chain.h"
#include "sim/import/shell/words/shell_functions.h"

namespace simtrain {
namespace {

using ParameterWords = std::vector<ShellWord>;

constexpr std::size_t kLongestText = 4096;  // of a word with parameters put in
constexpr std::size_t kMostParameters = 4096;
constexpr std::size_t kMostPutIn = 16384;  // words in one function

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// A number that a text starts with, behind which `text` goes on; none where it does not.
std::optional<std::size_t> take_number(std::string_view& text) {
  std::size_t number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (read.ec != std::errc{} || number > kMostParameters) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(read.ptr - text.data()));
  return number;
}

/// What a text asks of the parameters, from its `$` on: `$1`, `${2:-8}`, `$@`, `${@:2}`, `$#`.
struct Asked {
  std::size_t first = 1;       ///< of the parameters
  bool all = false;            ///< it and those behind it
  bool count = false;          ///< how many there are
  std::string_view otherwise;  ///< for one that is not given or empty
  std::size_t length = 0;      ///< of the text that asks
};

std::optional<Asked> asked_in_braces(std::string_view text) {
  const std::size_t close = text.find('}');
  if (close == text.npos) return std::nullopt;
  std::string_view inside = text.substr(2, close - 2);
  Asked asked;
  asked.length = close + 1;
  asked.count = inside == "#";
  if (asked.count) return asked;
  asked.all = inside.starts_with('@') || inside.starts_with('*');
  if (asked.all) inside.remove_prefix(1);
  const bool numbered = !asked.all || inside.starts_with(':');
  if (asked.all && numbered) inside.remove_prefix(1);
  const auto number = numbered ? take_number(inside) : std::optional(asked.first);
  if (!number || *number == 0) return std::nullopt;
  asked.first = *number;
  if (!asked.all && inside.starts_with(':')) inside.remove_prefix(1);
  if (!asked.all && inside.starts_with('-')) asked.otherwise = std::exchange(inside, {}).substr(1);
  return inside.empty() ? std::optional(asked) : std::nullopt;
}

std::optional<Asked> asked_at(std::string_view text, std::size_t at) {
  text.remove_prefix(at);
  if (text.size() < 2 || text[0] != '$') return std::nullopt;
  const char mark = text[1];
  if (mark == '{') return asked_in_braces(text);
  Asked asked;
  asked.length = 2;
  asked.all = mark == '@' || mark == '*';
  asked.count = mark == '#';
  if (is_digit(mark)) asked.first = static_cast<std::size_t>(mark - '0');
  const bool asks = asked.all || asked.count || (is_digit(mark) && asked.first > 0);
  return asks ? std::optional(asked) : std::nullopt;
}

/// What a word that is nothing else asks for.
std::optional<Asked> asked_by(const ShellWord& word) {
  const auto asked = word.ends ? std::nullopt : asked_at(word.text, 0);
  return asked && asked->length == word.text.size() ? asked : std::nullopt;
}

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

/// Whether a `shift` is in a branch or loop, so that which parameters are left depends on the way.
bool shifts_in_branch(const ParameterWords& body) {
  int depth = 0;
  bool starts = true;
  for (std::size_t at = behind_functions(body, 0); at < body.size();
       at = behind_functions(body, at + 1)) {
    const ShellWord& word = body[at];
    const bool command = !word.ends && (word.starts || starts);
    if (command && is_one_of(word.text, {"if", "case", "for", "while", "until"})) ++depth;
    if (command && is_one_of(word.text, {"fi", "esac", "done"})) --depth;
    if (!word.ends && word.text == "shift" && (depth > 0 || is_chained(body, at))) return true;
    starts =
        command && is_one_of(word.text, {"if", "while", "until", "then", "else", "do", "{", "!"});
  }
  return false;
}

class ParameterReader {
 public:
  explicit ParameterReader(ShellParameters parameters) : parameters_(std::move(parameters)) {}

  void read(const ParameterWords& body) {
    for (std::size_t at = 0; at < body.size(); ++at) {
      const std::size_t behind = behind_functions(body, at);
      while (at < behind) words_.push_back(body[at++]);
      if (at == body.size()) break;
      const ShellWord& word = body[at];
      if (word.starts && word.text == "shift") shift(body, at + 1);
      const auto asked = asked_by(word);
      if (asked && !asked->count && asked->otherwise.empty()) {
        add(*asked, word);
      } else {
        add_text(word.ends ? word.text : put_in(word.text), word);
      }
    }
  }

  ParameterWords take() { return std::move(words_); }

 private:
  /// The parameters that are asked for.
  [[nodiscard]] std::pair<std::size_t, std::size_t> range(const Asked& asked) const {
    const std::size_t begin = std::min(asked.first - 1, parameters_.size());
    return {begin, asked.all ? parameters_.size() : std::min(asked.first, parameters_.size())};
  }

  /// Adds those words in place of the one that asks for them: an empty one for `$1` that is not
  /// given.
  void add(const Asked& asked, const ShellWord& word) {
    bool starts = word.starts;
    const auto [begin, end] = range(asked);
    if (begin == end && !asked.all) add_text("", word);
    for (std::size_t i = begin; i < end && put_in_ < kMostPutIn; ++i) {
      put_in_ += parameters_[i].size();
      for (ShellWord given : parameters_[i]) {
        given.starts = std::exchange(starts, false);
        words_.push_back(std::move(given));
      }
    }
  }

  void add_text(std::string text, const ShellWord& word) {
    words_.push_back(word);
    words_.back().text = std::move(text);
  }

  [[nodiscard]] std::string text_of(const Asked& asked) const {
    if (asked.count) return std::to_string(parameters_.size());
    std::string text;
    const auto [begin, end] = range(asked);
    for (std::size_t i = begin; i < end; ++i) {
      for (const ShellWord& given : parameters_[i]) {
        if (!text.empty()) text += ' ';
        text += given.text;
      }
    }
    return text.empty() ? std::string(asked.otherwise) : text;
  }

  [[nodiscard]] std::string put_in(std::string_view text) const {
    std::string out;
    for (std::size_t at = 0; at < text.size() && out.size() <= kLongestText;) {
      const auto asked = asked_at(text, at);
      out += asked ? text_of(*asked) : std::string(1, text[at]);
      at += asked ? asked->length : 1;
    }
    return out;
  }

  void shift(const ParameterWords& body, std::size_t at) {
    std::size_t number = 1;
    if (at < body.size() && !body[at].ends && !body[at].starts) {
      std::string_view text = body[at].text;
      number = take_number(text).value_or(1);
    }
    number = std::min(number, parameters_.size());
    parameters_.erase(parameters_.begin(),
                      parameters_.begin() + static_cast<std::ptrdiff_t>(number));
  }

  ShellParameters parameters_;
  ParameterWords words_;
  std::size_t put_in_ = 0;
};

}  // namespace

std::optional<ShellParameters> parameters_of(const ParameterWords& arguments) {
  ShellParameters parameters;
  std::size_t quote = 0;
  for (const ShellWord& word : arguments) {
    if (asked_by(word) || parameters.size() > kMostParameters) return std::nullopt;
    const bool goes_on = word.quote != 0 && word.quote == quote;
    if (!goes_on) parameters.emplace_back();
    parameters.back().push_back(word);
    quote = word.quote;
  }
  return parameters;
}

ScriptArguments script_arguments(const std::string& line) {
  const ParameterWords words = split_script(line, "--arguments");
  const auto refused = std::find_if(words.begin(), words.end(), [](const ShellWord& word) {
    return word.ends || word.document || word.text.find_first_of("$`") != std::string::npos;
  });
  if (refused != words.end())
    throw InputError(refused->place, "",
                     "'" + refused->text.substr(0, 80) + "' is for a shell; values alone would do");
  const auto first = std::find_if(words.begin(), words.end(),
                                  [](const ShellWord& word) { return set_variable(word).empty(); });
  ScriptArguments found;
  found.variables.assign(words.begin(), first);
  if (auto parameters = parameters_of({first, words.end()})) found.parameters = *parameters;
  return found;
}

bool asks_for_parameters(const ParameterWords& script) {
  for (std::size_t at = behind_functions(script, 0); at < script.size();
       at = behind_functions(script, at + 1)) {
    if (script[at].ends) continue;
    const std::string& text = script[at].text;
    for (std::size_t sign = text.find('$'); sign != text.npos; sign = text.find('$', sign + 1)) {
      const auto asked = asked_at(text, sign);
      if (asked && !asked->all && !asked->count) return true;
    }
  }
  return false;
}

bool go_over_arguments(std::span<const ShellWord> words) {
  const bool list = !words.empty() && words.front().text == "for";
  return std::any_of(words.begin(), words.end(), [list](const ShellWord& word) {
    const auto asked = asked_by(word);
    return word.text == "getopts" || (asked && (asked->all || !list));
  });
}

std::optional<ParameterWords> with_parameters(const ParameterWords& body,
                                              ShellParameters parameters) {
  if (shifts_in_branch(body)) return std::nullopt;
  ParameterReader reader(std::move(parameters));
  reader.read(body);
  return reader.take();
}

}  // namespace simtrain
