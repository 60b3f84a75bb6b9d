#include "sim/study/parameters.h"

#include <set>

#include <fmt/format.h>

namespace simtrain {
namespace {

/// The number that a key names in the files.
WrittenNumber number_at(const DataFolder& data, const ParameterKey& at) {
  const std::size_t slash = at.file.find('/');
  const std::string family = "hardware/" + at.file.substr(0, slash);
  if (slash == std::string::npos || !at.file.ends_with(".yaml"))
    throw InputError(at.where, "file",
                     fmt::format("'{}' is not FAMILY/NAME.yaml below hardware/", at.file));
  const std::string name = at.file.substr(slash + 1, at.file.size() - slash - 1 - 5);
  YamlNode tree = data.load_tree(family, name, at.where, "file");
  return written_number(find_number(tree, at.key, at.where), at.key);
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
  parameter.current = number_at(data, parameter.sets.front()).value;
  for (const ParameterKey& at : parameter.sets) check_value(parameter, at, number_at(data, at));
}

}  // namespace

CalibrationSpec read_calibration(const DataFolder& data, const std::string& path) {
  auto spec = read_yaml<CalibrationSpec>(load_yaml_file(path), "");
  std::set<std::string> names;
  std::set<std::string> keys;
  for (FittedParameter& parameter : spec.parameters) {
    if (!names.insert(parameter.name).second)
      throw InputError(parameter.where, "name", fmt::format("'{}' stands twice", parameter.name));
    for (const ParameterKey& at : parameter.sets) {
      if (!keys.insert(at.file + ":" + at.key).second)
        throw InputError(at.where, at.key, "is set by two parameters");
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
