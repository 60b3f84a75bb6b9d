#include <algorithm>
#include <set>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "sim/core/input/text_parts.h"
#include "sim/run/scenario/checks/checks.h"
#include "sim/workload/model/blocks/block.h"
#include "sim/workload/model/layers/layer_list.h"

namespace simtrain {
namespace {

/// What of a model's layers selective recompute can run again.
std::set<RecomputeModule> modules_of(const Recipe& recipe) {
  std::set<BlockKind> kinds;
  for (const LayerSpec& layer : layer_specs(recipe.model))
    kinds.insert(layer.blocks.begin(), layer.blocks.end());
  const RankShape shape(recipe, recipe.precision().high);
  std::set<RecomputeModule> modules;
  for (const BlockKind kind : kinds) {
    const Block block = row_of(kind).make(shape);
    if (block.recompute) modules.insert(*block.recompute);
    for (const Operator& op : block.branch) {
      if (op.recompute) modules.insert(*op.recompute);
    }
  }
  return modules;
}

}  // namespace

void check_recompute(const Recipe& recipe, const YamlNode& tree) {
  if (!tree.find("recompute_modules")) return;
  const std::string key = "recompute_modules";
  const std::vector<RecomputeModule>& asked = recipe.recompute_modules;
  require(!asked.empty(), tree, key, "is empty; [core_attn], or recompute none, would do");
  for (const RecomputeModule module : asked) require_once(asked, module, tree, key);
  const std::set<RecomputeModule> known = modules_of(recipe);
  if (std::any_of(asked.begin(), asked.end(),
                  [&](RecomputeModule module) { return known.count(module) > 0; }))
    return;
  std::vector<std::string_view> names;
  names.reserve(known.size());
  for (const RecomputeModule module : known) names.push_back(name_of(module));
  refuse(tree, key,
         fmt::format("has none that a layer of {} has; {} would do", recipe.model.name,
                     enumerated(names)));
}

}  // namespace simtrain
