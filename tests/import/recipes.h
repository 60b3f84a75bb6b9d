#pragma once

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "sim/import/formats/recipe_format.h"
#include "sim/run/scenario/scenario.h"
#include "tests/core/checkout.h"
#include "tests/core/data_folder.h"

namespace simtrain::testing {

/// A recipe of tests/import/data; its path is from the root of the repository.
inline ImportFile recipe_file(const std::string& name) {
  const std::string path = "tests/import/data/" + name;
  std::ifstream file(source_dir() + "/" + path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return {path, text.str()};
}

/// The name of the first format that recognizes a text; empty where none does.
inline std::string format_name(const std::string& text) {
  for (const RecipeFormat& format : recipe_formats()) {
    if (format.recognizes(text)) return std::string(format.name);
  }
  return "";
}

/// The import of a text as what it is.
inline ImportedRecipe import_recipe(const ImportFile& file, const RecipeRequest& request) {
  for (const RecipeFormat& format : recipe_formats()) {
    if (format.recognizes(file.text)) return format.read(file, request, data_folder());
  }
  return {};
}

inline RecipeRequest job(const std::string& cluster, const std::string& software) {
  RecipeRequest request;
  request.cluster = cluster;
  request.software = software;
  return request;
}

inline Scenario scenario_in(const std::string& yaml) {
  return ScenarioSource::from_text(yaml, "imported.yaml").scenario(data_folder(), "", {});
}

/// "key: value" of every leaf, sorted as the file has them, but for what only names it.
inline void leaves(const YamlNode& node, const std::string& key, std::vector<std::string>& out) {
  if (key == "name" || key == "source" || key == "notes" || key == "mfu_convention") return;
  for (const YamlEntry& entry : node.entries)
    leaves(entry.value, key.empty() ? entry.key : key + "." + entry.key, out);
  if (node.kind == YamlNode::Kind::scalar) out.push_back(key + ": " + node.text);
}

inline std::vector<std::string> leaves(const YamlNode& tree) {
  std::vector<std::string> out;
  leaves(tree, "", out);
  return out;
}

/// The first `from` of a recipe's text replaced; it has to be there.
inline ImportFile with(ImportFile file, const std::string& from, const std::string& to) {
  const std::size_t at = file.text.find(from);
  if (at == std::string::npos) return {file.path, ""};
  file.text.replace(at, from.size(), to);
  return file;
}

}  // namespace simtrain::testing
