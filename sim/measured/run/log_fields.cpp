#include "sim/measured/run/log_fields.h"

#include <cmath>
#include <cstring>
#include <limits>

#include "sim/core/input/number_text.h"
#include "sim/core/input/text_parts.h"

namespace simtrain {

std::size_t find_word(std::string_view text, std::string_view word) {
  const void* found = memmem(text.data(), text.size(), word.data(), word.size());
  return found == nullptr ? std::string_view::npos
                          : static_cast<std::size_t>(static_cast<const char*>(found) - text.data());
}

bool occurs_twice(std::string_view text, std::string_view word) {
  const std::size_t first = find_word(text, word);
  return first != std::string_view::npos &&
         find_word(text.substr(first + word.size()), word) != std::string_view::npos;
}

std::optional<std::string_view> field_after(std::string_view text, std::string_view label,
                                            std::string_view stops) {
  const std::size_t at = find_word(text, label);
  if (at == std::string_view::npos) return std::nullopt;
  text.remove_prefix(at + label.size());
  const std::size_t end = text.find_first_of(stops);
  if (end == std::string_view::npos) return std::nullopt;
  return trimmed(text.substr(0, end));
}

std::optional<double> number_in(std::string_view text) {
  text = trimmed(text);
  if (text.starts_with('+')) text.remove_prefix(1);
  return number_as<double>(text);
}

std::optional<std::int64_t> whole_number_in(std::string_view text) {
  constexpr double kMost = 1e15;  // exact as double
  const auto value = number_in(text);
  if (!value || !(*value >= 0 && *value <= kMost) || *value != std::floor(*value))
    return std::nullopt;
  return static_cast<std::int64_t>(*value);
}

double number_after(std::string_view text, std::string_view label, std::string_view stops) {
  const auto field = field_after(text, label, stops);
  const auto number = field ? number_in(*field) : std::nullopt;
  return number.value_or(kNotLogged);
}

namespace {

/// A text that is no number counts as finite.
bool is_finite_in(std::string_view text) { return std::isfinite(number_in(text).value_or(0)); }

}  // namespace

void set_loss(MeasuredStep& step, std::optional<std::string_view> loss,
              std::optional<std::string_view> gradient_norm) {
  constexpr double kMost = std::numeric_limits<float>::max();
  const double value = loss ? number_in(*loss).value_or(kNotLogged) : kNotLogged;
  if (std::abs(value) <= kMost) step.loss = static_cast<float>(value);
  step.finite = (!loss || is_finite_in(*loss)) && (!gradient_norm || is_finite_in(*gradient_norm));
}

}  // namespace simtrain
