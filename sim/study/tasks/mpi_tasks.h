#pragma once

#include <chrono>
#include <map>
#include <set>

#include "sim/study/tasks/mpi_session.h"
#include "sim/study/tasks/run_tasks.h"

namespace simtrain {

/// The other ranks of a job, as rank 0 sees them: it hands out tasks as they ask, more at a time
/// while there are many, and takes their records.
class MpiPeers final : public TaskPeers {
 public:
  /// The list outlives this.
  MpiPeers(const TaskList& tasks, const MpiSession& session);

  /// Throws std::runtime_error, naming it, where a rank has not been heard of for a minute.
  void serve(TaskQueue& queue, const TaskSink& sink) override;
  [[nodiscard]] bool gone() const override { return working_.empty(); }

 private:
  using Clock = std::chrono::steady_clock;
  struct Peer {
    Clock::time_point heard = Clock::now();
    std::set<std::uint64_t> given;  ///< tasks without a record
  };
  void take(const MpiMessage& message, TaskQueue& queue, const TaskSink& sink);
  void check_alive() const;

  const TaskList& tasks_;
  const MpiSession& session_;
  std::map<int, Peer> working_;
};

/// What a rank other than 0 does: asks for tasks, answers them and sends their records, until
/// there are no more or `stop` is raised.
void serve_tasks(const TaskList& tasks, int jobs, const std::atomic<int>& stop,
                 const MpiSession& session);

}  // namespace simtrain
