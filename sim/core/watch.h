#pragma once

#include <cstddef>
#include <functional>

namespace simtrain {

/// Receives the progress of a task: parts done of all. Called by any thread, one at a time.
using Watch = std::function<void(std::size_t done, std::size_t total)>;

}  // namespace simtrain
