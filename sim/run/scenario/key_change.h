#pragma once

#include <string>
#include <string_view>

namespace simtrain {

/// What stands for a value where there is none.
inline constexpr std::string_view kNotSet = "(not set)";

/// A value that stands in place of another one, as both are written.
struct KeyChange {
  std::string key;   ///< dotted
  std::string from;  ///< kNotSet where nothing stood there
  std::string to;
};

}  // namespace simtrain
