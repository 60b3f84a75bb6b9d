#include "sim/study/sweep_question.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include "sim/core/fingerprint.h"

namespace simtrain {
namespace {

/// Counts up when rows of the same question come to mean something else.
constexpr std::string_view kRowFormat = "simtrain.sweep-row/1";

SweepGrid grid_of(const ScenarioSource& source, const SweepRequest& request) {
  std::vector<SweepAxis> axes;
  for (const Setting& block : source.sweep()) {
    const bool set = std::any_of(request.settings.begin(), request.settings.end(),
                                 [&](const Setting& setting) { return setting.key == block.key; });
    if (!set) axes.push_back(read_axis(block));
  }
  for (const SweepAxis& axis : request.varied) {
    for (const Setting& setting : request.settings) {
      if (setting.key == axis.key)
        throw InputError(axis.place, axis.key, "is varied, and set by --set; one would do");
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
  return fingerprint.text();
}

}  // namespace

SweepQuestion sweep_question(const DataFolder& data, const SweepRequest& request) {
  const auto source = ScenarioSource::from_file(request.path);
  if (request.row.empty() && source.has_table())
    throw InputError({request.path}, "--row",
                     fmt::format("is missing: the file has a table; --row {} would do",
                                 source.row_names().front()));
  SweepQuestion question{data.snapshot(),          source, request.row, request.settings,
                         grid_of(source, request), {},     {}};
  check_values(question);
  question.name = std::filesystem::path(request.path).filename().string() +
                  (request.row.empty() ? "" : fmt::format(" [{}]", request.row));
  question.fingerprint = fingerprint_of(question);
  return question;
}

}  // namespace simtrain
