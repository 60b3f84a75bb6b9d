#include "sim/study/sweep/sweep.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "sim/study/sweep/sweep_pool.h"

namespace simtrain {

SweepQueue::SweepQueue(std::vector<std::uint64_t> candidates)
    : candidates_(std::move(candidates)) {}

std::vector<std::uint64_t> SweepQueue::take(std::size_t most) {
  const auto begin = candidates_.begin() + static_cast<std::ptrdiff_t>(next_);
  const std::size_t count = std::min(most, size());
  next_ += count;
  return {begin, begin + static_cast<std::ptrdiff_t>(count)};
}

void SweepQueue::give_back(const std::vector<std::uint64_t>& candidates) {
  candidates_.insert(candidates_.end(), candidates.begin(), candidates.end());
}

void run_sweep(const SweepQuestion& question, const SweepRun& run) {
  constexpr std::size_t kAhead = 8;  // candidates that wait for each thread
  const std::chrono::milliseconds patience(run.peers != nullptr ? 1 : 100);
  SweepQueue queue(run.pending);
  SweepPool pool(question, run.jobs);
  const std::size_t most = kAhead * static_cast<std::size_t>(pool.jobs());
  const auto peers_gone = [&] { return run.peers == nullptr || run.peers->gone(); };
  while (queue.size() > 0 || pool.inside() > 0 || !peers_gone()) {
    if (run.stop->load() != 0) {
      queue.clear();
      pool.withdraw();
      if (pool.inside() == 0 && peers_gone()) break;
    }
    for (const std::uint64_t candidate : queue.take(most - std::min(most, pool.inside())))
      pool.submit(candidate);
    for (const std::string& record : pool.take(patience)) run.sink(record);
    if (run.peers != nullptr) run.peers->serve(queue, run.sink);
    run.tick();
  }
}

}  // namespace simtrain
