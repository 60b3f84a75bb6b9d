#pragma once

#include <span>
#include <string_view>

#include <nlohmann/json.hpp>

namespace simtrain {

/// A member of a document by its way, `[]` for each item of a list; `?` behind a name: it may be
/// missing. The type is one of JSON Schema, or one that documents share: "breakdown", "parts",
/// "draws", "uses" (a number for each name of an enumeration), "spread" (of a figure over runs).
struct SchemaMember {
  std::string_view way;
  std::string_view type;
  std::string_view meaning;
};

/// The schema of documents with these members and no others.
nlohmann::ordered_json schema_of(std::span<const SchemaMember> members);

}  // namespace simtrain
