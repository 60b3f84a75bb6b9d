#include "sim/core/json_text.h"

namespace simtrain {

bool nests_deeper(std::string_view text, std::size_t most) {
  std::size_t depth = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted) {
      if (c == '\\') ++i;
      if (c == '"') quoted = false;
    } else if (c == '"') {
      quoted = true;
    } else if (c == '[' || c == '{') {
      if (++depth > most) return true;
    } else if ((c == ']' || c == '}') && depth > 0) {
      --depth;
    }
  }
  return false;
}

nlohmann::json parse_json(std::string_view text) {
  constexpr std::size_t kDeepest = 64;
  if (nests_deeper(text, kDeepest)) return nlohmann::json::value_t::discarded;
  return nlohmann::json::parse(text, nullptr, false);
}

std::optional<std::size_t> JsonObjectEnd::find(std::string_view part) {
  for (std::size_t at = 0; at < part.size(); ++at) {
    const char c = part[at];
    if (escaped_) {
      escaped_ = false;
    } else if (in_string_) {
      escaped_ = c == '\\';
      in_string_ = c != '"';
    } else if (c == '"') {
      in_string_ = true;
    } else if (c == '{') {
      ++depth_;
    } else if (c == '}' && --depth_ == 0) {
      return at + 1;
    }
  }
  return std::nullopt;
}

}  // namespace simtrain
