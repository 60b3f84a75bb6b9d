#include "sim/import/plan/core_config.h"

#include <array>
#include <utility>

#include <fmt/format.h>

#include "sim/import/job/optimizer_keys.h"
#include "sim/import/plan/term_tree.h"

namespace simtrain {
namespace {

/// Words of activations, and the functions that they are in Python.
constexpr std::array kActivationFunctions{
    std::pair<std::string_view, std::string_view>{"silu", "torch.nn.functional.silu"},
    std::pair<std::string_view, std::string_view>{"gelu", "torch.nn.functional.gelu"},
    std::pair<std::string_view, std::string_view>{
        "quick_gelu", "megatron.core.fusions.fused_bias_geglu.quick_gelu"},
    std::pair<std::string_view, std::string_view>{"squared_relu",
                                                  "megatron.core.activations.squared_relu"}};

YamlNode* at(YamlNode& tree, std::string_view key) {
  YamlNode* node = &tree;
  for (std::size_t begin = 0; node != nullptr && begin < key.size();) {
    const std::size_t end = std::min(key.find('.', begin), key.size());
    node = node->find(key.substr(begin, end - begin));
    begin = end + 1;
  }
  return node;
}

}  // namespace

YamlNode class_node(std::string name) {
  YamlNode map;
  map.kind = YamlNode::Kind::map;
  map.entries.push_back({"_target_", {}, written_node(std::move(name))});
  map.entries.push_back({"_call_", {}, written_node("false")});
  return map;
}

void put_class(YamlNode& tree, std::string_view key, std::string_view name) {
  YamlNode* map = at(tree, key);
  if (map != nullptr)
    map->entries.insert(map->entries.begin(), {"_target_", {}, written_node(std::string(name))});
}

void settle_core_config(YamlNode& tree, const std::string& prefix, const RecipeTerms& terms) {
  const std::string dot = prefix + ".";
  for (const auto& [word, function] : kActivationFunctions) {
    if (text_at(tree, dot + "activation_func") == word)
      set_yaml_value(tree, dot + "activation_func", class_node(std::string(function)));
  }
  write_as_list(tree, dot + "recompute_modules");
  write_as_list(tree, dot + "offload_modules");
  write_as_list(tree, dot + "window_size");
  if (terms.q_lora_rank && terms.q_lora_rank->value == 0)
    set_yaml_value(tree, dot + "q_lora_rank", YamlNode{});
}

void settle_optimizer_config(YamlNode& tree, const std::string& prefix) {
  for (const char* name : {"main_params_dtype", "exp_avg_dtype", "exp_avg_sq_dtype"}) {
    const std::string key = fmt::format("{}.{}", prefix, name);
    const std::string type = text_at(tree, key);
    if (!type.empty()) set_yaml_value(tree, key, class_node(torch_type(type)));
  }
}

}  // namespace simtrain
