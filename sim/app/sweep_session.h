#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sim/app/console.h"
#include "sim/app/progress.h"
#include "sim/app/sweep_files.h"
#include "sim/study/tasks/journal.h"

namespace simtrain {

/// The rows of one sweep from its journal to its files: takes each record as it is done, keeps it,
/// and shows how far it is.
class SweepSession {
 public:
  /// Opens the journal, if there are files, and takes its rows. Throws InputError as Journal.
  SweepSession(const SweepQuestion& question, const SweepFiles& files, const Console& console);

  /// Candidates without a row, in order.
  [[nodiscard]] std::vector<std::uint64_t> pending() const;
  [[nodiscard]] std::size_t done() const { return table_.rows.size(); }

  /// One candidate is done: when this returns, its row outlives the program.
  void add(const std::string& record);
  /// What is done now and then: the picture on the terminal, rows to the disk, rows so far to HDF5.
  void tick();
  /// All rows in order; with all candidates done the files are written and the journal goes.
  const SweepTable& finish();

 private:
  using Clock = std::chrono::steady_clock;
  void sort_rows();
  void show_so_far();

  const SweepFiles& files_;
  SweepTable table_;
  std::unique_ptr<Journal> journal_;
  Progress progress_;
  Clock::time_point shown_ = Clock::now();
  Clock::duration showing_{};  ///< how long the last writing of rows so far took
};

}  // namespace simtrain
