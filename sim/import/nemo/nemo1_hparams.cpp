#include "sim/import/nemo/nemo1.h"
#include "sim/import/scenario/scenario_text.h"
#include "sim/import/yaml/yaml_recipe.h"

namespace simtrain {
namespace {

constexpr std::string_view kRoot = "cfg";

bool is_hparams(std::string_view text) { return has_top_key(text, kRoot); }

ImportedRecipe read_hparams(const ImportFile& file, const RecipeRequest& request,
                            const DataFolder& data) {
  YamlNode tree = load_yaml_recipe(file, request);
  for (YamlEntry& entry : tree.entries) {
    if (entry.key == kRoot) entry.key = "model";
  }
  RecipeReading reading = read_recipe(tree, nemo1_keys(), KeyStyle::dotted);
  take_model_precision(tree, "cfg.precision", reading.terms);
  add_nemo1_defaults(reading.terms);
  return imported_scenario("hparams.yaml of NeMo 1; model.KEY is its cfg.KEY", reading, file,
                           request, data);
}

}  // namespace

const RecipeFormat kNemo1Hparams{
    "nemo-1-hparams", "hparams.yaml, as NeMo 1 writes it beside its checkpoints: YAML with cfg",
    is_hparams, read_hparams};

}  // namespace simtrain
