#pragma once

#include <string>
#include <string_view>

namespace simtrain {

/// Printed where there is no value.
inline constexpr std::string_view kNotSet = "(not set)";

/// A value that replaces another one, as both are written.
struct KeyChange {
  std::string key;   ///< dotted
  std::string from;  ///< kNotSet where there was none
  std::string to;
};

}  // namespace simtrain
