#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "sim/import/terms/key_table.h"

namespace simtrain {

/// Megatron-LM's arguments by the names that it prints and saves (argparse's `dest`).
std::span<const KeyRow> megatron_keys();

/// An option whose `dest` is not its own name, or that sets it to something.
struct MegatronOption {
  std::string_view option;  ///< with underscores
  std::string_view dest;
  std::string_view value;  ///< empty: what follows the option
  bool written = false;    ///< an export writes the argument so
};

/// The row of such an option, or nullptr.
const MegatronOption* megatron_option(std::string_view option);

/// How an argument of some value is written, where that is not by its own name; nullptr elsewhere.
const MegatronOption* written_option(std::string_view dest, std::string_view value);

}  // namespace simtrain
