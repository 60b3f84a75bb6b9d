#include <algorithm>

#include <fmt/format.h>

#include "sim/core/json_text.h"
#include "sim/import/nemo/nemo1.h"
#include "sim/import/scenario/scenario_text.h"
#include "sim/import/yaml/hydra.h"

namespace simtrain {
namespace {

constexpr std::string_view kPrefix = "cfg/";
constexpr std::ptrdiff_t kDeepestKey = 32;

bool is_header(std::string_view text) {
  return text.find("\"cfg/") != std::string_view::npos &&
         text.find("PARAMETER") != std::string_view::npos;
}

/// The record with the configuration: the JSON object around the first `cfg/` key, by the lines
/// before it kept as empty ones, so that places are the file's.
YamlNode header_of(const ImportFile& file) {
  for (std::size_t at = file.text.find('{'); at != std::string::npos;) {
    const std::string_view rest = std::string_view(file.text).substr(at);
    const std::size_t end = at + JsonObjectEnd().find(rest).value_or(rest.size());
    const std::string_view record = std::string_view(file.text).substr(at, end - at);
    if (record.find("\"cfg/") != std::string_view::npos) {
      const auto lines =
          std::count(file.text.begin(), file.text.begin() + static_cast<std::ptrdiff_t>(at), '\n');
      return load_yaml_text(
          std::string(static_cast<std::size_t>(lines), '\n') + std::string(record), file.path);
    }
    at = file.text.find('{', end);
  }
  throw InputError({file.path}, "", "holds no whole record of cfg/ keys; is the log cut off?");
}

/// `cfg/data/seq_length: 8192` -> model: {data: {seq_length: 8192}}.
YamlNode configuration_of(const YamlNode& record, const std::string& path) {
  const YamlNode* keys = record.find("data");
  if (keys == nullptr) keys = &record;
  YamlNode tree;
  tree.kind = YamlNode::Kind::map;
  tree.place = {path};
  for (const YamlEntry& entry : keys->entries) {
    if (!entry.key.starts_with(kPrefix)) continue;
    if (std::count(entry.key.begin(), entry.key.end(), '/') > kDeepestKey)
      throw InputError(entry.place, entry.key.substr(0, 80), "nests deeper than any recipe");
    std::string key = "model." + entry.key.substr(kPrefix.size());
    std::replace(key.begin(), key.end(), '/', '.');
    set_yaml_value(tree, key, entry.value, entry.place);
  }
  return tree;
}

ImportedRecipe read_header(const ImportFile& file, const RecipeRequest& request,
                           const DataFolder& data) {
  YamlNode tree = configuration_of(header_of(file), file.path);
  apply_overrides(tree, request.overrides);
  RecipeReading reading = read_recipe(tree, nemo1_keys(), KeyStyle::dotted);
  take_model_precision(tree, "cfg/precision", reading.terms);
  add_nemo1_defaults(reading.terms);
  return imported_scenario("DLLogger header of NeMo 1; model.KEY is its cfg/KEY", reading, file,
                           request, data);
}

}  // namespace

const RecipeFormat kDlloggerHeader{"dllogger-header",
                                   "a DLLogger log whose header record holds cfg/... keys",
                                   is_header, read_header};

}  // namespace simtrain
