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

std::string message(const SourcePlace& place, const std::string& key, const std::string& sentence) {
  std::string text;
  if (!place.file.empty()) text += place.file + ":";
  if (place.line > 0) text += fmt::format("{}:", place.line);
  if (place.column > 0) text += fmt::format("{}:", place.column);
  if (!text.empty()) text += " ";
  if (!key.empty()) text += key + ": ";
  return one_line(text + sentence);
}

}  // namespace

InputError::InputError(const SourcePlace& place, const std::string& key,
                       const std::string& sentence)
    : std::runtime_error(message(place, key, sentence)) {}

}  // namespace simtrain
