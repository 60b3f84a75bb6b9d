#include "sim/app/commands/training/job_runs.h"

#include <utility>

#include <fmt/format.h>

#include "sim/core/invariant.h"

namespace simtrain {

JobRuns::JobRuns(const GoodputStudy& study, Journal* journal, Watch watch)
    : journal_(journal), watch_(std::move(watch)), runs_(study.size()), known_(study.size()) {
  if (journal_ == nullptr) return;
  for (const JournalRecord& record : journal_->content().records) put(record.text);
}

std::vector<std::uint64_t> JobRuns::pending() const {
  std::vector<std::uint64_t> pending;
  pending.reserve(all() - done());
  for (std::uint64_t number = 0; number < known_.size(); ++number) {
    if (!known_[number]) pending.push_back(number);
  }
  return pending;
}

void JobRuns::add(const std::string& record) {
  try {
    if (journal_ != nullptr) journal_->add(record);
  } catch (const InputError& error) {
    throw InputError({}, "",
                     fmt::format("{}; {} of {} runs are kept: make room and go on with --resume",
                                 error.what(), done(), all()));
  }
  put(record);
  if (watch_) watch_(done(), all());
}

std::vector<JobRun> JobRuns::complete() && {
  invariant(done() == all(), "all runs are there");
  return std::move(runs_);
}

void JobRuns::put(std::string_view record) {
  NumberedRun numbered = numbered_run(record);
  invariant(numbered.number < known_.size() && !known_[numbered.number], "a run comes once");
  known_[numbered.number] = true;
  runs_[numbered.number] = std::move(numbered.run);
  ++done_;
}

}  // namespace simtrain
