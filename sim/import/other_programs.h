#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace simtrain {

/// What a file is for, where that is no training: of a script by the programs in Python that it
/// starts, of a configuration by its keys, as "inference (run_server.py)". Nothing where it may
/// train.
std::optional<std::string> other_purpose(std::string_view text, bool is_script);

}  // namespace simtrain
