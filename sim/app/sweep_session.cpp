#include "sim/app/sweep_session.h"

#include <algorithm>

#include <fmt/format.h>

namespace simtrain {
namespace {

std::unique_ptr<Journal> journal_of(const SweepQuestion& question, const SweepFiles& files) {
  if (!files.any()) return nullptr;
  const TaskList tasks = sweep_tasks(question);
  const JournalHead head{"sweep", question.fingerprint, program_fingerprint(), tasks.size};
  return std::make_unique<Journal>(files.journal_path(), head, files.start(), tasks);
}

std::vector<SweepRow> kept_rows(const Journal* journal) {
  std::vector<SweepRow> rows;
  if (journal == nullptr) return rows;
  rows.reserve(journal->content().records.size());
  for (const JournalRecord& record : journal->content().records)
    rows.push_back(row_of(record.text));
  return rows;
}

}  // namespace

SweepSession::SweepSession(const SweepQuestion& question, const SweepFiles& files,
                           const Console& console)
    : files_(files),
      table_{question, {}},
      journal_(journal_of(question, files)),
      progress_(console.talks(), "candidates", journal_ ? journal_->content().records.size() : 0) {
  table_.rows = kept_rows(journal_.get());
  if (journal_) files_.remove_partial();  // nobody else writes there while we hold the journal
  if (journal_ && journal_->content().damaged > 0)
    console.note(fmt::format("simtrain: {}: {} damaged lines; their rows are done again\n",
                             journal_->path(), journal_->content().damaged));
}

std::vector<std::uint64_t> SweepSession::pending() const {
  std::vector<bool> done(table_.question.grid.size());
  for (const SweepRow& row : table_.rows) done[row.index] = true;
  std::vector<std::uint64_t> pending;
  pending.reserve(done.size() - table_.rows.size());
  for (std::uint64_t i = 0; i < done.size(); ++i) {
    if (!done[i]) pending.push_back(i);
  }
  return pending;
}

void SweepSession::add(const std::string& record) {
  try {
    if (journal_) journal_->add(record);
  } catch (const InputError& error) {
    throw InputError({}, "",
                     fmt::format("{}; {} of {} rows are kept: make room and go on with --resume",
                                 error.what(), done(), table_.question.grid.size()));
  }
  table_.rows.push_back(row_of(record));
}

void SweepSession::tick() {
  if (journal_) journal_->tick();
  if (progress_.due())
    progress_.draw(best_table(table_.question, best_rows(table_.rows, 5)), done(),
                   table_.question.grid.size());
  // Rows so far are for looking at: they may take a twentieth of the time.
  const auto pause = std::max<Clock::duration>(std::chrono::seconds(30), 20 * showing_);
  if (files_.shows_rows_so_far() && Clock::now() - shown_ > pause) show_so_far();
}

void SweepSession::show_so_far() {
  const auto begin = Clock::now();
  sort_rows();
  files_.write_so_far(table_);
  shown_ = Clock::now();
  showing_ = shown_ - begin;
}

void SweepSession::sort_rows() {
  std::sort(table_.rows.begin(), table_.rows.end(),
            [](const SweepRow& a, const SweepRow& b) { return a.index < b.index; });
}

const SweepTable& SweepSession::finish() {
  progress_.clear();
  sort_rows();
  if (journal_) journal_->sync();
  if (journal_ && table_.complete()) {
    files_.write(table_);
    journal_->remove();
  } else if (files_.shows_rows_so_far()) {
    files_.write_so_far(table_);
  }
  return table_;
}

}  // namespace simtrain
