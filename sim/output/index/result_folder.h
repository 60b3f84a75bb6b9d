#pragma once

#include <functional>
#include <string>
#include <vector>

#include "sim/output/index/result_file.h"

namespace simtrain {

/// How deep an index looks below its folder, and at how many files.
inline constexpr int kIndexDepth = 8;
inline constexpr std::size_t kIndexFiles = 20000;

/// What lies in a folder and below it.
struct ResultFolder {
  std::string path;
  std::vector<ResultFile> files;      ///< a folder's own by name, then those of the folders in it
  std::vector<std::string> not_seen;  ///< what was not looked at, a sentence each
};

/// Throws InputError where there is no such folder.
void check_folder(const std::string& path);

/// Looks at all files below a folder but those for which `skipped` is true. Names that begin with a
/// dot, links to folders and what is no regular file are passed over.
ResultFolder result_folder(const std::string& path,
                           const std::function<bool(const std::string& file)>& skipped);

}  // namespace simtrain
