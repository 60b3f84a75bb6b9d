#pragma once

#include <array>
#include <concepts>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/core/enum_names.h"
#include "sim/core/fields.h"
#include "sim/core/input/scalar_text.h"
#include "sim/core/input/yaml_tree.h"
#include "sim/core/sourced.h"
#include "sim/core/suggestion.h"

/// Strict reading of YAML into structs whose fields are listed (fields.h). Unknown and missing
/// keys, wrong types, missing units and values out of their limits throw InputError with the place,
/// the dotted key, what was found and what would do.
namespace simtrain {

namespace yaml_detail {

inline std::string dotted(const std::string& path, std::string_view key) {
  return path.empty() ? std::string(key) : path + "." + std::string(key);
}

/// Visitor that only learns which keys a struct has.
struct KeyNames {
  std::vector<std::string> names;
  template <class T, class... Limit>
  void operator()(std::string_view key, T& /*field*/, Limit... /*limits*/) {
    names.emplace_back(key);
  }
  template <class T, class... Limit>
  void optional(std::string_view key, T& /*field*/, Limit... /*limits*/) {
    names.emplace_back(key);
  }
};

// The generic ones come first, so that they find each other whatever nests in what.
template <class T, class... Limit>
void read_value(const YamlNode& n, const std::string& key, std::optional<T>& v, Limit... limits);
template <class T, class... Limit>
void read_value(const YamlNode& n, const std::string& key, std::vector<T>& v, Limit... limits);
template <class T, std::size_t N, class... Limit>
void read_value(const YamlNode& n, const std::string& key, std::array<T, N>& v, Limit... limits);
template <class T, class... Limit>
void read_value(const YamlNode& n, const std::string& key, Sourced<T>& v, Limit... limits);
template <Fielded T>
void read_value(const YamlNode& n, const std::string& key, T& v);

inline void read_value(const YamlNode& n, const std::string& key, std::string& v) {
  v = scalar_text(n, key);
}
inline void read_value(const YamlNode& n, const std::string& key, bool& v) {
  v = scalar_bool(n, key);
}
template <std::integral T>
void read_value(const YamlNode& n, const std::string& key, T& v, Limits limits = kCount) {
  v = static_cast<T>(scalar_integer(n, key, limits));
}
inline void read_value(const YamlNode& n, const std::string& key, double& v,
                       Limits limits = kNotNegative) {
  v = scalar_real(n, key, limits);
}
template <class T>
requires requires(const YamlNode& n, T& v) { scalar_quantity(n, "", v); }
void read_value(const YamlNode& n, const std::string& key, T& v) { scalar_quantity(n, key, v); }

template <Named E>
void read_value(const YamlNode& n, const std::string& key, E& v) {
  const std::string text = scalar_text(n, key);
  std::vector<std::string> known;
  for (const auto& [name, row] : EnumNames<E>::rows) {
    if (name == text) {
      v = row;
      return;
    }
    known.emplace_back(name);
  }
  throw InputError(n.place, key, "'" + text + "' is not known here; " + suggestion(text, known));
}

template <class T, class... Limit>
void read_value(const YamlNode& n, const std::string& key, std::optional<T>& v, Limit... limits) {
  v.emplace();
  read_value(n, key, *v, limits...);
}

void require_list(const YamlNode& node, const std::string& key);
void require_length(const YamlNode& node, const std::string& key, std::size_t length);
void check_keys(const YamlNode& node, const std::string& path,
                const std::vector<std::string>& known);
[[noreturn]] void missing(const YamlNode& node, const std::string& key);

template <Fielded T>
void read_value(const YamlNode& n, const std::string& key, T& v) {
  v = read_yaml<T>(n, key);
}
template <class T, class... Limit>
void read_value(const YamlNode& n, const std::string& key, std::vector<T>& v, Limit... limits) {
  require_list(n, key);
  v.resize(n.items.size());
  for (std::size_t i = 0; i < v.size(); ++i) {
    read_value(n.items[i], key + "[" + std::to_string(i) + "]", v[i], limits...);
  }
}
template <class T, std::size_t N, class... Limit>
void read_value(const YamlNode& n, const std::string& key, std::array<T, N>& v, Limit... limits) {
  require_length(n, key, N);
  for (std::size_t i = 0; i < N; ++i) {
    read_value(n.items[i], key + "[" + std::to_string(i) + "]", v[i], limits...);
  }
}
template <class T, class... Limit>
void read_value(const YamlNode& n, const std::string& key, Sourced<T>& v, Limit... limits) {
  check_keys(n, key, {"value", "source"});
  const YamlNode* value = n.find("value");
  const YamlNode* source = n.find("source");
  if (value == nullptr) missing(n, dotted(key, "value"));
  if (source == nullptr) missing(n, dotted(key, "source"));
  read_value(*value, dotted(key, "value"), v.value, limits...);
  read_value(*source, dotted(key, "source"), v.source);
}

/// Visitor that reads each field from a map.
class FieldReader {
 public:
  FieldReader(const YamlNode& node, std::string path) : node_(node), path_(std::move(path)) {}

  template <class T, class... Limit>
  void operator()(std::string_view key, T& field, Limit... limits) {
    const YamlNode* value = node_.find(key);
    if (value == nullptr) missing(node_, dotted(path_, key));
    read_value(*value, dotted(path_, key), field, limits...);
  }
  template <class T, class... Limit>
  void optional(std::string_view key, T& field, Limit... limits) {
    const YamlNode* value = node_.find(key);
    if (value != nullptr) read_value(*value, dotted(path_, key), field, limits...);
  }

 private:
  const YamlNode& node_;
  std::string path_;
};

}  // namespace yaml_detail

/// The keys that a struct has, in order.
template <class T>
std::vector<std::string> field_names() {
  T value{};
  yaml_detail::KeyNames names;
  visit_fields(names, value);
  return names.names;
}

template <class T>
T read_yaml(const YamlNode& node, const std::string& key) {
  T value{};
  yaml_detail::check_keys(node, key, field_names<T>());
  yaml_detail::FieldReader reader(node, key);
  visit_fields(reader, value);
  if constexpr (requires { value.where = node.place; }) value.where = node.place;
  return value;
}

}  // namespace simtrain
