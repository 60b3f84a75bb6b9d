#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/core/watch.h"
#include "sim/study/tasks/journal.h"
#include "sim/study/what_if/goodput_study.h"

namespace simtrain {

/// The runs of a study as they come, each kept in the journal, if there is one, before it counts.
class JobRuns {
 public:
  /// Takes the runs that the journal holds. `journal` may be null.
  JobRuns(const GoodputStudy& study, Journal* journal, Watch watch);

  /// The runs that are missing, in order.
  [[nodiscard]] std::vector<std::uint64_t> pending() const;
  [[nodiscard]] std::size_t done() const { return done_; }
  [[nodiscard]] std::size_t all() const { return runs_.size(); }
  /// Throws InputError where the journal cannot be written.
  void add(const std::string& record);
  /// All runs, in order.
  [[nodiscard]] std::vector<JobRun> complete() &&;

 private:
  void put(std::string_view record);

  Journal* journal_;
  Watch watch_;
  std::vector<JobRun> runs_;
  std::vector<bool> known_;
  std::size_t done_ = 0;
};

}  // namespace simtrain
