#include <charconv>
#include <optional>

#include "sim/app/serve/http_server.h"
#include "sim/core/input/text_parts.h"

namespace simtrain {
namespace {

/// %41 is A, and + a blank in the fields; nothing where a % is no number of two digits.
std::optional<std::string> decoded(std::string_view text, bool field) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += field && text[i] == '+' ? ' ' : text[i];
      continue;
    }
    unsigned value = 0;
    const std::string_view digits = text.substr(i + 1, 2);
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
    if (digits.size() != 2 || error != std::errc() || end != digits.data() + 2) return std::nullopt;
    out += static_cast<char>(static_cast<unsigned char>(value));
    i += 2;
  }
  return out;
}

bool parse_fields(std::string_view text, HttpRequest& request) {
  for (const std::string_view part : split(text, '&')) {
    if (part.empty()) continue;
    const std::size_t equals = part.find('=');
    const auto name = decoded(part.substr(0, equals), true);
    const auto value = equals == std::string_view::npos ? std::optional<std::string>("")
                                                        : decoded(part.substr(equals + 1), true);
    if (!name || !value) return false;
    request.fields.emplace_back(*name, *value);
  }
  return true;
}

}  // namespace

bool parse_target(std::string_view target, HttpRequest& request) {
  if (!target.starts_with('/')) return false;
  const std::size_t question = target.find('?');
  const auto path = decoded(target.substr(0, question), false);
  if (!path) return false;
  request = {*path, {}};
  return question == std::string_view::npos || parse_fields(target.substr(question + 1), request);
}

}  // namespace simtrain
