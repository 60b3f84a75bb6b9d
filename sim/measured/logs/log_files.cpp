#include "sim/measured/logs/log_files.h"

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "sim/core/input/input_error.h"

namespace simtrain {
namespace {

namespace fs = std::filesystem;

bool is_log(const fs::path& path) {
  std::string name = path.filename().string();
  constexpr std::string_view kCompressed = ".gz";
  if (name.ends_with(kCompressed)) name.resize(name.size() - kCompressed.size());
  return name == "dllogger.json" || (name.starts_with("log-") && name.ends_with(".out"));
}

}  // namespace

std::vector<std::string> log_files(const std::string& path) {
  std::error_code error;
  if (!fs::is_directory(path, error)) return {path};
  std::vector<std::string> found;
  fs::recursive_directory_iterator entry(path, fs::directory_options::skip_permission_denied,
                                         error);
  for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
    std::error_code ignored;
    if (is_log(entry->path()) && entry->is_regular_file(ignored))
      found.push_back(entry->path().string());
  }
  if (error) throw InputError({path}, "", "cannot be read: " + error.message());
  if (found.empty()) {
    throw InputError({path}, "",
                     "holds no log-*.out and no dllogger.json; name the logs themselves");
  }
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace simtrain
