#include "sim/core/files/partial_file.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <unistd.h>

#include <fmt/format.h>

#include "sim/core/files/text_file.h"
#include "sim/core/input/input_error.h"

namespace simtrain {
namespace {

/// PATH.NUMBER.partial.
bool is_partial_of(const std::string& name, const std::string& path) {
  const std::string start = std::filesystem::path(path).filename().string() + ".";
  constexpr std::string_view kEnd = ".partial";
  if (!name.starts_with(start) || !name.ends_with(kEnd)) return false;
  if (name.size() <= start.size() + kEnd.size()) return false;
  return std::all_of(name.begin() + static_cast<std::ptrdiff_t>(start.size()),
                     name.end() - static_cast<std::ptrdiff_t>(kEnd.size()),
                     [](unsigned char c) { return std::isdigit(c) != 0; });
}

}  // namespace

std::string partial_end() { return fmt::format(".{}.partial", getpid()); }

void remove_partial_of(const std::string& path) {
  std::error_code error;
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  for (const auto& entry :
       std::filesystem::directory_iterator(folder.empty() ? "." : folder, error)) {
    if (is_partial_of(entry.path().filename().string(), path))
      std::filesystem::remove(entry.path(), error);
  }
}

PartialFile::PartialFile(std::string path)
    : path_(std::move(path)), beside_(path_ + partial_end()) {
  check_writable(path_);
  file_.reset(std::fopen(beside_.c_str(), "wb"));
  if (!file_) refuse(errno);
}

PartialFile::~PartialFile() {
  if (committed_) return;
  file_.reset();
  std::error_code ignored;
  std::filesystem::remove(beside_, ignored);
}

void PartialFile::write(std::string_view bytes) {
  if (std::fwrite(bytes.data(), 1, bytes.size(), file_.get()) != bytes.size()) refuse(errno);
}

void PartialFile::commit() {
  if (std::fclose(file_.release()) != 0) refuse(errno);
  std::error_code error;
  std::filesystem::rename(beside_, path_, error);
  if (error) refuse(error.value());
  committed_ = true;
}

void PartialFile::refuse(int reason) const {
  throw InputError({path_}, "", fmt::format("cannot be written: {}", std::strerror(reason)));
}

}  // namespace simtrain
