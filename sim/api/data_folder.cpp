#include <algorithm>
#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

#include "sim/api/access.h"
#include "sim/api/data_families.h"
#include "sim/api/errors.h"
#include "sim/core/suggestion.h"
#include "sim/output/schema/schema.h"
#include "sim/output/text/json_parts.h"
#include "sim/output/text/yaml_json.h"

namespace simtrain::api {
namespace {

namespace fs = std::filesystem;

/// The file that this code was loaded from, where that is the shared library; empty in a program
/// that holds it itself.
fs::path own_library() {
  Dl_info info{};
  if (dladdr(static_cast<const void*>(kDataFamilies.data()), &info) == 0) return {};
  const fs::path file = info.dli_fname;
  if (!file.filename().string().starts_with("libsimtrain.so")) return {};
  std::error_code error;
  return fs::canonical(file, error);
}

/// share/simtrain of the prefix in whose bin/ or lib/ a file lies; empty where it holds no data.
std::string data_beside(const fs::path& file) {
  if (file.empty()) return {};
  std::error_code error;
  const fs::path data = file.parent_path().parent_path() / "share" / "simtrain";
  return fs::is_directory(data / "hardware", error) ? data.string() : "";
}

/// Where the files of a family are.
std::string_view folder_of(const std::string& family) {
  const auto* found = std::find_if(kDataFamilies.begin(), kDataFamilies.end(),
                                   [&](const auto& row) { return row.first == family; });
  if (found != kDataFamilies.end()) return found->second;
  throw simtrain::InputError(
      {}, "family",
      fmt::format("'{}' is no family; {}", family, suggestion(family, DataFolder::families())));
}

}  // namespace

std::string installed_data_path() {
  const char* chosen = std::getenv("SIMTRAIN_DATA");
  if (chosen != nullptr && *chosen != '\0') return chosen;
  std::error_code error;
  for (const fs::path& file : {own_library(), fs::read_symlink("/proc/self/exe", error)}) {
    std::string found = data_beside(file);
    if (!found.empty()) return found;
  }
  return SIMTRAIN_DATA_DIR;
}

DataFolder::DataFolder(const std::string& path)
    : content_(std::make_shared<const Content>(Content{simtrain::DataFolder(path)})) {
  std::error_code error;
  if (fs::is_directory(fs::path(path) / "hardware", error)) return;
  guarded([&] {
    throw simtrain::InputError({path}, "", "is no data folder: it holds no folder 'hardware'");
  });
}

DataFolder DataFolder::installed() { return DataFolder(installed_data_path()); }

const std::string& DataFolder::path() const { return content_->path; }

std::vector<std::string> DataFolder::families() {
  std::vector<std::string> names;
  names.reserve(kDataFamilies.size());
  for (const auto& [name, folder] : kDataFamilies) names.emplace_back(name);
  return names;
}

std::vector<std::string> DataFolder::names(const std::string& family) const {
  return guarded([&] { return content_->folder.names(folder_of(family)); });
}

std::string DataFolder::json(const std::string& family, const std::string& name) const {
  return guarded([&] {
    const std::string_view folder = folder_of(family);
    return json_text(yaml_json(content_->folder.load_tree(folder, name, {}, family)));
  });
}

std::vector<std::string> DataFolder::schemas() { return schema_names(); }

std::string DataFolder::schema(const std::string& kind) const {
  return guarded([&] { return json_schema(content_->folder, kind); });
}

}  // namespace simtrain::api
