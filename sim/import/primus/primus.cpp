#include <algorithm>

#include <fmt/format.h>

#include "sim/import/maxtext/maxtext.h"
#include "sim/import/megatron/megatron_tree.h"
#include "sim/import/model/named_model.h"
#include "sim/import/scenario/scenario_text.h"
#include "sim/import/terms/core_rows.h"
#include "sim/import/terms/term_findings.h"
#include "sim/import/torchtitan/torchtitan.h"
#include "sim/import/yaml/hydra.h"
#include "sim/import/yaml/yaml_recipe.h"

namespace simtrain {
namespace {

bool is_primus(std::string_view text) {
  return has_top_key(text, "modules") && text.find("framework:") != std::string_view::npos &&
         text.find("overrides:") != std::string_view::npos;
}

bool is_on(const YamlNode& tree, std::string_view key) {
  const std::string text = text_at(tree, key);
  return text == "true" || text == "True";
}

/// Primus-Turbo's own DeepEP as Megatron's keys have it.
void add_turbo_exchange(YamlNode& tree) {
  if (!is_on(tree, "use_turbo_deepep")) return;
  const SourcePlace place = find_yaml_value(tree, "use_turbo_deepep")->place;
  set_yaml_value(tree, "moe_enable_deepep", scalar_node("true", place));
  set_yaml_value(tree, "moe_token_dispatcher_type", scalar_node("flex", place));
  if (const YamlNode* units = find_yaml_value(tree, "turbo_deepep_num_cu"))
    set_yaml_value(tree, "moe_deepep_num_sms", YamlNode(*units));
}

/// Products in FP8 by Primus-Turbo or by the model's name (`llama3.1_8B-fp8.yaml`) as torchtitan's
/// converter.
void add_turbo_precision(const YamlNode* model, YamlNode& tree) {
  constexpr std::string_view kConverters = "model.converters";
  const YamlNode* turbo = find_yaml_value(tree, "primus_turbo.use_turbo_float8_linear");
  const bool scaled = is_on(tree, "primus_turbo.use_turbo_mx_linear");
  if (scaled) turbo = find_yaml_value(tree, "primus_turbo.use_turbo_mx_linear");
  const bool named = model != nullptr && model->text.find("fp8") != std::string::npos &&
                     find_yaml_value(tree, kConverters) == nullptr;
  if (scaled || is_on(tree, "primus_turbo.use_turbo_float8_linear")) {
    set_yaml_value(tree, kConverters, scalar_node(scaled ? "mx" : "float8", turbo->place));
  } else if (named) {
    set_yaml_value(tree, kConverters, scalar_node("float8", model->place));
  }
}

/// Megatron's arguments in Primus; the shape of the model is in a file of its own, which its name
/// is for.
RecipeReading read_primus_megatron(YamlNode tree, const Given<std::string>& model,
                                   const RecipeRequest& request, const DataFolder& data) {
  reword(tree, "sequence_parallel", {{"1", "true"}, {"0", "false"}});
  add_turbo_exchange(tree);
  RecipeReading reading = read_megatron_arguments(tree, KeyStyle::dotted, request);
  RecipeTerms& terms = reading.terms;
  forget_shape_defaults(terms);
  take_none(tree, "mtp_num_layers", terms.mtp_num_layers);
  default_to(terms.bf16, true, "Primus' default");
  if (holds(terms.overlap_param_gather) && !holds(terms.use_torch_fsdp2))
    default_to(terms.use_distributed_optimizer, true, "Megatron needs it for overlap_param_gather");
  terms.model_class = model;
  require_named_model(terms, request);
  settle_split(terms, request, data);
  return reading;
}

/// `${NAME:4096}` within values as what it is where the environment does not set NAME.
void put_in_defaults(YamlNode& node) {
  for (YamlEntry& entry : node.entries) put_in_defaults(entry.value);
  for (YamlNode& item : node.items) put_in_defaults(item);
  const std::size_t start = node.text.find("${");
  const std::size_t colon = node.text.find(':', std::min(start, node.text.size()));
  const std::size_t end = node.text.find('}', std::min(colon, node.text.size()));
  if (start == std::string::npos || colon == std::string::npos || end == std::string::npos) return;
  node.text = node.text.substr(0, start) + node.text.substr(colon + 1, end - colon - 1) +
              node.text.substr(end + 1);
}

/// The key of the module that trains, whichever its name (pre_trainer, post_trainer).
std::string trainer_of(const YamlNode& tree, const std::string& path) {
  const YamlNode* modules = tree.find("modules");
  if (modules != nullptr && modules->kind == YamlNode::Kind::map) {
    for (const YamlEntry& entry : modules->entries) {
      const YamlNode* overrides = entry.value.find("overrides");
      if (overrides != nullptr && overrides->kind == YamlNode::Kind::map)
        return "modules." + entry.key;
    }
  }
  throw InputError({path}, "modules", "has no module whose overrides are a map of keys");
}

ImportedRecipe read_primus(const ImportFile& file, const RecipeRequest& request,
                           const DataFolder& data) {
  YamlNode tree = load_yaml_text(file.text, file.path);
  put_in_defaults(tree);
  const std::string trainer = trainer_of(tree, file.path);
  YamlNode overrides = *find_yaml_value(tree, trainer + ".overrides");
  apply_overrides(overrides, request.overrides);
  const std::string key = trainer + ".framework";
  const std::string framework = text_at(tree, key);
  const YamlNode* model = find_yaml_value(tree, trainer + ".model");
  const std::string title = fmt::format("Primus configuration of {}", plain_text(framework));
  const auto name_model = [&](std::string_view at) {
    if (model != nullptr) set_yaml_value(overrides, at, *model);
  };
  RecipeReading reading;
  if (framework == "torchtitan") {
    add_turbo_precision(model, overrides);
    name_model("model.flavor");
    reading = read_torchtitan(std::move(overrides), request, data);
  } else if (framework == "maxtext") {
    name_model("model_name");
    reading = read_maxtext(std::move(overrides), request, file, data);
  } else if (framework == "megatron") {
    const Given<std::string> named{text_at(tree, trainer + ".model"), "model", false,
                                   model == nullptr ? SourcePlace{file.path} : model->place};
    reading = read_primus_megatron(std::move(overrides), named, request, data);
  } else {
    const YamlNode* given = find_yaml_value(tree, key);
    throw InputError(given == nullptr ? SourcePlace{file.path} : given->place, key,
                     fmt::format("'{}' is not imported; megatron, torchtitan and maxtext are",
                                 plain_text(framework.substr(0, 80))));
  }
  return imported_scenario(title, reading, file, request, data);
}

}  // namespace

const RecipeFormat kPrimus{"primus",
                           "Primus configuration: YAML with modules, of Megatron, torchtitan or "
                           "MaxText",
                           is_primus, read_primus};

}  // namespace simtrain
