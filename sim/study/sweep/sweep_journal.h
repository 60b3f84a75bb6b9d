#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sim/study/sweep/sweep_row.h"

namespace simtrain {

/// Whose rows a journal holds.
struct JournalHead {
  std::string question;          ///< SweepQuestion::fingerprint
  std::string program;           ///< fingerprint of the program's own file
  std::uint64_t candidates = 0;  ///< of the grid
};

/// What a journal's text holds. Damaged lines are left out: their rows are to be done again.
struct JournalContent {
  bool has_head = false;
  JournalHead head;
  std::vector<SweepRow> rows;  ///< in the order of writing, each candidate once
  std::size_t damaged = 0;     ///< lines; a torn last one does not count
};

/// Any bytes at all may be given.
JournalContent read_journal(std::string_view text);

enum class JournalStart { fresh, resume, replace };

/// The rows of a sweep as they are done: a file that is only ever appended to, a line a row, each
/// with its checksum, so that an end at any moment tears at most the last line. The file is locked
/// while it is open: two programs never write to one.
class SweepJournal {
 public:
  /// Opens `path`, making it where it is missing. `fresh`: throws InputError where there is one
  /// already; `resume`: takes its rows, and throws where it belongs to another question or program;
  /// `replace`: empties it. Throws InputError where it cannot be written, or another holds it.
  SweepJournal(std::string path, const JournalHead& head, JournalStart start);
  ~SweepJournal();
  SweepJournal(const SweepJournal&) = delete;
  SweepJournal& operator=(const SweepJournal&) = delete;

  [[nodiscard]] const std::string& path() const { return path_; }
  /// What it held when it was opened.
  [[nodiscard]] const JournalContent& content() const { return content_; }

  /// Appends a record (`record_of`): once this returns, the row outlives the program. Throws
  /// InputError where it cannot be written.
  void add(const std::string& record);
  /// Hands all rows to the disk: they outlive the machine.
  void sync() const;
  /// Removes the file, when its rows are elsewhere.
  void remove() const;

 private:
  void lock() const;
  void begin(const JournalHead& head, JournalStart start);
  void write(const std::string& text);
  [[nodiscard]] InputError failure(const std::string& what) const;

  std::string path_;
  int file_ = -1;
  JournalContent content_;
};

/// Fingerprint of this program's file; "unknown" where the system does not show it.
std::string program_fingerprint();

}  // namespace simtrain
