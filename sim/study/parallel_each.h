#pragma once

#include <cstddef>
#include <exception>
#include <oneapi/tbb/parallel_for.h>
#include <vector>

namespace simtrain {

/// Calls `work(i)` for each i below `count`, several at once where there are cores, and waits for
/// all of them. Of several that throw, the first one's is thrown on, so that the same error comes
/// out at any number of threads.
template <class Work>
void parallel_each(std::size_t count, Work work) {
  std::vector<std::exception_ptr> thrown(count);
  tbb::parallel_for(std::size_t{0}, count, [&](std::size_t i) {
    try {
      work(i);
    } catch (...) {
      thrown[i] = std::current_exception();
    }
  });
  for (const std::exception_ptr& error : thrown) {
    if (error) std::rethrow_exception(error);
  }
}

}  // namespace simtrain
