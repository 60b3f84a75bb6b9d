#include "sim/core/input_error.h"

#include <fmt/format.h>

namespace simtrain {
namespace {

/// Control characters of the input are shown as '?', so that the message stays one line.
std::string one_line(std::string text) {
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
  }
  return text;
}

std::string place_text(const SourcePlace& place) {
  std::string text;
  if (!place.file.empty()) text += place.file + ":";
  if (place.line > 0) text += fmt::format("{}:", place.line);
  if (place.column > 0) text += fmt::format("{}:", place.column);
  return text.empty() ? text : text + " ";
}

}  // namespace

InputError::InputError(const SourcePlace& place, const std::string& key,
                       const std::string& sentence)
    : std::runtime_error(one_line(place_text(place) + (key.empty() ? "" : key + ": ") + sentence)),
      place_size_(place_text(place).size()) {}

}  // namespace simtrain
