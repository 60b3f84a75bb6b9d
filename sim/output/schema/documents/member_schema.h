#pragma once

#include <initializer_list>
#include <span>
#include <string_view>

#include <nlohmann/json.hpp>

namespace simtrain {

/// A member of a document by its way, `[]` for each item of a list; `?` behind a name: it may be
/// missing; `~`: it may be null. The type is one of JSON Schema, `?` behind it for null, or one
/// that documents share (member_types in member_schema.cpp): "texts", "breakdown", "plan", ...; or
/// "id": the schema that the document names.
struct SchemaMember {
  std::string_view way;
  std::string_view type;
  std::string_view meaning;
};

using SchemaMembers = std::span<const SchemaMember>;

/// Members of a document, or of what is at a way in it ("best[]").
struct SchemaPart {
  SchemaMembers members;
  std::string_view at{};
};

/// The schema of documents with these members and no others, in that order.
nlohmann::ordered_json schema_of(std::initializer_list<SchemaPart> parts);

/// An object without members.
nlohmann::ordered_json object_schema();

/// What a scenario was changed in (changes.h), in any document that says it.
SchemaMembers changes_members();

}  // namespace simtrain
