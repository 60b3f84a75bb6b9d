#include "sim/output/index/result_folder.h"

#include <algorithm>
#include <system_error>

#include <fmt/format.h>

#include "sim/core/input/input_error.h"
#include "sim/core/printable.h"

namespace simtrain {
namespace {

namespace fs = std::filesystem;

class FolderWalk {
 public:
  FolderWalk(ResultFolder& found, const std::function<bool(const std::string&)>& skipped)
      : found_(found), skipped_(skipped) {}

  /// `below` is a path from the root of the walk.
  void walk(const fs::path& below, int depth) {
    std::error_code error;
    std::vector<fs::path> names;
    fs::directory_iterator entry(fs::path(found_.path) / below, error);
    for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
      const fs::path name = entry->path().filename();
      if (!name.string().starts_with('.')) names.push_back(name);
    }
    if (error) return not_seen(fmt::format("{}: {}", shown(below), error.message()));
    std::sort(names.begin(), names.end());
    std::vector<fs::path> folders;
    for (const fs::path& name : names) {
      const fs::path path = below / name;
      if (fs::is_directory(fs::symlink_status(fs::path(found_.path) / path, error))) {
        folders.push_back(path);
      } else if (fs::is_regular_file(fs::path(found_.path) / path, error)) {
        look_at(path);
      }
    }
    for (const fs::path& folder : folders) {
      if (depth < kIndexDepth) {
        walk(folder, depth + 1);
      } else {
        not_seen(fmt::format("{}: more than {} folders deep", shown(folder), kIndexDepth));
      }
    }
  }

  void end() {
    if (beyond_ > 0)
      not_seen(fmt::format("{} files more: an index is of at most {}", beyond_, kIndexFiles));
  }

 private:
  static std::string shown(const fs::path& below) {
    return below.empty() ? "." : printable(below.string());
  }

  void look_at(const fs::path& path) {
    if (skipped_((fs::path(found_.path) / path).string())) return;
    if (found_.files.size() < kIndexFiles) {
      found_.files.push_back(result_file(found_.path, path));
    } else {
      ++beyond_;
    }
  }

  void not_seen(std::string sentence) { found_.not_seen.push_back(std::move(sentence)); }

  ResultFolder& found_;
  const std::function<bool(const std::string&)>& skipped_;
  std::size_t beyond_ = 0;
};

}  // namespace

void check_folder(const std::string& path) {
  std::error_code error;
  if (!fs::exists(path, error)) throw InputError({path}, "", "there is no such folder");
  if (!fs::is_directory(path, error))
    throw InputError({path}, "", "is a file; an index is of a folder");
}

ResultFolder result_folder(const std::string& path,
                           const std::function<bool(const std::string& file)>& skipped) {
  ResultFolder found{path, {}, {}};
  FolderWalk walk(found, skipped);
  walk.walk({}, 1);
  walk.end();
  return found;
}

}  // namespace simtrain
