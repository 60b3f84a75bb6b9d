#pragma once

#include <cstdint>
#include <string>

#include "sim/core/input/yaml_tree.h"
#include "sim/core/quantity.h"

namespace simtrain {

/// The numbers that a key may hold, both ends included.
struct Limits {
  double least;
  double most;
};

inline constexpr Limits kShare{0.0, 1.0};        ///< an efficiency or a share
inline constexpr Limits kCount{1, 1e9};          ///< how many there are of something
inline constexpr Limits kCountOrNone{0, 1e9};    ///< the same, where none is possible
inline constexpr Limits kNotNegative{0, 1e300};  ///< a real number without upper bound

// Text to value. Each takes the node and the dotted key for its message, and throws InputError with
// what was found and what would do. Integers are decimal without leading zeros, booleans are `true`
// and `false`, reals are finite; quantities need one of their units ("80" alone is refused).
std::string scalar_text(const YamlNode& node, const std::string& key);
bool scalar_bool(const YamlNode& node, const std::string& key);
std::int64_t scalar_integer(const YamlNode& node, const std::string& key, Limits limits);
double scalar_real(const YamlNode& node, const std::string& key, Limits limits);

/// How the units of a quantity are written: `GB` and `GiB`, `Gb/s` and `GB/s` are different words.
void scalar_quantity(const YamlNode& node, const std::string& key, Bytes& value);
void scalar_quantity(const YamlNode& node, const std::string& key, Bandwidth& value);
void scalar_quantity(const YamlNode& node, const std::string& key, FlopRate& value);
void scalar_quantity(const YamlNode& node, const std::string& key, Duration& value);
void scalar_quantity(const YamlNode& node, const std::string& key, Power& value);
void scalar_quantity(const YamlNode& node, const std::string& key, Money& value);
void scalar_quantity(const YamlNode& node, const std::string& key, EnergyPrice& value);
void scalar_quantity(const YamlNode& node, const std::string& key, CarbonIntensity& value);

/// "a text", "a list", "a map", "nothing": what a node holds, for messages.
std::string found(const YamlNode& node);

}  // namespace simtrain
