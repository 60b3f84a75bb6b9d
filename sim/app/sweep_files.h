#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/output/sweep/sweep_table.h"
#include "sim/study/tasks/journal.h"

namespace simtrain {

enum class SweepFormat { text, csv, json };

/// The table in a format.
std::string sweep_as(SweepFormat format, const SweepTable& table);

/// Where a sweep's results go: none, one or two files, each written whole, and the journal beside
/// the first of them.
class SweepFiles {
 public:
  struct Request {
    std::optional<std::string> hdf5;
    std::optional<std::string> output;
    SweepFormat format = SweepFormat::csv;  ///< of `output`
    bool resume = false;
    bool force = false;
  };

  explicit SweepFiles(Request request) : request_(std::move(request)) {}

  [[nodiscard]] bool any() const { return request_.hdf5 || request_.output; }
  [[nodiscard]] std::string journal_path() const { return paths().front() + ".journal"; }
  [[nodiscard]] JournalStart start() const;

  /// Throws InputError where a table of another question is in the way, unless --force replaces it,
  /// and without --resume one that is not complete. A complete one of this question is made anew
  /// without --resume. True where with --resume all is there already and complete.
  [[nodiscard]] bool check(const std::string& question);

  /// Removes what a sweep into the same files left beside them when it was killed while it wrote.
  void remove_partial() const;
  /// Writes all of them, on to the disk. Throws InputError where one cannot be written; it is then
  /// as it was.
  void write(const SweepTable& table) const;
  /// Writes the HDF5 file alone, with the rows so far.
  void write_so_far(const SweepTable& table) const;
  [[nodiscard]] bool shows_rows_so_far() const {
    return request_.hdf5.has_value() && !keeps_whole_;
  }

  /// The files, the HDF5 one first.
  [[nodiscard]] std::vector<std::string> paths() const;

 private:
  Request request_;
  bool keeps_whole_ = false;  ///< a complete HDF5 file is kept until another one is
};

}  // namespace simtrain
