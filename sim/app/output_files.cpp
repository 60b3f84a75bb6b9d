#include "sim/app/output_files.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sim/core/files/file_start.h"
#include "sim/core/files/partial_file.h"
#include "sim/core/files/text_file.h"
#include "sim/core/input/input_error.h"
#include "sim/core/invariant.h"
#include "sim/output/html/html.h"
#include "sim/output/html/picture.h"
#include "sim/output/nccl/nccl_trace.h"
#include "sim/output/schema/schema.h"
#include "sim/output/sweep/sweep_hdf5.h"
#include "sim/output/trace/trace.h"
#include "sim/run/scenario/model_choice.h"
#include "sim/run/scenario/routing_file.h"

namespace simtrain {
namespace {

namespace fs = std::filesystem;

template <bool (*IsOwn)(std::string_view)>
bool starts_as_own(const std::string& path) {
  return IsOwn(file_start(path));
}

bool is_own_index(const std::string& path) {
  return page_kind(file_start(path, kPageHead)) == "index";
}
bool is_own_sweep(const std::string& path) { return !sweep_file_head(path).question.empty(); }
bool is_any(const std::string& /*path*/) { return true; }
bool is_none(const std::string& /*path*/) { return false; }

}  // namespace

const OutputKind kPageFile{", and no page of simtrain", starts_as_own<is_own_page>};
const OutputKind kIndexFile{", and no index of simtrain", is_own_index};
const OutputKind kTraceFile{", and no trace of simtrain", starts_as_own<is_own_trace>};
const OutputKind kNcclLogFile{", and no log of simtrain", starts_as_own<is_own_nccl_trace>};
const OutputKind kDrawingFile{", and no drawing of simtrain", starts_as_own<is_own_drawing>};
const OutputKind kSchemaFile{", and no schema of simtrain", starts_as_own<is_own_schema>};
const OutputKind kYamlFile{"", is_none};
const OutputKind kSweepFile{", and no table of a sweep", is_own_sweep, kJournalEnd};
const OutputKind kJournalFile{"", is_any};

OutputFiles::OutputFiles(const boost::program_options::variables_map& values)
    : values_(values), force_(values.count("force") > 0 && values["force"].as<bool>()) {}

void OutputFiles::reads(const std::string& name, const std::string& path) {
  inputs_.push_back({"", name, path, nullptr});
}

void OutputFiles::reads_model(const YamlNode& scenario) {
  if (const auto path = model_path(scenario)) reads("the model", *path);
  if (const auto path = routing_path(scenario)) reads("the histogram of experts", *path);
}

void OutputFiles::reads_hardware(const DataFolder& data) {
  for (const std::string folder : {"hardware", "scenarios/models"})
    reads("a file of " + folder, data.root() + "/" + folder);
}

void OutputFiles::reads_scenario(const DataFolder& data, const std::string& path) {
  reads_hardware(data);
  reads("the scenario", path);
}

void OutputFiles::writes(const std::string& option, const OutputKind& kind) {
  options_.push_back("--" + option);
  if (values_.count(option) == 0) return;
  const auto& path = values_[option].as<std::string>();
  if (path.empty()) throw InputError({}, "--" + option, "names no file");
  outputs_.push_back({"--" + option, "the file of --" + option, path, &kind});
}

void OutputFiles::writes(const std::string& option, const std::string& name, const OutputKind& kind,
                         const std::string& path) {
  outputs_.push_back({"--" + option, name, path, &kind});
}

std::vector<std::string> OutputFiles::paths() const {
  std::vector<std::string> paths;
  for (const Named& output : outputs_) paths.push_back(output.path);
  return paths;
}

void OutputFiles::check() const {
  if (force_ && outputs_.empty())
    throw InputError({}, "--force",
                     fmt::format("replaces a file; name one with {}", fmt::join(options_, " or ")));
  for (const Named& output : outputs_) check_apart(output);
  for (const Named& output : outputs_) check_own(output);
}

/// From what is read and from the outputs before it.
void OutputFiles::check_apart(const Named& output) const {
  for (const Named& input : inputs_) {
    std::error_code error;
    if (!fs::is_directory(input.path, error)) {
      check_apart(output, input);
      continue;
    }
    fs::recursive_directory_iterator entry(input.path, error);
    for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
      std::error_code ignored;
      const bool page = entry->path().extension() == ".html";
      if (!page && entry->is_regular_file(ignored))
        check_apart(output, {"", input.name, entry->path(), nullptr});
    }
  }
  for (const Named& earlier : outputs_) {
    if (&earlier == &output) break;
    check_apart(output, earlier);
  }
}

void OutputFiles::check_apart(const Named& output, const Named& other) {
  if (same_file(other.path, output.path))
    throw InputError({}, output.option, fmt::format("is {}; name another", other.name));
}

void OutputFiles::check_own(const Named& output) const {
  check_place(output.path, output.kind->beside);
  std::error_code error;
  const bool taken = fs::exists(output.path, error) && fs::file_size(output.path, error) > 0;
  if (!taken || force_ || output.kind->is_own(output.path)) return;
  throw InputError({output.path}, "",
                   fmt::format("is there already{}; --force replaces it", output.kind->not_own));
}

void OutputFiles::start() {
  check();
  if (any()) signals_ = std::make_unique<StopSignals>(StopSignals::First::ends, paths());
}

void OutputFiles::write(const std::string& option, const std::string& text) const {
  for (const Named& output : outputs_) {
    const bool journal = output.kind == &kJournalFile;  // beside it, which its owner writes
    if (output.option != "--" + option || journal) continue;
    check_apart(output);
    check_own(output);
    write_text_file(output.path, text);
  }
}

void OutputFiles::write_all(const std::string& option,
                            const std::vector<std::string>& texts) const {
  std::vector<std::unique_ptr<PartialFile>> files;
  files.reserve(texts.size());
  for (const Named& output : outputs_) {
    if (output.option != "--" + option) continue;
    check_apart(output);
    check_own(output);
    invariant(files.size() < texts.size(), "every output has a text");
    auto file = std::make_unique<PartialFile>(output.path);
    file->write(texts[files.size()]);
    files.push_back(std::move(file));
  }
  for (const std::unique_ptr<PartialFile>& file : files) file->commit();
}

}  // namespace simtrain
