#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "sim/core/input/yaml_tree.h"

namespace simtrain {

/// A number of a data file set to another one, in the unit in which the file writes it; or any
/// single value set to a written one.
struct NumberOverride {
  std::string file;  ///< below `hardware/`, such as "gpus/h100-sxm.yaml"
  std::string key;   ///< see `find_number`
  double value = 0;
  SourcePlace where;                  ///< of what asks for it
  std::optional<YamlNode> written{};  ///< in place of `value`, with its own unit and place
  std::string source{};               ///< of `written`
};

/// The scalar under a dotted key whose steps may pick a row of a list by its fields:
/// `gemm.rates[data_type=fp8].burst`, `attention[implementation=cudnn][direction=forward].rate`.
/// Of a map with `value` and `source`, the value. Throws InputError at `where`
/// where there is none, more than one row answers, or it is no number.
YamlNode& find_number(YamlNode& root, std::string_view key, const SourcePlace& where);

/// The node under such a key: a scalar, a list or a map; a value with its source as one map.
/// nullptr where there is nothing or more than one row answers. Throws InputError at `where` where
/// `key` is not written like one.
const YamlNode* find_keyed(const YamlNode& root, std::string_view key, const SourcePlace& where);

/// A scalar as number and unit: "700 TFLOP/s" is 700 and "TFLOP/s", "0.94" has no unit.
struct WrittenNumber {
  double value = 0;
  std::string unit;
};
WrittenNumber written_number(const YamlNode& scalar, const std::string& key);

/// Sets it: a number keeps the unit, with digits enough to read it again. What is written takes the
/// place of the value, and its source that of the value's own; where a file leaves a plain dotted
/// key out, it is added.
void set_number(YamlNode& root, const NumberOverride& number);

}  // namespace simtrain
