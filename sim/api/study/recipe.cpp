#include <simtrain/recipe.h>

#include "sim/api/access.h"
#include "sim/api/errors.h"
#include "sim/import/import_file.h"
#include "sim/import/plan/recipe_export.h"
#include "sim/output/difference/export_difference.h"

namespace simtrain::api {
namespace {

std::optional<std::string> given(const std::string& text) {
  return text.empty() ? std::nullopt : std::optional(text);
}

RecipeRequest request_of(const ImportOptions& options) {
  if (options.nodes < 0) throw simtrain::InputError({}, "nodes", "must be 0 or more");
  RecipeRequest request;
  request.name = given(options.name);
  request.cluster = given(options.cluster);
  if (options.nodes > 0) request.nodes = options.nodes;
  request.software = given(options.software);
  request.model = given(options.model);
  request.arguments = given(options.arguments);
  request.overrides = options.overrides;
  request.defaults = options.defaults;
  request.settings = options.settings;
  return request;
}

}  // namespace

Imported import_recipe(const DataFolder& data, const std::string& path,
                       const ImportOptions& options) {
  return guarded([&] {
    const RecipeRequest request = request_of(options);
    const ImportFile file = read_import_file(path);
    if (const ImportFormat* node = node_format_of(file))
      throw simtrain::InputError({path}, "",
                                 "is no recipe but what a machine says of itself (" +
                                     std::string(node->name) +
                                     "), which 'simtrain import' makes a node file of");
    const RecipeFormat& format = recipe_format_of(file);
    const ImportedRecipe made = read_recipe(format, file, request, Access::of(data).folder);
    return Imported{
        std::string(format.name), made.yaml, made.taken, made.assumed, made.ignored, made.notes};
  });
}

std::vector<std::string> export_targets() { return export_target_names(); }

Exported export_recipe(const Scenario& scenario, const std::string& target) {
  return guarded([&] {
    const ExportTarget& to = export_target(target, "target");
    const auto& content = Access::of(scenario);
    const simtrain::Scenario checked = content.scenario();
    const ExportedRecipe made =
        simtrain::export_recipe(to, checked, content.source.tree(content.row, content.settings));
    return Exported{made.text, left_out(to, made, checked, Access::of(content.data).folder)};
  });
}

}  // namespace simtrain::api
