#include "sim/study/sweep/sweep_pool.h"

#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/info.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>
#include <utility>

namespace simtrain {

struct SweepPool::State {
  State(const SweepQuestion& asked, int threads)
      : question(asked),
        jobs(threads),
        // TBB starts one thread less than it may use, counting ours, which only waits.
        control(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(jobs) + 1),
        arena(jobs, 0) {}

  /// Answers the oldest candidate that waits, if there is one.
  void answer_one() {
    std::uint64_t candidate = 0;
    {
      const std::lock_guard lock(mutex);
      if (waiting.empty()) return;
      candidate = waiting.front();
      waiting.pop_front();
    }
    std::string record;
    std::exception_ptr error;
    try {
      record = record_of(evaluate(question, candidate));
    } catch (...) {
      error = std::current_exception();
    }
    {
      const std::lock_guard lock(mutex);
      if (error) {
        thrown = error;
      } else {
        done.push_back(std::move(record));
      }
    }
    changed.notify_one();
  }

  const SweepQuestion& question;
  int jobs;
  tbb::global_control control;
  tbb::task_arena arena;
  tbb::task_group group;

  std::mutex mutex;
  std::condition_variable changed;
  std::deque<std::uint64_t> waiting;
  std::vector<std::string> done;
  std::exception_ptr thrown;
  std::size_t inside = 0;  ///< of the owner's thread
};

SweepPool::SweepPool(const SweepQuestion& question, int jobs)
    : state_(
          std::make_unique<State>(question, jobs > 0 ? jobs : tbb::info::default_concurrency())) {}

SweepPool::~SweepPool() {
  withdraw();
  state_->arena.execute([this] { state_->group.wait(); });
}

int SweepPool::jobs() const { return state_->jobs; }

std::size_t SweepPool::inside() const { return state_->inside; }

void SweepPool::submit(std::uint64_t candidate) {
  {
    const std::lock_guard lock(state_->mutex);
    state_->waiting.push_back(candidate);
  }
  ++state_->inside;
  state_->arena.enqueue(state_->group.defer([state = state_.get()] { state->answer_one(); }));
}

std::vector<std::uint64_t> SweepPool::withdraw() {
  const std::lock_guard lock(state_->mutex);
  std::vector<std::uint64_t> forgotten(state_->waiting.begin(), state_->waiting.end());
  state_->waiting.clear();
  state_->inside -= forgotten.size();
  return forgotten;
}

std::vector<std::string> SweepPool::take(std::chrono::milliseconds patience) {
  std::unique_lock lock(state_->mutex);
  state_->changed.wait_for(lock, patience,
                           [this] { return !state_->done.empty() || state_->thrown; });
  if (state_->thrown) std::rethrow_exception(state_->thrown);
  state_->inside -= state_->done.size();
  return std::exchange(state_->done, {});
}

}  // namespace simtrain
