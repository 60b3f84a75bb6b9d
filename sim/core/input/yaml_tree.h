#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim/core/input/input_error.h"

namespace simtrain {

struct YamlEntry;

/// One YAML value with its place. Scalars are kept as text: what they mean is decided where they
/// are read, with the type that is wanted (so `no`, `010` and `.nan` are just text here).
struct YamlNode {
  enum class Kind { null, scalar, list, map };
  Kind kind = Kind::null;
  SourcePlace place;
  std::string text;                ///< of a scalar
  std::vector<YamlNode> items;     ///< of a list
  std::vector<YamlEntry> entries;  ///< of a map, in file order, keys unique

  /// The value under `key`, or nullptr.
  [[nodiscard]] const YamlNode* find(std::string_view key) const;
  [[nodiscard]] YamlNode* find(std::string_view key);
};

struct YamlEntry {
  std::string key;
  SourcePlace place;
  YamlNode value;
};

/// Reads YAML from text; `name` is the file's in messages. `first_column` is the column at which
/// the text starts on its line. Throws InputError where it is not YAML, holds more than one
/// document, a doubled key, a merge key, an anchor, an alias or a tag.
YamlNode load_yaml_text(const std::string& text, const std::string& name, int first_column = 1);

/// Puts `value` under the dotted `key`, making the maps on the way where they are missing.
/// Throws InputError where a step of the way is no map. `key_place` is where the key is written, if
/// that is elsewhere than the value.
void set_yaml_value(YamlNode& root, std::string_view key, YamlNode value);
void set_yaml_value(YamlNode& root, std::string_view key, YamlNode value,
                    const SourcePlace& key_place);

/// The value under a dotted key, or nullptr.
const YamlNode* find_yaml_value(const YamlNode& root, std::string_view key);

/// The text under a dotted key; empty where there is none.
std::string text_at(const YamlNode& root, std::string_view key);

}  // namespace simtrain
