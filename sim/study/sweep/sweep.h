#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "sim/study/sweep/sweep_row.h"

namespace simtrain {

/// Candidates that nobody works on yet, in order.
class SweepQueue {
 public:
  explicit SweepQueue(std::vector<std::uint64_t> candidates);
  [[nodiscard]] std::size_t size() const { return candidates_.size() - next_; }
  /// Up to `most` of them; empty where there are none.
  std::vector<std::uint64_t> take(std::size_t most);
  void give_back(const std::vector<std::uint64_t>& candidates);
  void clear() { next_ = candidates_.size(); }

 private:
  std::vector<std::uint64_t> candidates_;
  std::size_t next_ = 0;
};

/// Called with every record (`record_of`) as it is done, always by the same thread.
using SweepSink = std::function<void(const std::string& record)>;

/// Others who answer candidates of a queue: ranks on other machines.
class SweepPeers {
 public:
  SweepPeers() = default;
  virtual ~SweepPeers() = default;
  SweepPeers(const SweepPeers&) = delete;
  SweepPeers& operator=(const SweepPeers&) = delete;

  /// Takes what they have done and hands out what they ask for. Does not wait.
  virtual void serve(SweepQueue& queue, const SweepSink& sink) = 0;
  /// Whether none of them works any more.
  [[nodiscard]] virtual bool gone() const = 0;
};

struct SweepRun {
  std::vector<std::uint64_t> pending;  ///< candidates to answer
  int jobs = 0;                        ///< threads; 0: as many as this process may run at once
  const std::atomic<int>* stop;        ///< not 0: ends with what has been begun
  SweepSink sink;
  std::function<void()> tick;   ///< called now and then, many times a second
  SweepPeers* peers = nullptr;  ///< none: this process alone
};

/// Answers all pending candidates, or those begun when `stop` is raised. What sink or tick throw
/// ends the run, and what a candidate throws that is neither its fault nor the plan's.
void run_sweep(const SweepQuestion& question, const SweepRun& run);

}  // namespace simtrain
