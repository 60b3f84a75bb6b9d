#pragma once

#include <cstddef>
#include <exception>
#include <mutex>
#include <oneapi/tbb/parallel_for.h>
#include <vector>

#include "sim/core/watch.h"

namespace simtrain {

/// Calls `work(i)` for each i below `count`, several at once where there are cores, and waits for
/// all of them. Of several that throw, the first one's is thrown on, so that the same error comes
/// out at any number of threads.
template <class Work>
void parallel_each(std::size_t count, Work work, const Watch& watch = {}) {
  std::vector<std::exception_ptr> thrown(count);
  std::mutex watching;
  std::size_t done = 0;
  tbb::parallel_for(std::size_t{0}, count, [&](std::size_t i) {
    try {
      work(i);
    } catch (...) {
      thrown[i] = std::current_exception();
    }
    const std::lock_guard lock(watching);
    ++done;
    if (watch) watch(done, count);
  });
  for (const std::exception_ptr& error : thrown) {
    if (error) std::rethrow_exception(error);
  }
}

}  // namespace simtrain
