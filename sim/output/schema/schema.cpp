#include "sim/output/schema/schema.h"

#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include "sim/core/suggestion.h"
#include "sim/output/schema/documents/document_schemas.h"
#include "sim/output/schema/files/file_schemas.h"
#include "sim/output/text/json_parts.h"

namespace simtrain {
namespace {

using Json = nlohmann::ordered_json;

Json document_schema(const DocumentSchema& row) {
  Json schema = schema_head(row.name, fmt::format("{} --format json", row.command));
  schema.update(row.members());
  return schema;
}

}  // namespace

const std::vector<std::string>& schema_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    all.reserve(file_schemas().size() + document_schemas().size());
    for (const FileSchema& row : file_schemas()) all.push_back(row.name);
    for (const DocumentSchema& row : document_schemas()) all.emplace_back(row.name);
    return all;
  }();
  return names;
}

std::string json_schema(const DataFolder& data, const std::string& kind) {
  for (const FileSchema& row : file_schemas()) {
    if (row.name == kind) return json_text(row.schema(data));
  }
  for (const DocumentSchema& row : document_schemas()) {
    if (row.name == kind) return json_text(document_schema(row));
  }
  throw InputError({}, "schema",
                   fmt::format("'{}' has no schema; {}", kind, suggestion(kind, schema_names())));
}

std::string schema_file_name(const std::string& kind) { return kind + ".json"; }

bool is_own_schema(std::string_view start) {
  const std::string head = schema_head("", "").dump(2);
  const std::string_view common = std::string_view(head).substr(0, head.find("\",\n  \"title\""));
  return start.starts_with(common);
}

std::string editor_settings(const std::string& folder) {
  Json files = Json::object();
  for (const FileSchema& row : file_schemas())
    files[(std::filesystem::path(folder) / schema_file_name(row.name)).generic_string()] =
        row.files;
  return json_text({{"yaml.schemas", std::move(files)}});
}

}  // namespace simtrain
