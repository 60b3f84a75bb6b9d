#include "sim/core/input/scalar_text.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sim/core/input/number_text.h"
#include "sim/core/input/units.h"

namespace simtrain {
namespace {

bool parse_real(std::string_view text, double& value) {
  const bool starts_well =
      !text.empty() && (std::isdigit(static_cast<unsigned char>(text[0])) != 0 ||
                        ((text[0] == '-' || text[0] == '.') && text.size() > 1 &&
                         std::isdigit(static_cast<unsigned char>(text[1])) != 0));
  if (!starts_well) return false;
  const auto number = number_as<double>(text);
  if (number) value = *number;
  return number && std::isfinite(value);
}

double quantity(const YamlNode& node, const std::string& key, std::span<const Unit> units,
                double largest) {
  std::vector<std::string_view> names;
  for (const Unit& unit : units) names.push_back(unit.name);
  const auto expected = fmt::format("a number with one of the units {}", fmt::join(names, ", "));
  if (node.kind != YamlNode::Kind::scalar) {
    throw InputError(node.place, key, fmt::format("needs {}, found {}", expected, found(node)));
  }
  const std::string& text = node.text;
  const std::size_t end = text.find_first_not_of("0123456789.-+eE");
  const std::size_t number_end = std::min(end, text.size());
  double number = 0;
  if (!parse_real(std::string_view(text).substr(0, number_end), number)) {
    throw InputError(node.place, key, fmt::format("'{}' is not {}", text, expected));
  }
  std::string_view unit = std::string_view(text).substr(number_end);
  while (!unit.empty() && unit.front() == ' ') unit.remove_prefix(1);
  if (unit.empty()) {
    throw InputError(node.place, key,
                     fmt::format("'{}' needs one of the units {}", text, fmt::join(names, ", ")));
  }
  const auto row =
      std::find_if(units.begin(), units.end(), [&](const Unit& u) { return u.name == unit; });
  if (row == units.end()) {
    throw InputError(
        node.place, key,
        fmt::format("'{}' is no unit here; it takes one of {}", unit, fmt::join(names, ", ")));
  }
  const double value = number * row->factor;
  if (!(value >= 0)) throw InputError(node.place, key, fmt::format("'{}' is negative", text));
  if (!(value <= largest))
    throw InputError(node.place, key, fmt::format("'{}' is too large", text));
  return value;
}

void refuse_zero(const YamlNode& node, const std::string& key, double value) {
  if (value > 0) return;
  throw InputError(node.place, key, fmt::format("'{}' is zero; it must be more", node.text));
}

void check_limits(const YamlNode& node, const std::string& key, double value, Limits limits) {
  if (value >= limits.least && value <= limits.most) return;
  if (value < limits.least && limits.most > 1e18) {
    throw InputError(
        node.place, key,
        fmt::format("'{}' is too small; {} or more would do", node.text, limits.least));
  }
  throw InputError(
      node.place, key,
      fmt::format("'{}' is out of range; {} to {} would do", node.text, limits.least, limits.most));
}

}  // namespace

std::string found(const YamlNode& node) {
  switch (node.kind) {
    case YamlNode::Kind::null:
      return "nothing";
    case YamlNode::Kind::scalar:
      return fmt::format("'{}'", node.text);
    case YamlNode::Kind::list:
      return "a list";
    case YamlNode::Kind::map:
      return "a map";
  }
  return "";
}

std::string scalar_text(const YamlNode& node, const std::string& key) {
  if (node.kind != YamlNode::Kind::scalar)
    throw InputError(node.place, key, fmt::format("must be a text, found {}", found(node)));
  if (node.text.empty()) throw InputError(node.place, key, "is an empty text");
  return node.text;
}

bool scalar_bool(const YamlNode& node, const std::string& key) {
  if (node.kind == YamlNode::Kind::scalar && node.text == "true") return true;
  if (node.kind == YamlNode::Kind::scalar && node.text == "false") return false;
  throw InputError(node.place, key, fmt::format("must be true or false, found {}", found(node)));
}

std::int64_t scalar_integer(const YamlNode& node, const std::string& key, Limits limits) {
  const std::string& text = node.text;
  std::string_view behind = text;
  const auto value = take_number<std::int64_t>(behind);
  if (node.kind != YamlNode::Kind::scalar || text.empty() || !behind.empty())
    throw InputError(node.place, key, fmt::format("must be a whole number, found {}", found(node)));
  if (!value) throw InputError(node.place, key, fmt::format("'{}' is too large", text));
  const std::size_t first_digit = text[0] == '-' ? 1 : 0;
  if (text[first_digit] == '0' && text.size() > first_digit + 1) {
    throw InputError(node.place, key,
                     fmt::format("'{}' starts with a zero; write it without", text));
  }
  check_limits(node, key, static_cast<double>(*value), limits);
  return *value;
}

double scalar_real(const YamlNode& node, const std::string& key, Limits limits) {
  double value = 0;
  if (node.kind != YamlNode::Kind::scalar || !parse_real(node.text, value)) {
    throw InputError(node.place, key, fmt::format("must be a number, found {}", found(node)));
  }
  check_limits(node, key, value, limits);
  return value;
}

void scalar_quantity(const YamlNode& node, const std::string& key, Bytes& value) {
  const double bytes = quantity(node, key, kByteUnits, 1e18);
  refuse_zero(node, key, std::round(bytes));
  value = Bytes(std::llround(bytes));
}

void scalar_quantity(const YamlNode& node, const std::string& key, Bandwidth& value) {
  value = Bandwidth(quantity(node, key, kBandwidthUnits, 1e18));
  refuse_zero(node, key, value.value());
}

void scalar_quantity(const YamlNode& node, const std::string& key, Power& value) {
  value = Power(quantity(node, key, kPowerUnits, 1e12));
}

void scalar_quantity(const YamlNode& node, const std::string& key, Money& value) {
  value = Money(quantity(node, key, kMoneyUnits, 1e12));
}

void scalar_quantity(const YamlNode& node, const std::string& key, EnergyPrice& value) {
  value = EnergyPrice(quantity(node, key, kEnergyPriceUnits, 1e6));
}

void scalar_quantity(const YamlNode& node, const std::string& key, CarbonIntensity& value) {
  value = CarbonIntensity(quantity(node, key, kCarbonUnits, 1e6));
}

void scalar_quantity(const YamlNode& node, const std::string& key, FlopRate& value) {
  value = FlopRate(quantity(node, key, kFlopRateUnits, 1e21));
  refuse_zero(node, key, value.value());
}

void scalar_quantity(const YamlNode& node, const std::string& key, Duration& value) {
  value = to_duration(quantity(node, key, kDurationUnits, 1e6));
}

}  // namespace simtrain
