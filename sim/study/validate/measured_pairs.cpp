#include "sim/study/validate/measured_pairs.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <iterator>
#include <map>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

#include "sim/core/input/input_error.h"
#include "sim/core/input/scalar_text.h"
#include "sim/core/suggestion.h"

namespace simtrain {
namespace {

namespace fs = std::filesystem;

/// The logs of each scenario, by its path.
using Pairs = std::map<fs::path, std::vector<MeasuredPair>>;

/// The files of each folder, this one and those below.
std::map<fs::path, std::vector<fs::path>> files_by_folder(const std::string& root) {
  std::map<fs::path, std::vector<fs::path>> files;
  std::error_code error;
  fs::recursive_directory_iterator entry(root, error);
  for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
    const fs::path& path = entry->path();
    const bool page = path.extension() == ".md" || path.extension() == ".html";
    std::error_code ignored;
    if (path.filename().string().starts_with(".")) {
      entry.disable_recursion_pending();
    } else if (!page && entry->is_regular_file(ignored)) {
      files[path.parent_path()].push_back(path);
    }
  }
  if (error) throw InputError({root}, "", "cannot be read: " + error.message());
  for (auto& [folder, paths] : files) std::sort(paths.begin(), paths.end());
  return files;
}

/// Whether `text` begins with `word` and no letter or digit goes on with it.
bool begins_with_word(std::string_view text, std::string_view word) {
  if (word.empty() || !text.starts_with(word)) return false;
  return text.size() == word.size() ||
         std::isalnum(static_cast<unsigned char>(text[word.size()])) == 0;
}

/// The longest of `words` that a name begins with; "" where it begins with none.
std::string longest_word(std::string_view name, const std::vector<std::string>& words) {
  std::string longest;
  for (const std::string& word : words) {
    if (word.size() > longest.size() && begins_with_word(name, word)) longest = word;
  }
  return longest;
}

std::string without_extensions(fs::path name) {
  if (name.extension() == ".gz") name = name.stem();
  return name.stem().string();
}

/// Gives each log of a folder to its scenario.
void pair_files(const std::vector<fs::path>& files, Pairs& pairs) {
  std::map<std::string, fs::path> scenarios;
  std::vector<std::string> names;
  for (const fs::path& file : files) {
    if (!is_scenario_path(file.string())) continue;
    if (!scenarios.emplace(file.stem().string(), file).second)
      throw InputError({file.string()}, "", "is beside a scenario of the same name");
    names.push_back(file.stem().string());
    pairs[file];
  }
  for (const fs::path& file : files) {
    if (is_scenario_path(file.string())) continue;
    const std::string name = file.filename().string();
    const std::string prefix = longest_word(name, names);
    if (prefix.empty() && names.size() != 1) {
      throw InputError({file.string()}, "",
                       names.empty()
                           ? "is a log without a scenario: no .yaml file is beside it"
                           : fmt::format("is no log of a scenario beside it, which are {}; its "
                                         "name has to begin with one of theirs",
                                         fmt::join(names, ", ")));
    }
    std::string rest = without_extensions(file.filename());
    if (!prefix.empty()) rest.erase(0, prefix.size() + 1);
    const fs::path& path = scenarios.at(prefix.empty() ? names.front() : prefix);
    pairs[path].push_back({path.string(), file.string(), rest});
  }
}

}  // namespace

bool is_scenario_path(const std::string& path) {
  const fs::path extension = fs::path(path).extension();
  return extension == ".yaml" || extension == ".yml";
}

std::vector<MeasuredPair> measured_pairs(const std::string& folder) {
  Pairs pairs;
  for (const auto& [inner, files] : files_by_folder(folder)) pair_files(files, pairs);
  if (pairs.empty()) {
    throw InputError({folder}, "",
                     "holds no runs; put scenarios there (NAME.yaml) and their logs beside them "
                     "(NAME.log)");
  }
  std::vector<MeasuredPair> result;
  for (auto& [scenario, logs] : pairs) {
    if (logs.empty()) {
      throw InputError(
          {scenario.string()}, "",
          fmt::format("has no log beside it; {}.log would be one", scenario.stem().string()));
    }
    std::move(logs.begin(), logs.end(), std::back_inserter(result));
  }
  return result;
}

std::string row_of(const ScenarioSource& source, const MeasuredPair& pair) {
  if (!source.has_table()) return "";
  std::string row = longest_word(pair.rest, source.row_names());
  if (row.empty()) {
    throw InputError({pair.log}, "",
                     fmt::format("does not name its row, as NAME.ROW.log does; {}",
                                 suggestion(pair.rest, source.row_names())));
  }
  return row;
}

}  // namespace simtrain
