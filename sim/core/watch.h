#pragma once

#include <cstddef>
#include <functional>

namespace simtrain {

/// Is told how many parts of a work are done, of how many: by any thread, one at a time.
using Watch = std::function<void(std::size_t done, std::size_t total)>;

}  // namespace simtrain
