#include "sim/study/measured_folder.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <map>
#include <optional>
#include <string_view>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "sim/core/input_error.h"
#include "sim/core/scalar_text.h"
#include "sim/measured/run_metrics.h"
#include "sim/run/simulate.h"

namespace simtrain {
namespace {

namespace fs = std::filesystem;

/// A log, and what its name says behind that of its scenario, without extensions.
struct NamedLog {
  fs::path path;
  std::string rest;
};

/// The scenarios of one folder with their logs, by path.
using Pairs = std::map<fs::path, std::vector<NamedLog>>;

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
  std::vector<std::string> names;
  for (const fs::path& file : files) {
    if (file.extension() != ".yaml") continue;
    names.push_back(file.stem().string());
    pairs[file];
  }
  for (const fs::path& file : files) {
    if (file.extension() == ".yaml") continue;
    const std::string name = file.filename().string();
    const std::string prefix = longest_word(name, names);
    if (prefix.empty() && names.size() != 1) {
      throw InputError({file.string()}, "",
                       names.empty()
                           ? "is a log without a scenario: no .yaml file stands beside it"
                           : fmt::format("is no log of a scenario beside it, which are {}; its "
                                         "name has to begin with one of theirs",
                                         fmt::join(names, ", ")));
    }
    std::string rest = without_extensions(file.filename());
    if (!prefix.empty()) rest.erase(0, prefix.size() + 1);
    const std::string& scenario = prefix.empty() ? names.front() : prefix;
    pairs[file.parent_path() / (scenario + ".yaml")].push_back({file, rest});
  }
}

Pairs pairs_of(const std::string& root) {
  Pairs pairs;
  for (const auto& [folder, files] : files_by_folder(root)) pair_files(files, pairs);
  if (pairs.empty()) {
    throw InputError({root}, "",
                     "holds no runs; put scenarios there (NAME.yaml) and their logs beside them "
                     "(NAME.log)");
  }
  for (const auto& [scenario, logs] : pairs) {
    if (logs.empty()) {
      throw InputError(
          {scenario.string()}, "",
          fmt::format("has no log beside it; {}.log would be one", scenario.stem().string()));
    }
  }
  return pairs;
}

std::string row_of(const ScenarioSource& source, const NamedLog& log) {
  if (!source.has_table()) return "";
  std::string row = longest_word(log.rest, source.row_names());
  if (row.empty()) {
    throw InputError({log.path.string()}, "",
                     fmt::format("does not say of which row it is, as NAME.ROW.log does; {}",
                                 suggestion(log.rest, source.row_names())));
  }
  return row;
}

/// A log as a row of a table, and what speaks against it.
struct LogRow {
  DocumentedRow row;
  std::string caveat;
};

/// The step time as a figure of the log: the mean over its window.
LogRow figures_of(const NamedLog& log, const LogRequest& request) {
  const MeasuredRun run = read_log_file(log.path.string(), request);
  const RunMetrics metrics = run_metrics(run, {});
  if (!metrics.step_time_s) throw InputError({log.path.string()}, "", metrics.why);
  LogRow result;
  DocumentedRow& row = result.row;
  row.row = log.rest;
  row.column = fmt::format("{}, {}", log.path.filename().string(), describe(run.window));
  row.printed = {fmt::format("{:.6g}", metrics.step_time_s->mean)};
  row.values = {metrics.step_time_s->mean};
  if (metrics.status != RunStatus::success)
    result.caveat = fmt::format("{}: {}", name_of(metrics.status), metrics.why);
  return result;
}

TableResult validate_pair(const DataFolder& data, const fs::path& path,
                          const std::vector<NamedLog>& logs, const LogRequest& request) {
  const auto source = ScenarioSource::from_file(path.string());
  TableResult result{path.parent_path().string(), {}, {}, std::nullopt};
  DocumentedTable& table = result.spec;
  table.table = path.stem().string();
  table.group = table.table;
  table.scenario = path.filename().string();
  table.figures.resize(1);
  table.figures.front().figure = FigureName::step_time;
  table.figures.front().kind = FigureKind::window_mean;
  table.figures.front().label = "step time";
  for (const NamedLog& log : logs) {
    const Scenario scenario = source.scenario(data, row_of(source, log), {});
    table.precision = scenario.recipe.fp8() ? Precision::fp8 : Precision::bf16;
    const auto [row, caveat] = figures_of(log, request);
    Report report = simulate(scenario);
    std::vector<FigureResult> figures = compare_figures(table, row, report);
    result.runs.push_back({row.row, row.column, std::move(figures), std::move(report), caveat});
  }
  return result;
}

}  // namespace

ValidationResult validate_folder(const DataFolder& data, const std::string& folder,
                                 const LogRequest& request) {
  ValidationResult result{folder, std::nullopt, {}};
  for (const auto& [scenario, logs] : pairs_of(folder))
    result.tables.push_back(validate_pair(data, scenario, logs, request));
  return result;
}

}  // namespace simtrain
