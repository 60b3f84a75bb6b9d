#include "sim/core/whole_file.h"

#include <filesystem>
#include <fstream>
#include <unistd.h>

#include <fmt/format.h>

#include "sim/core/input_error.h"

namespace simtrain {

void write_whole(const std::string& path, const std::string& text, const std::string& key) {
  namespace fs = std::filesystem;
  const std::string beside = fmt::format("{}.{}.part", path, getpid());
  std::ofstream file(beside, std::ios::binary | std::ios::trunc);
  file << text;
  file.close();
  std::error_code error;
  if (!file.fail()) {
    fs::rename(beside, path, error);
    if (!error) return;
  }
  std::error_code ignored;
  fs::remove(beside, ignored);
  throw InputError({path}, key,
                   "cannot be written; a file in a folder that exists and may be written would do");
}

}  // namespace simtrain
