#include "sim/output/schema/files/schema_of_fields.h"

#include <algorithm>

#include <fmt/format.h>

namespace simtrain {

namespace schema_detail {

namespace {

/// A number that is not negative.
constexpr std::string_view kNumberPattern = "([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][-+]?[0-9]+)?";

const NamedFiles* files_of(const std::vector<NamedFiles>& files, const std::string& key) {
  const auto found = std::find_if(files.begin(), files.end(),
                                  [&](const NamedFiles& row) { return row.key == key; });
  return found == files.end() ? nullptr : &*found;
}

}  // namespace

std::string quantity_pattern(std::span<const Unit> units) {
  std::string words;
  for (const Unit& unit : units) words += (words.empty() ? "" : "|") + std::string(unit.name);
  return fmt::format("^{} *({})$", kNumberPattern, words);
}

SchemaJson quantity_schema(std::span<const Unit> units) {
  return {{"type", "string"}, {"pattern", quantity_pattern(units)}};
}

SchemaJson percent_schema() {
  return {{"type", "string"}, {"pattern", fmt::format("^{} %$", kNumberPattern)}};
}

SchemaJson number_schema(std::string_view type, Limits limits) {
  SchemaJson schema{{"type", type}};
  const auto bound = [&](double value) {
    return type == "integer" ? SchemaJson(static_cast<std::int64_t>(value)) : SchemaJson(value);
  };
  schema["minimum"] = bound(limits.least);
  if (limits.most < kNotNegative.most) schema["maximum"] = bound(limits.most);
  return schema;
}

SchemaJson text_schema() { return {{"type", {"string", "number"}}, {"minLength", 1}}; }

SchemaJson name_schema(const std::vector<NamedFiles>& files, const std::string& key) {
  const NamedFiles* known = files_of(files, key);
  if (known == nullptr) return text_schema();
  return {{"enum", known->names}, {"$comment", "files of " + known->folder}};
}

SchemaJson model_choice_schema(const std::vector<NamedFiles>& files, const std::string& key) {
  SchemaJson file{{"type", "string"}, {"pattern", "/|\\.yaml$"}};
  return {{"anyOf", {name_schema(files, key), std::move(file), {{"$ref", "#/$defs/model"}}}}};
}

}  // namespace schema_detail

FieldSchema::Json FieldSchema::sourced_schema(Json value) {
  return {{"type", "object"},
          {"additionalProperties", false},
          {"required", {"value", "source"}},
          {"properties",
           {{"value", std::move(value)},
            {"source",
             {{"type", "string"}, {"minLength", 1}, {"description", meaning_of("source")}}}}}};
}

}  // namespace simtrain
