#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/core/input/input_error.h"
#include "sim/study/tasks/task_list.h"

namespace simtrain {

/// Whose records a journal holds.
struct JournalHead {
  std::string work;         ///< "sweep", "job"
  std::string question;     ///< fingerprint of all that the records depend on but the program
  std::string program;      ///< fingerprint of the program's own file
  std::uint64_t tasks = 0;  ///< TaskList::size
};

struct JournalRecord {
  std::uint64_t number = 0;  ///< of its task
  std::string text;
};

/// What a journal's text holds. Damaged lines are left out: their tasks are to be done again.
struct JournalContent {
  bool has_head = false;
  JournalHead head;
  std::vector<JournalRecord> records;  ///< in the order of writing, each task once
  std::size_t damaged = 0;             ///< lines; a torn last one does not count
};

/// Any bytes at all may be given.
JournalContent read_journal(std::string_view text,
                            const std::function<std::uint64_t(std::string_view)>& number_of);

enum class JournalStart { fresh, resume, replace };

/// Records as they are done: a file that is only ever appended to, a line a record, each with its
/// checksum, so that an end at any moment tears at most the last line. The file is locked
/// while it is open: two programs never write to one.
class Journal {
 public:
  /// Opens `path`, making it where it is missing. `fresh`: throws InputError where there is one
  /// already; `resume`: takes its records, and throws where it belongs to another question or
  /// program; `replace`: empties it. Throws InputError where it cannot be written, or another holds
  /// it.
  Journal(std::string path, const JournalHead& head, JournalStart start, const TaskList& tasks);
  ~Journal();
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  [[nodiscard]] const std::string& path() const { return path_; }
  /// What it held when it was opened.
  [[nodiscard]] const JournalContent& content() const { return content_; }

  /// Appends a record: once this returns, it outlives the program. Throws
  /// InputError where it cannot be written.
  void add(const std::string& record);
  /// Hands all records to the disk: they outlive the machine.
  void sync();
  /// The same once a second, where there are new ones: for calling often.
  void tick();
  /// Removes the file, when its records are elsewhere.
  void remove() const;

 private:
  void lock() const;
  using Clock = std::chrono::steady_clock;
  void begin(const JournalHead& head, JournalStart start, const TaskList& tasks);
  void write(const std::string& text);
  [[nodiscard]] InputError failure(const std::string& what) const;

  std::string path_;
  int file_ = -1;
  JournalContent content_;
  Clock::time_point synced_ = Clock::now();
  bool fresh_ = false;  ///< since the records were handed to the disk
};

/// Fingerprint of this program's file; "unknown" where the system does not show it.
std::string program_fingerprint();

}  // namespace simtrain
