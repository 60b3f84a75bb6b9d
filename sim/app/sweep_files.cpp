#include "sim/app/sweep_files.h"

#include <fcntl.h>
#include <filesystem>
#include <unistd.h>

#include <fmt/format.h>

#include "sim/core/files/partial_file.h"
#include "sim/core/files/text_file.h"
#include "sim/output/sweep/sweep_hdf5.h"

namespace simtrain {
namespace {

namespace fs = std::filesystem;

/// Hands a file or folder to the disk, as far as its file system can.
void sync_to_disk(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  fsync(file);
  close(file);
}

std::string folder_of(const std::string& path) {
  const fs::path folder = fs::path(path).parent_path();
  return folder.empty() ? "." : folder.string();
}

}  // namespace

std::string sweep_as(SweepFormat format, const SweepTable& table) {
  switch (format) {
    case SweepFormat::text:
      return sweep_text(table);
    case SweepFormat::csv:
      return sweep_csv(table);
    case SweepFormat::json:
      return sweep_json(table);
  }
  return {};
}

std::vector<std::string> SweepFiles::paths() const {
  std::vector<std::string> paths;
  if (request_.hdf5) paths.push_back(*request_.hdf5);
  if (request_.output) paths.push_back(*request_.output);
  return paths;
}

JournalStart SweepFiles::start() const {
  if (request_.force) return JournalStart::replace;
  return request_.resume ? JournalStart::resume : JournalStart::fresh;
}

bool SweepFiles::check(const std::string& question) {
  std::error_code error;
  const bool stopped = fs::exists(journal_path(), error);
  bool complete = !stopped && request_.resume;
  for (const std::string& path : paths()) {
    const bool exists = fs::exists(path, error) && fs::file_size(path, error) > 0;
    complete = complete && exists;
    if (!exists || request_.force) continue;
    const SweepFileHead head = sweep_file_head(path);
    if (head.question != question)
      throw InputError({path}, "",
                       "answers another question (scenario, settings, grid or hardware files "
                       "differ); --force replaces it");
    if (!request_.resume && (stopped || !head.complete))
      throw InputError(
          {path}, "", "is a sweep that was stopped; --resume goes on with it, --force starts anew");
    complete = complete && head.complete;
    if (path == request_.hdf5) keeps_whole_ = head.complete;
  }
  return complete;
}

void SweepFiles::write_so_far(const SweepTable& table) const {
  write_text_file(*request_.hdf5, sweep_hdf5(table));
}

void SweepFiles::write(const SweepTable& table) const {
  if (request_.hdf5) write_so_far(table);
  if (request_.output) write_text_file(*request_.output, sweep_as(request_.format, table));
  for (const std::string& path : paths()) {
    sync_to_disk(path);
    sync_to_disk(folder_of(path));
  }
}

void SweepFiles::remove_partial() const {
  for (const std::string& path : paths()) remove_partial_of(path);
}

}  // namespace simtrain
