#include "sim/study/fit/parameters/parameters.h"

#include <algorithm>
#include <array>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "sim/core/files/yaml_file.h"
#include "sim/study/fit/parameters/parameters_fields.h"
#include "sim/topology/specs/cluster_fields.h"
#include "sim/topology/specs/gpu_fields.h"
#include "sim/topology/specs/node_fields.h"
#include "sim/workload/model/fields/software_fields.h"

namespace simtrain {
namespace {

template <class T>
void read_as(const YamlNode& tree) {
  static_cast<void>(read_yaml<T>(tree, ""));
}

/// A family of files below hardware/, and what reads one.
struct Family {
  std::string_view name;
  void (*read)(const YamlNode& tree);
};
constexpr std::array kFamilies{
    Family{"gpus", read_as<GpuSpec>},          Family{"nodes", read_as<NodeSpec>},
    Family{"fabrics", read_as<FabricSpec>},    Family{"clusters", read_as<ClusterFile>},
    Family{"software", read_as<SoftwareSpec>}, Family{"tp_overlap", read_as<TpOverlapTable>}};

/// The file that a key is in.
struct KeyFile {
  const Family* family;
  YamlNode tree;
};

KeyFile file_of(const DataFolder& data, const ParameterKey& at) {
  const std::size_t slash = at.file.find('/');
  const std::string name = at.file.substr(0, slash);
  const auto* family = std::find_if(kFamilies.begin(), kFamilies.end(),
                                    [&](const Family& known) { return known.name == name; });
  if (slash == std::string::npos || !at.file.ends_with(".yaml") || family == kFamilies.end())
    throw InputError(at.where, "file",
                     fmt::format("'{}' is not FAMILY/NAME.yaml below hardware/", at.file));
  return {family, data.load_tree("hardware/" + name,
                                 at.file.substr(slash + 1, at.file.size() - slash - 1 - 5),
                                 at.where, "file")};
}

/// The number that a key names, as it is written.
YamlNode scalar_at(const DataFolder& data, const ParameterKey& at) {
  KeyFile file = file_of(data, at);
  return find_number(file.tree, at.key, at.where);
}

/// The file has to take the ends of the range, and a value between them that is no whole number.
void check_settable(const DataFolder& data, const ParameterKey& at,
                    const std::array<double, 2>& range) {
  KeyFile file = file_of(data, at);
  for (const double share : {0.0, 0.3819660112501051, 1.0}) {
    const double value = range[0] + share * (range[1] - range[0]);
    set_number(file.tree, {at.file, at.key, value, at.where});
    try {
      file.family->read(file.tree);
    } catch (const InputError& error) {
      throw InputError(at.where, at.key, fmt::format("cannot be {}: {}", value, error.what()));
    }
  }
}

void check_value(const FittedParameter& parameter, const ParameterKey& at,
                 const WrittenNumber& number) {
  const auto& [least, most] = parameter.range;
  if (number.unit != parameter.unit)
    throw InputError(
        at.where, at.key,
        fmt::format("is in '{}' there, the parameter in '{}'", number.unit, parameter.unit));
  if (number.value != parameter.current)
    throw InputError(
        at.where, at.key,
        fmt::format("is {} there, but {} at the first key", number.value, parameter.current));
  if (number.value < least || number.value > most)
    throw InputError(at.where, at.key,
                     fmt::format("is {} there; the range is {} to {}", number.value, least, most));
}

void read_current(const DataFolder& data, FittedParameter& parameter) {
  if (parameter.sets.empty()) throw InputError(parameter.where, "sets", "holds no keys");
  const auto& [least, most] = parameter.range;
  if (!(least <= parameter.prior.value && parameter.prior.value <= most) || least == most)
    throw InputError(
        parameter.where, "range",
        fmt::format("[{}, {}] does not hold the prior {}", least, most, parameter.prior.value));
  const ParameterKey& first = parameter.sets.front();
  parameter.current = written_number(scalar_at(data, first), first.key).value;
  for (const ParameterKey& at : parameter.sets) {
    check_value(parameter, at, written_number(scalar_at(data, at), at.key));
    check_settable(data, at, parameter.range);
  }
}

}  // namespace

CalibrationSpec read_calibration(const DataFolder& data, const std::string& path) {
  auto spec = read_yaml<CalibrationSpec>(load_yaml_file(path), "");
  std::set<std::string> names;
  std::set<std::tuple<std::string, int, int>> numbers;
  for (FittedParameter& parameter : spec.parameters) {
    if (!names.insert(parameter.name).second)
      throw InputError(parameter.where, "name", fmt::format("'{}' is given twice", parameter.name));
    for (const ParameterKey& at : parameter.sets) {
      const SourcePlace number = scalar_at(data, at).place;
      if (!numbers.insert({number.file, number.line, number.column}).second)
        throw InputError(at.where, at.key, "is set twice");
    }
    read_current(data, parameter);
  }
  if (spec.parameters.empty()) throw InputError({path}, "parameters", "holds none");
  return spec;
}

DataFolder with_values(const DataFolder& data, const std::vector<FittedParameter>& parameters,
                       const std::vector<double>& values) {
  std::vector<NumberOverride> numbers;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    for (const ParameterKey& at : parameters[i].sets)
      numbers.push_back({at.file, at.key, values[i], at.where});
  }
  return data.with(std::move(numbers));
}

}  // namespace simtrain
