#include "sim/import/shell/words/shell_arithmetic.h"

#include <cctype>
#include <stdexcept>

#include "sim/core/input/number_text.h"
#include "sim/import/shell/words/shell_words.h"

namespace simtrain {
namespace {

constexpr int kDeepest = 32;  // brackets in brackets

struct NotKnown : std::runtime_error {
  NotKnown() : std::runtime_error("not known") {}
};

class ArithmeticReader {
 public:
  using ValueOf = std::function<std::optional<std::string>(const std::string&)>;

  ArithmeticReader(std::string_view text, const ValueOf& value_of)
      : rest_(text), value_of_(value_of) {}

  std::int64_t read() {
    const std::int64_t value = choice();
    skip_blanks();
    if (!rest_.empty()) throw NotKnown();
    return value;
  }

 private:
  void skip_blanks() {
    while (!rest_.empty() && std::isspace(static_cast<unsigned char>(rest_.front())) != 0)
      rest_.remove_prefix(1);
  }

  bool take(char mark) {
    skip_blanks();
    if (rest_.empty() || rest_.front() != mark) return false;
    rest_.remove_prefix(1);
    return true;
  }

  bool take_sign(std::string_view sign) {
    skip_blanks();
    if (!rest_.starts_with(sign)) return false;
    rest_.remove_prefix(sign.size());
    return true;
  }

  /// `condition ? one : other`
  std::int64_t choice() {
    const std::int64_t value = comparison();
    if (!take('?')) return value;
    if (++depth_ > kDeepest) throw NotKnown();
    const std::int64_t one = choice();
    if (!take(':')) throw NotKnown();
    const std::int64_t other = choice();
    --depth_;
    return value != 0 ? one : other;
  }

  std::int64_t comparison() {
    const std::int64_t value = shifted();
    if (take_sign("==")) return value == shifted() ? 1 : 0;
    if (take_sign("!=")) return value != shifted() ? 1 : 0;
    if (take_sign("<=")) return value <= shifted() ? 1 : 0;
    if (take_sign(">=")) return value >= shifted() ? 1 : 0;
    if (take_sign("<")) return value < shifted() ? 1 : 0;
    if (take_sign(">")) return value > shifted() ? 1 : 0;
    return value;
  }

  /// Of sizes, which are no negative numbers.
  std::int64_t shifted() {
    std::int64_t value = sum();
    while (take_sign("<<")) {
      const std::int64_t by = sum();
      if (value < 0 || by < 0 || by > 62) throw NotKnown();
      if (__builtin_mul_overflow(value, std::int64_t{1} << by, &value)) throw NotKnown();
    }
    return value;
  }

  std::int64_t sum() {
    std::int64_t value = product();
    for (;;) {
      bool over = false;
      if (take('+')) {
        over = __builtin_add_overflow(value, product(), &value);
      } else if (take('-')) {
        over = __builtin_sub_overflow(value, product(), &value);
      } else {
        return value;
      }
      if (over) throw NotKnown();
    }
  }

  std::int64_t product() {
    std::int64_t value = power();
    for (;;) {
      if (take('*')) {
        if (__builtin_mul_overflow(value, power(), &value)) throw NotKnown();
      } else if (take('/')) {
        value /= divisor();
      } else if (take('%')) {
        value %= divisor();
      } else {
        return value;
      }
    }
  }

  std::int64_t power() {
    const std::int64_t base = single();
    if (!take_sign("**")) return base;
    std::int64_t value = 1;
    for (std::int64_t left = power(); left != 0; --left) {
      if (left < 0 || left > 62 || __builtin_mul_overflow(value, base, &value)) throw NotKnown();
    }
    return value;
  }

  std::int64_t divisor() {
    const std::int64_t value = power();
    if (value == 0 || value == -1) throw NotKnown();  // -1: the one quotient that does not fit
    return value;
  }

  std::int64_t single() {
    if (take('-')) return negative();
    if (take('+')) return single();
    if (take('(')) {
      if (++depth_ > kDeepest) throw NotKnown();
      const std::int64_t value = choice();
      --depth_;
      if (!take(')')) throw NotKnown();
      return value;
    }
    skip_blanks();
    if (const auto number = take_number<std::int64_t>(rest_)) return *number;
    return variable();
  }

  std::int64_t negative() {
    if (++depth_ > kDeepest) throw NotKnown();
    std::int64_t value = single();
    --depth_;
    if (__builtin_sub_overflow(std::int64_t{0}, value, &value)) throw NotKnown();
    return value;
  }

  std::int64_t variable() {
    const bool marked = take('$');
    const bool braced = marked && take('{');
    const std::size_t end = braced ? in_braces() : name_length();
    const std::string name(rest_.substr(0, end));
    rest_.remove_prefix(end);
    if (name.empty() || (braced && !take('}'))) throw NotKnown();
    const auto text = value_of_(name);
    const auto number = text ? number_as<std::int64_t>(*text) : std::nullopt;
    if (!number) throw NotKnown();
    return *number;
  }

  [[nodiscard]] std::size_t name_length() const {
    std::size_t end = 0;
    while (end < rest_.size() && in_name(rest_[end])) ++end;
    return end;
  }

  /// Up to the brace that closes: `NAME`, `NAME:-8`, `NAME:-${OTHER}`.
  [[nodiscard]] std::size_t in_braces() const {
    int depth = 1;
    for (std::size_t end = 0; end < rest_.size(); ++end) {
      if (rest_[end] == '{') ++depth;
      if (rest_[end] == '}' && --depth == 0) return end;
    }
    throw NotKnown();
  }

  std::string_view rest_;
  const ValueOf& value_of_;
  int depth_ = 0;
};

}  // namespace

std::optional<std::int64_t> shell_arithmetic(
    std::string_view text,
    const std::function<std::optional<std::string>(const std::string& name)>& value_of) {
  try {
    return ArithmeticReader(text, value_of).read();
  } catch (const NotKnown&) {
    return std::nullopt;
  }
}

}  // namespace simtrain
