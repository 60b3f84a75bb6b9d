#pragma once

#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>
#include <vector>

#include "sim/core/watch.h"

namespace simtrain {

/// Calls `work(i)` for each i below `count`, several at once where there are cores, and waits for
/// all of them. Of several that throw, the first one's is thrown on, so that the same error comes
/// out at any number of threads; what `watch` throws ends the rest. Inside of work that itself runs
/// in parallel, cores are shared.
template <class Work>
void parallel_each(std::size_t count, Work work, const Watch& watch = {}) {
  std::vector<std::exception_ptr> thrown(count);
  std::exception_ptr watch_threw;
  std::atomic<bool> ends = false;
  std::mutex watching;
  std::size_t done = 0;
  const auto one = [&](std::size_t i) {
    if (ends) return;
    try {
      work(i);
    } catch (...) {
      thrown[i] = std::current_exception();
    }
    const std::lock_guard lock(watching);
    ++done;
    if (!watch || ends) return;
    try {
      watch(done, count);
    } catch (...) {
      watch_threw = std::current_exception();
      ends = true;
    }
  };
  // Nothing is thrown through TBB: it would cancel what other threads run in parallel within their
  // work. Isolated: a thread that waits here takes on no other work, of which it might hold a lock.
  tbb::this_task_arena::isolate([&] { tbb::parallel_for(std::size_t{0}, count, one); });
  if (watch_threw) std::rethrow_exception(watch_threw);
  for (const std::exception_ptr& error : thrown) {
    if (error) std::rethrow_exception(error);
  }
}

/// Calls `work()`, in which parallel_each() has this thread alone, and returns what it does.
template <class Work>
auto on_one_core(Work work) {
  return tbb::task_arena(1).execute(work);
}

}  // namespace simtrain
