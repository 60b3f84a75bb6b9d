#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace simtrain {

/// A kind of hardware file whose values a scenario may change, as its struct has them.
struct HardwareKind {
  std::string_view name;          ///< before its keys: "gpu", "node", "fabric", "software"
  std::string_view family;        ///< folder of hardware/
  std::vector<std::string> keys;  ///< dotted; rows of lists as `rates[].burst`
  std::set<std::string> sourced;  ///< those with a source of their own, which a file may leave out
};

/// Texts about a file or names of others, which no one changes as values.
bool is_text_key(std::string_view key);

/// All of them.
const std::vector<HardwareKind>& hardware_kinds();

}  // namespace simtrain
