#include "sim/study/sweep/sweep_grid.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "sim/core/input/number_range.h"
#include "sim/core/input/yaml_text.h"

namespace simtrain {
namespace {

bool looks_like_range(const YamlNode& node) {
  return node.kind == YamlNode::Kind::scalar && node.text.find(':') != std::string::npos &&
         node.text.find_first_not_of("0123456789:+-") == std::string::npos;
}

SteppedRange range_of(const YamlNode& node, const std::string& key) {
  constexpr std::int64_t kFarthest = 1'000'000'000'000;
  const auto read = stepped_range(node.text, -kFarthest, kFarthest);
  if (!read)
    throw InputError(node.place, key,
                     fmt::format("'{}' is no range; 1:12 or 2:16:2 would do", node.text));
  const SteppedRange& range = *read;
  if (range.step < 1)
    throw InputError(
        node.place, key,
        fmt::format("'{}' has the step {}; 1 or more would do", node.text, range.step));
  if (range.last < range.first)
    throw InputError(node.place, key,
                     fmt::format("'{}' ends below its start; write it upwards", node.text));
  return range;
}

void add_value(SweepAxis& axis, YamlNode value) {
  axis.texts.push_back(flow_text(value));
  const std::size_t size = axis.texts.back().size();
  if (size > SweepAxis::kLongestText)
    throw InputError(
        axis.place, axis.key,
        fmt::format("has a value of {} bytes; up to {} would do", size, SweepAxis::kLongestText));
  axis.values.push_back(std::move(value));
}

void add_range(SweepAxis& axis, const YamlNode& node) {
  const SteppedRange range = range_of(node, axis.key);
  const auto count = static_cast<std::uint64_t>((range.last - range.first) / range.step) + 1;
  if (axis.values.size() + count > SweepAxis::kMostValues)
    throw InputError(node.place, axis.key,
                     fmt::format("'{}' is {} values; a key takes up to {} in all", node.text, count,
                                 SweepAxis::kMostValues));
  for (std::int64_t number = range.first; number <= range.last; number += range.step) {
    YamlNode value = node;
    value.text = std::to_string(number);
    add_value(axis, std::move(value));
  }
}

void refuse_doubled(const SweepAxis& axis) {
  std::vector<std::string> sorted = axis.texts;
  std::sort(sorted.begin(), sorted.end());
  const auto doubled = std::adjacent_find(sorted.begin(), sorted.end());
  if (doubled != sorted.end())
    throw InputError(axis.place, axis.key, fmt::format("'{}' is given twice", *doubled));
}

}  // namespace

SweepAxis read_axis(const Setting& varied) {
  check_scenario_key(varied.key, varied.key_place);
  SweepAxis axis{varied.key, short_key(varied.key), varied.key_place, {}, {}};
  const bool list = varied.value.kind == YamlNode::Kind::list;
  const std::vector<YamlNode> tried =
      list ? varied.value.items : std::vector<YamlNode>{varied.value};
  for (const YamlNode& value : tried) {
    if (value.kind == YamlNode::Kind::null ||
        (value.kind == YamlNode::Kind::scalar && value.text.empty()))
      throw InputError(value.place.file.empty() ? varied.key_place : value.place, varied.key,
                       "has an empty value; leave the comma out");
    if (looks_like_range(value)) {
      add_range(axis, value);
    } else {
      add_value(axis, value);
    }
  }
  if (axis.values.empty())
    throw InputError(varied.value.place, varied.key, "lists no value; [1, 2] or 1:4 would do");
  refuse_doubled(axis);
  return axis;
}

SweepAxis parse_axis(const std::string& text) {
  const std::string place = "--vary " + text;
  const std::size_t equals = equals_sign(text);
  if (equals == std::string::npos || equals == 0)
    throw InputError({place}, "", "must be KEY=V1,V2,... or KEY=FIRST:LAST");
  const std::string key = dotted_key(text.substr(0, equals));
  const std::string values = text.substr(equals + 1);
  if (values.empty()) throw InputError({place}, key, "lists no value; 1,2 or 1:4 would do");
  // The bracket before the list takes the column of the equals sign.
  YamlNode list = load_yaml_text("[" + values + "]", place, static_cast<int>(equals) + 1);
  if (list.kind != YamlNode::Kind::list) throw InputError({place}, key, "is no list of values");
  return read_axis({key, {place, 1, 1}, std::move(list)});
}

SweepGrid::SweepGrid(std::vector<SweepAxis> axes) : axes_(std::move(axes)) {
  if (axes_.empty())
    throw InputError({}, "",
                     "sweep has nothing to vary: --vary KEY=V1,V2,... or a sweep block in the "
                     "scenario would do");
  for (std::size_t i = 0; i < axes_.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const std::string& a = axes_[i].key;
      const std::string& b = axes_[j].key;
      if (a == b || a.starts_with(b + ".") || b.starts_with(a + ".") || exclude_each_other(a, b))
        throw InputError(axes_[i].place, a,
                         a == b ? "is varied twice" : fmt::format("is varied, and so is '{}'", b));
    }
    size_ *= axes_[i].values.size();
    if (size_ > kMost)
      throw InputError(
          {}, "",
          fmt::format("the sweep has {} candidates or more; up to {} are simulated", size_, kMost));
  }
}

std::vector<std::size_t> SweepGrid::choice(std::uint64_t candidate) const {
  std::vector<std::size_t> chosen(axes_.size());
  for (std::size_t i = axes_.size(); i-- > 0;) {
    chosen[i] = candidate % axes_[i].values.size();
    candidate /= axes_[i].values.size();
  }
  return chosen;
}

std::vector<Setting> SweepGrid::settings(std::uint64_t candidate) const {
  const std::vector<std::size_t> chosen = choice(candidate);
  std::vector<Setting> settings;
  settings.reserve(axes_.size());
  for (std::size_t i = 0; i < axes_.size(); ++i)
    settings.push_back({axes_[i].key, axes_[i].place, axes_[i].values[chosen[i]]});
  return settings;
}

}  // namespace simtrain
