#include "sim/run/scenario/routing_file.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>

#include "sim/core/files/text_file.h"
#include "sim/core/input/input_error.h"
#include "sim/core/input/number_text.h"
#include "sim/core/input/text_parts.h"

namespace simtrain {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kHistogramKey = "moe.routing.histogram_file";
constexpr TextFileKind kHistogramFile{"a histogram of experts", 64};

std::vector<double> loads_of_line(std::string_view line, const SourcePlace& where) {
  std::vector<double> loads;
  for (const std::string_view part : split(line, ',')) {
    const std::string_view text = trimmed(part);
    const auto number = number_as<double>(text);
    if (!number || !std::isfinite(*number) || *number < 0)
      throw InputError(where, std::string(kHistogramKey),
                       fmt::format("'{}' is no number of tokens; comma-separated numbers of 0 or "
                                   "more, one for each expert, would do",
                                   text));
    loads.push_back(*number);
  }
  return loads;
}

}  // namespace

std::optional<std::string> routing_path(const YamlNode& scenario) {
  const YamlNode* path = find_yaml_value(scenario, kHistogramKey);
  if (path == nullptr || path->kind != YamlNode::Kind::scalar) return std::nullopt;
  if (path->place.file != scenario.place.file) return path->text;
  return (fs::path(scenario.place.file).parent_path() / path->text).string();
}

std::vector<std::vector<double>> load_routing_file(const YamlNode& scenario) {
  const std::string path = routing_path(scenario).value_or("");
  const SourcePlace& named = find_yaml_value(scenario, kHistogramKey)->place;
  std::error_code error;
  if (!fs::is_regular_file(path, error))
    throw InputError(named, std::string(kHistogramKey),
                     fmt::format("'{}' is no file; one with a line of comma-separated numbers for "
                                 "each layer would do",
                                 path));
  const std::string text = read_text_file(path, kHistogramFile);
  std::vector<std::vector<double>> layers;
  int number = 0;
  for (const std::string_view whole : split(text, '\n')) {
    ++number;
    const std::string_view line = trimmed(whole);
    if (line.empty() || line.front() == '#') continue;
    layers.push_back(loads_of_line(line, {path, number, 1}));
    if (layers.back().size() != layers.front().size())
      throw InputError({path, number, 1}, std::string(kHistogramKey),
                       fmt::format("has {} numbers, the first line {}", layers.back().size(),
                                   layers.front().size()));
  }
  if (layers.empty())
    throw InputError({path}, std::string(kHistogramKey),
                     "has no line of numbers; one for each layer would do");
  return layers;
}

void keep_routing_path(YamlNode& scenario, const std::string& file) {
  const auto path = routing_path(scenario);
  if (!path || fs::path(*path).is_absolute()) return;
  YamlNode kept = *find_yaml_value(scenario, kHistogramKey);
  const fs::path folder = fs::absolute(file).lexically_normal().parent_path();
  kept.text = fs::absolute(*path).lexically_normal().lexically_relative(folder).string();
  kept.place.file = scenario.place.file;
  set_yaml_value(scenario, kHistogramKey, std::move(kept));
}

}  // namespace simtrain
