#include "sim/app/options/common_options.h"

#include <optional>
#include <utility>

#include <fmt/format.h>

#include "sim/core/input/input_error.h"

namespace simtrain {
namespace {

constexpr std::string_view kColour = "--color";  // kCommonOptions has the same
constexpr std::string_view kQuiet = "--quiet";

ColourChoice colour_of(std::string_view word) {
  if (word == "auto") return ColourChoice::automatic;
  if (word == "always") return ColourChoice::always;
  if (word == "never") return ColourChoice::never;
  throw InputError({}, std::string(kColour),
                   fmt::format("'{}' is not known; auto, always or never would do", word));
}

void refuse_second(bool given, std::string_view option) {
  if (given)
    throw InputError({}, "", fmt::format("option '{}' cannot be specified more than once", option));
}

}  // namespace

CommonOptions take_common_options(std::vector<std::string>& arguments) {
  std::optional<ColourChoice> colour;
  bool quiet = false;
  std::vector<std::string> others;
  others.reserve(arguments.size());
  auto next = arguments.cbegin();
  for (; next != arguments.cend() && *next != "--"; ++next) {
    const std::string_view word = *next;
    if (word == kQuiet) {
      refuse_second(std::exchange(quiet, true), kQuiet);
    } else if (word == kColour) {
      refuse_second(colour.has_value(), kColour);
      colour = colour_of(++next == arguments.cend() ? "" : *next);
    } else if (word.starts_with("--color=")) {
      refuse_second(colour.has_value(), kColour);
      colour = colour_of(word.substr(kColour.size() + 1));
    } else {
      others.push_back(*next);
    }
  }
  others.insert(others.end(), next, arguments.cend());
  arguments = std::move(others);
  return {colour.value_or(ColourChoice::automatic), quiet};
}

}  // namespace simtrain
