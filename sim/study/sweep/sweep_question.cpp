#include "sim/study/sweep/sweep_question.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "sim/core/fingerprint.h"
#include "sim/core/input/yaml_text.h"
#include "sim/study/tasks/question_files.h"

namespace simtrain {
namespace {

/// Counts up when rows of the same question come to mean something else.
constexpr std::string_view kRowFormat = "simtrain.sweep-row/1";

/// Each value of each axis beside the first values of the others. Of a very long axis, which can
/// only be a range, the ends.
void check_values(const SweepQuestion& question) {
  const auto with = [&](const std::vector<Setting>& varied) {
    std::vector<Setting> settings = question.settings;
    settings.insert(settings.end(), varied.begin(), varied.end());
    question.source.check_values(question.data, question.row, settings);
  };
  constexpr std::size_t kEnd = 500;
  const std::vector<Setting> first = question.grid.settings(0);
  with(first);
  for (std::size_t i = 0; i < first.size(); ++i) {
    std::vector<Setting> varied = first;
    const std::vector<YamlNode>& values = question.grid.axes()[i].values;
    for (std::size_t k = 0; k < values.size(); ++k) {
      if (k == kEnd && values.size() > 2 * kEnd) k = values.size() - kEnd;
      varied[i].value = values[k];
      with(varied);
    }
  }
}

/// Those of the scenario and of the values of an axis.
void add_own_files(Fingerprint& fingerprint, const SweepQuestion& question) {
  const auto add = [&](const std::vector<Setting>& settings) {
    add_own_files(fingerprint, question.data, question.source, question.row, settings);
  };
  add(question.settings);
  for (const SweepAxis& axis : question.grid.axes()) {
    if (axis.key != "model" && axis.key != "moe.routing.histogram_file") continue;
    for (const YamlNode& value : axis.values) add({{axis.key, axis.place, value}});
  }
}

/// "llama31_8b_h100.yaml [bf16-8] with gbs=64".
std::string name_of(const SweepRequest& request) {
  std::string name = file_and_row(request.path, request.row);
  std::string_view comma = " with";
  for (const Setting& setting : request.settings) {
    const YamlNode& value = setting.value;
    name += fmt::format("{} {}={}", comma, short_key(setting.key),
                        value.kind == YamlNode::Kind::scalar ? value.text : flow_text(value));
    comma = ",";
  }
  return name;
}

/// The first that a cluster, set or varied, makes of the GPUs unasked.
std::string gpus_note(const SweepQuestion& question) {
  const std::vector<SweepAxis>& axes = question.grid.axes();
  const auto clusters = std::find_if(
      axes.begin(), axes.end(), [](const SweepAxis& axis) { return axis.key == "cluster.name"; });
  const std::size_t tried = clusters == axes.end() ? 1 : clusters->values.size();
  for (std::size_t i = 0; i < tried; ++i) {
    std::vector<Setting> settings = question.settings;
    for (Setting& setting : question.grid.settings(0)) {
      if (setting.key == "cluster.name") setting.value = clusters->values[i];
      settings.push_back(std::move(setting));
    }
    try {
      const auto changed =
          question.source.draft(question.data, question.row, settings).scenario.changed_from;
      if (changed && !changed->gpus.empty()) return changed->gpus;
    } catch (const InputError&) {  // NOLINT(bugprone-empty-catch): its rows hold the error
    }
  }
  return "";
}

std::string fingerprint_of(const SweepQuestion& question) {
  Fingerprint fingerprint;
  fingerprint.add(kRowFormat);
  fingerprint.add(question.source.text(question.row, question.settings));
  for (const SweepAxis& axis : question.grid.axes()) {
    fingerprint.add(axis.key);
    fingerprint.add(axis.texts.size());
    for (const std::string& text : axis.texts) fingerprint.add(text);
  }
  fingerprint.add(question.data.fingerprint());
  add_own_files(fingerprint, question);
  return fingerprint.text();
}

}  // namespace

SweepGrid sweep_grid(const ScenarioSource& source, const SweepRequest& request) {
  std::vector<SweepAxis> axes;
  for (const Setting& block : source.sweep()) {
    const bool set =
        std::any_of(request.settings.begin(), request.settings.end(), [&](const Setting& setting) {
          return setting.key == block.key || exclude_each_other(setting.key, block.key);
        });
    if (!set) axes.push_back(read_axis(block));
  }
  for (const SweepAxis& axis : request.varied) {
    for (const Setting& setting : request.settings) {
      if (setting.key == axis.key || exclude_each_other(setting.key, axis.key))
        throw InputError(axis.place, axis.key,
                         fmt::format("is varied, and {}set by --set; one would do",
                                     setting.key == axis.key ? "" : setting.key + " is "));
    }
  }
  const std::size_t of_block = axes.size();
  for (const SweepAxis& axis : request.varied) {
    const auto end = axes.begin() + static_cast<std::ptrdiff_t>(of_block);
    const auto same = std::find_if(axes.begin(), end,
                                   [&](const SweepAxis& other) { return other.key == axis.key; });
    if (same == end) {
      axes.push_back(axis);
    } else {
      *same = axis;
    }
  }
  return SweepGrid(std::move(axes));
}

SweepQuestion sweep_question(const DataFolder& data, const SweepRequest& request) {
  return sweep_question(data, ScenarioSource::from_file(request.path), request);
}

SweepQuestion sweep_question(const DataFolder& data, const ScenarioSource& source,
                             const SweepRequest& request) {
  if (request.row.empty() && source.has_table())
    throw InputError({request.path}, "--row",
                     fmt::format("is missing: the file has a table; --row {} would do",
                                 source.row_names().front()));
  SweepQuestion question{data.snapshot(),
                         source,
                         request.row,
                         request.settings,
                         sweep_grid(source, request),
                         {},
                         {},
                         {}};
  check_values(question);
  question.name = name_of(request);
  question.gpus_note = gpus_note(question);
  question.fingerprint = fingerprint_of(question);
  return question;
}

}  // namespace simtrain
