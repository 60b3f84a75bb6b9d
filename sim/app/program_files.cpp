#include "sim/app/program_files.h"

#include <filesystem>
#include <system_error>

#include <fmt/format.h>

namespace simtrain {

namespace fs = std::filesystem;

std::string scenario_file(const CommandCall& call, const std::string& path) {
  std::error_code error;
  if (fs::path(path).parent_path() != "scenarios" || fs::exists(path, error)) return path;
  std::string found = fmt::format("{}/{}", call.data.root(), path);
  if (!fs::is_regular_file(found, error)) return path;
  call.console.note(fmt::format("simtrain: note: {} is not here; reading {}\n", path, found));
  return found;
}

}  // namespace simtrain
