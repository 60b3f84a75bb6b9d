#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sim/study/sweep/sweep_row.h"

namespace simtrain {

/// Threads that answer candidates. Candidates go in, records (`record_of`) come out as they are
/// done, in no order.
class SweepPool {
 public:
  /// `jobs` threads, 0 for as many as this process may run at once. The question outlives the pool.
  SweepPool(const SweepQuestion& question, int jobs);
  /// Waits for what is being answered; what was not begun is dropped.
  ~SweepPool();
  SweepPool(const SweepPool&) = delete;
  SweepPool& operator=(const SweepPool&) = delete;

  [[nodiscard]] int jobs() const;
  /// Candidates that went in and have not come out.
  [[nodiscard]] std::size_t inside() const;

  void submit(std::uint64_t candidate);
  /// Forgets the candidates that no thread has begun, and returns them.
  std::vector<std::uint64_t> withdraw();
  /// What is done; waits up to `patience` where nothing is. Throws what a thread has thrown.
  std::vector<std::string> take(std::chrono::milliseconds patience);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace simtrain
