#pragma once

#include <cstddef>
#include <functional>

namespace simtrain {

/// Receives the parts done of a task, in any thread, one at a time. What it throws ends the task.
using Watch = std::function<void(std::size_t done, std::size_t total)>;

}  // namespace simtrain
