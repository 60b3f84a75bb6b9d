#include <algorithm>

#include <fmt/format.h>

#include "sim/run/scenario/checks/checks.h"
#include "sim/workload/model/layers/model_parts.h"
#include "sim/workload/model/sharding.h"

namespace simtrain {
namespace {

/// A key that says how is refused where the one that says whether is not set.
void check_used(const OffloadSpec& offload, const YamlNode& tree) {
  const auto unused = [&](bool off, bool given, const char* key, const char* switched) {
    require(!off || !given, tree, fmt::format("offload.{}", key), "is given without {}: true",
            switched);
  };
  unused(!offload.cpu_offloading, offload.cpu_offloading_num_layers != 0,
         "cpu_offloading_num_layers", "cpu_offloading");
  unused(!offload.fine_grained_activation_offloading, !offload.offload_modules.empty(),
         "offload_modules", "fine_grained_activation_offloading");
  unused(!offload.optimizer_cpu_offload, offload.optimizer_offload_fraction != 1,
         "optimizer_offload_fraction", "optimizer_cpu_offload");
  unused(!offload.optimizer_cpu_offload, offload.overlap_cpu_optimizer_d2h_h2d,
         "overlap_cpu_optimizer_d2h_h2d", "optimizer_cpu_offload");
  unused(!offload.optimizer_cpu_offload, offload.offload_param, "offload_param",
         "optimizer_cpu_offload");
}

/// Megatron core's transformer_config.py refuses the same.
void check_layers_offloaded(const Recipe& recipe, const YamlNode& tree) {
  const int layers = recipe.offload.cpu_offloading_num_layers;
  const std::string key = "offload.cpu_offloading";
  require(layers >= 1 && layers < recipe.model.num_layers, tree,
          "offload.cpu_offloading_num_layers",
          "is {}; from 1 to {} of the model's {} layers would do", layers,
          recipe.model.num_layers - 1, recipe.model.num_layers);
  require(!recipe.offload.fine_grained_activation_offloading, tree, key,
          "is true with fine_grained_activation_offloading; one of them would do");
  require(recipe.pp() == 1, tree, key,
          "is true with {} pipeline stages, which Transformer Engine does not offload; "
          "fine_grained_activation_offloading would do",
          recipe.pp());
  require(recipe.recompute == Recompute::none, tree, key,
          "is true with recompute {}; none would do", name_of(recipe.recompute));
}

/// Bytes that a module offloads, over all kinds of layers.
double offloaded_by(Recipe recipe, OffloadModule module) {
  recipe.offload.offload_modules = {module};
  const ModelTotals totals(recipe);
  double bytes = 0;
  for (int kind = 0; kind < totals.kinds(); ++kind) bytes += totals.of_kind(kind).offloaded_bytes;
  return bytes;
}

void check_module(const Recipe& recipe, OffloadModule module, const YamlNode& tree) {
  const std::string key = "offload.offload_modules";
  require_once(recipe.offload.offload_modules, module, tree, key);
  if (offloaded_by(recipe, module) > 0) return;
  Recipe kept = recipe;
  kept.recompute = Recompute::none;
  require(offloaded_by(kept, module) > 0, tree, key,
          "has {}, whose input no layer of the model keeps", name_of(module));
  require(false, tree, key,
          "has {}, whose input recompute_modules makes again; one of them would do",
          name_of(module));
}

void check_modules_offloaded(const Recipe& recipe, const YamlNode& tree) {
  const std::string key = "offload.offload_modules";
  const OffloadSpec& offload = recipe.offload;
  require(!offload.offload_modules.empty(), tree, key, "is empty; [core_attn, attn_proj] would do");
  require(recipe.recompute == Recompute::none || recipe.recompute == Recompute::selective, tree,
          "offload.fine_grained_activation_offloading",
          "is true with recompute {}, which keeps no inputs of modules; none or "
          "selective would do",
          name_of(recipe.recompute));
  require(!offload.takes(OffloadModule::attn_proj) || offload.takes(OffloadModule::core_attn), tree,
          key,
          "has attn_proj without core_attn, whose backward needs the same tensor; [core_attn, "
          "attn_proj] would do");
  for (const OffloadModule module : offload.offload_modules) check_module(recipe, module, tree);
}

void check_param(const Scenario& scenario, const YamlNode& tree) {
  const Recipe& recipe = scenario.recipe;
  const ShardingRow& sharding = sharding_of(recipe);
  const std::string key = "offload.offload_param";
  require(sharding.units.has_value(), tree, key,
          "is true with sharding.strategy {}, which keeps whole parameters on GPUs; "
          "zero3 would do",
          name_of(sharding.kind));
  require(sharding.kind != Sharding::megatron_fsdp, tree, key,
          "is true with sharding.strategy megatron_fsdp, which has no such setting; fsdp2 would "
          "do");
  require(recipe.offload.optimizer_offload_fraction == 1, tree, key,
          "is true with optimizer_offload_fraction {}; 1 would do",
          recipe.offload.optimizer_offload_fraction);
  const int ranks =
      scenario.gpus() / recipe.tp() / recipe.pp() / recipe.sharding.data_parallel_replicate_degree;
  require(ranks > 1, tree, key, "is true though one rank has all parameters; false would do");
}

}  // namespace

void check_offload(const Scenario& scenario, const YamlNode& tree) {
  const Recipe& recipe = scenario.recipe;
  const OffloadSpec& offload = recipe.offload;
  check_used(offload, tree);
  if (!offload.anything()) return;
  const NodeSpec& node = scenario.cluster.node;
  require(node.host.has_value(), tree, "offload",
          "needs what hosts of {} are like, which hardware/nodes/{}.yaml does not say "
          "(host)",
          node.name, node.name);
  if (offload.cpu_offloading) check_layers_offloaded(recipe, tree);
  if (offload.fine_grained_activation_offloading) check_modules_offloaded(recipe, tree);
  require(!offload.activations() || !recipe.cuda_graphs, tree, "offload",
          "is of activations, with CUDA graphs; cuda_graphs: false would do");
  require(!offload.optimizer_cpu_offload || offload.optimizer_offload_fraction > 0, tree,
          "offload.optimizer_offload_fraction", "is 0; up to 1 would do");
  if (offload.offload_param) check_param(scenario, tree);
}

}  // namespace simtrain
