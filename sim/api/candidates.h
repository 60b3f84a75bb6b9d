#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include <simtrain/simulate.h>

#include "sim/study/sweep/sweep_row.h"

namespace simtrain::api {

/// The candidates of a sweep, simulated by threads of its own, so that no setting of the process
/// is changed. At its end it waits for what has been begun.
class Candidates {
 public:
  /// The question must outlive it.
  Candidates(const SweepQuestion& question, const SweepOptions& options);
  ~Candidates();
  Candidates(const Candidates&) = delete;
  Candidates& operator=(const Candidates&) = delete;

  /// A row that is done, after a wait where there is none yet; nothing where there are no more.
  /// Throws what a candidate has thrown.
  std::optional<simtrain::SweepRow> next();

 private:
  bool start_thread();
  void work();
  std::optional<std::uint64_t> take();
  void give(simtrain::SweepRow row);
  void give_up(std::exception_ptr error);

  const SweepQuestion& question_;
  const std::stop_token stop_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t begun_ = 0;
  int working_ = 0;                      ///< threads that may still give rows
  bool ended_ = false;                   ///< no more is wanted
  std::deque<simtrain::SweepRow> done_;  ///< at most kMostWaiting
  std::exception_ptr error_;
  std::vector<std::thread> threads_;  ///< last, so that all else outlives them
};

}  // namespace simtrain::api
