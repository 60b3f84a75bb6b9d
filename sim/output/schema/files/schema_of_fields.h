#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "sim/collectives/libraries/nccl/nccl_version.h"
#include "sim/core/input/units.h"
#include "sim/core/input/yaml_reader.h"
#include "sim/output/schema/files/named_files.h"
#include "sim/output/schema/meanings/meanings.h"
#include "sim/run/scenario/model_choice.h"
#include "sim/study/validate/documented.h"
#include "sim/topology/placement/placement.h"

/// JSON Schema of structs whose fields are listed (fields.h): the same lists that the strict reader
/// reads by, so that schema and reader cannot differ.
namespace simtrain {

namespace schema_detail {

using SchemaJson = nlohmann::ordered_json;

template <class T>
inline constexpr bool kIsOptional = false;
template <class T>
inline constexpr bool kIsOptional<std::optional<T>> = true;
template <class T>
inline constexpr bool kIsSourced = false;
template <class T>
inline constexpr bool kIsSourced<Sourced<T>> = true;
template <class T>
inline constexpr bool kIsVector = false;
template <class T>
inline constexpr bool kIsVector<std::vector<T>> = true;
template <class T>
inline constexpr bool kIsArray = false;
template <class T, std::size_t N>
inline constexpr bool kIsArray<std::array<T, N>> = true;

/// The pattern of a number with one of its units.
std::string quantity_pattern(std::span<const Unit> units);
SchemaJson quantity_schema(std::span<const Unit> units);
SchemaJson percent_schema();
SchemaJson number_schema(std::string_view type, Limits limits);
SchemaJson text_schema();
/// A text where no file names are known, else one of them; `paths` may be files of one's own too.
SchemaJson name_schema(const std::vector<NamedFiles>& files, const std::string& key);
SchemaJson model_choice_schema(const std::vector<NamedFiles>& files, const std::string& key);
/// What stays the same if it is left out; none where that cannot be written.
template <class T>
void add_default(SchemaJson& schema, const T& value) {
  if constexpr (Named<T>) {
    schema["default"] = name_of(value);
  } else if constexpr (std::integral<T> || std::floating_point<T>) {
    const auto number = static_cast<double>(value);
    if (number >= schema.value("minimum", number)) schema["default"] = value;
  }
}

template <Named E>
SchemaJson enum_schema() {
  SchemaJson names = SchemaJson::array();
  for (const auto& [name, value] : EnumNames<E>::rows) names.push_back(name);
  return {{"enum", std::move(names)}};
}

}  // namespace schema_detail

/// Visitor that makes the schema of a map: all keys with their types, limits, units, names and
/// meanings; none is required (RequiredFields).
class FieldSchema {
 public:
  using Json = nlohmann::ordered_json;

  FieldSchema(std::string path, const std::vector<NamedFiles>& files)
      : path_(std::move(path)), files_(files) {}

  template <class T, class... Limit>
  void operator()(std::string_view key, T& field, Limit... limits) {
    add(key, field, limits...);
  }
  template <class T, class... Limit>
  void optional(std::string_view key, T& field, Limit... limits) {
    schema_detail::add_default(add(key, field, limits...), field);
  }

  /// The schema of a struct.
  template <Fielded T>
  [[nodiscard]] static Json of(const std::string& path, const std::vector<NamedFiles>& files) {
    FieldSchema visitor(path, files);
    T value{};
    visit_fields(visitor, value);
    return {{"type", "object"},
            {"additionalProperties", false},
            {"properties", std::move(visitor.properties_)}};
  }

 private:
  template <class T, class... Limit>
  Json& add(std::string_view key, T& /*field*/, Limit... limits) {
    const std::string path = path_ + "." + std::string(key);
    Json schema = type_schema<T>(path, limits...);
    const std::string_view meaning = meaning_of(path);
    if (!meaning.empty()) schema["description"] = meaning;
    return properties_[std::string(key)] = std::move(schema);
  }

  template <class T, class... Limit>
  Json type_schema(const std::string& path, Limit... limits) {
    namespace detail = schema_detail;
    if constexpr (detail::kIsOptional<T>)
      return type_schema<typename T::value_type>(path, limits...);
    else if constexpr (detail::kIsSourced<T>)
      return sourced_schema(type_schema<decltype(T::value)>(path, limits...));
    else if constexpr (detail::kIsVector<T>)
      return {{"type", "array"},
              {"items", type_schema<typename T::value_type>(path + "[]", limits...)}};
    else if constexpr (detail::kIsArray<T>)
      return {{"type", "array"},
              {"items", type_schema<typename T::value_type>(path, limits...)},
              {"minItems", std::tuple_size_v<T>},
              {"maxItems", std::tuple_size_v<T>}};
    else
      return plain_schema<T>(path, limits...);
  }

  template <class T, class... Limit>
  Json plain_schema(const std::string& path, Limit... limits) {
    namespace detail = schema_detail;
    if constexpr (std::same_as<T, PlacementSpec>)
      return {{"anyOf", {detail::enum_schema<PlacementKind>(), of<T>(path, files_)}}};
    else if constexpr (Fielded<T>)
      return of<T>(path, files_);
    else if constexpr (Named<T>)
      return detail::enum_schema<T>();
    else if constexpr (std::same_as<T, ModelChoice>)
      return detail::model_choice_schema(files_, path);
    else if constexpr (std::same_as<T, std::string>)
      return detail::name_schema(files_, path);
    else if constexpr (std::same_as<T, bool>)
      return {{"type", "boolean"}};
    else if constexpr (std::integral<T>)
      return detail::number_schema("integer", chosen(kCount, limits...));
    else if constexpr (std::floating_point<T>)
      return detail::number_schema("number", chosen(kNotNegative, limits...));
    else if constexpr (std::same_as<T, NcclVersion>)
      return detail::text_schema();
    else if constexpr (std::same_as<T, Percent>)
      return detail::percent_schema();
    else
      return detail::quantity_schema(units_of(T{}));
  }

  static Json sourced_schema(Json value);
  static Limits chosen(Limits usual) { return usual; }
  static Limits chosen(Limits /*usual*/, Limits own) { return own; }

  std::string path_;
  const std::vector<NamedFiles>& files_;
  Json properties_ = Json::object();
};

/// Visitor that makes what a schema of the same struct lacks: which keys must be there, at every
/// depth. `null` where none must.
class RequiredFields {  // NOLINT(bugprone-exception-escape): its move is that of JSON
 public:
  using Json = nlohmann::ordered_json;

  template <class T, class... Limit>
  void operator()(std::string_view key, T& field, Limit... /*limits*/) {
    required_.emplace_back(key);
    add(key, field);
  }
  template <class T, class... Limit>
  void optional(std::string_view key, T& field, Limit... /*limits*/) {
    add(key, field);
  }

  template <Fielded T>
  [[nodiscard]] static Json of() {
    RequiredFields visitor;
    T value{};
    visit_fields(visitor, value);
    Json json;
    if (!visitor.required_.empty()) json["required"] = visitor.required_;
    if (!visitor.inner_.is_null()) json["properties"] = std::move(visitor.inner_);
    return json;
  }

 private:
  template <class T>
  void add(std::string_view key, T& /*field*/) {
    Json inner = type_required<T>();
    if (!inner.is_null()) inner_[std::string(key)] = std::move(inner);
  }

  template <class T>
  static Json type_required() {
    namespace detail = schema_detail;
    if constexpr (detail::kIsOptional<T>)
      return type_required<typename T::value_type>();
    else if constexpr (detail::kIsVector<T>) {
      Json items = type_required<typename T::value_type>();
      return items.is_null() ? items : Json{{"items", std::move(items)}};
    } else if constexpr (Fielded<T>)
      return of<T>();
    else
      return nullptr;
  }

  std::vector<std::string> required_;
  Json inner_;
};

}  // namespace simtrain
