#pragma once

#include <chrono>
#include <map>
#include <set>

#include "sim/study/sweep/mpi_session.h"
#include "sim/study/sweep/sweep.h"

namespace simtrain {

/// The other ranks of a job, as rank 0 sees them: it hands out candidates as they ask, more at a
/// time while there are many, and takes their rows.
class MpiPeers final : public SweepPeers {
 public:
  explicit MpiPeers(const MpiSession& session);

  /// Throws std::runtime_error, naming it, where a rank has not been heard of for a minute.
  void serve(SweepQueue& queue, const SweepSink& sink) override;
  [[nodiscard]] bool gone() const override { return working_.empty(); }

 private:
  using Clock = std::chrono::steady_clock;
  struct Peer {
    Clock::time_point heard = Clock::now();
    std::set<std::uint64_t> given;  ///< candidates without a row
  };
  void take(const MpiMessage& message, SweepQueue& queue, const SweepSink& sink);
  void check_alive() const;

  const MpiSession& session_;
  std::map<int, Peer> working_;
};

/// What a rank other than 0 does: asks for candidates, answers them and sends their rows, until
/// there are no more or `stop` is raised.
void serve_sweep(const SweepQuestion& question, int jobs, const std::atomic<int>& stop,
                 const MpiSession& session);

}  // namespace simtrain
