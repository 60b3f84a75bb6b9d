#include "sim/core/input/input_error.h"

#include <fmt/format.h>

#include "sim/core/printable.h"

namespace simtrain {
namespace {

constexpr std::size_t kLongestFile = 1200;
constexpr std::size_t kLongestKey = 300;
constexpr std::size_t kLongestSentence = 4000;

std::string place_text(const SourcePlace& place) {
  std::string text;
  const std::string file = printable(place.file);  // or an option: "--set KEY=VALUE"
  if (!file.empty()) text += (file.size() > kLongestFile ? echoed(file, kLongestFile) : file) + ":";
  if (place.line > 0) text += fmt::format("{}:", place.line);
  if (place.column > 0) text += fmt::format("{}:", place.column);
  return text.empty() ? text : text + " ";
}

std::string key_text(const std::string& key) {
  return key.empty() ? key : echoed(key, kLongestKey) + ": ";
}

}  // namespace

InputError::InputError(const SourcePlace& place, const std::string& key,
                       const std::string& sentence)
    : std::runtime_error(place_text(place) + key_text(key) + echoed(sentence, kLongestSentence)),
      place_(place),
      key_(key),
      place_size_(place_text(place).size()),
      key_size_(key_text(key).size()) {}

}  // namespace simtrain
