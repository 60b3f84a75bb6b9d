#include "sim/import/job/adapter_keys.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sim/core/input/input_error.h"
#include "sim/core/input/text_parts.h"
#include "sim/import/terms/term_findings.h"
#include "sim/workload/model/fine_tuning.h"

namespace simtrain {
namespace {

using M = LoraModule;

/// A module as frameworks call it, and those that it is here. Adapters of queries, keys and values
/// apart, or of gate and up, count as one of the fused product.
struct ModuleWord {
  std::string_view word;
  std::vector<LoraModule> modules;
};

const std::vector<ModuleWord>& module_words() {
  static const std::vector<LoraModule> all{M::linear_qkv, M::linear_proj, M::linear_fc1,
                                           M::linear_fc2};
  static const std::vector<ModuleWord> rows{
      {"linear_qkv", {M::linear_qkv}},
      {"linear_q", {M::linear_qkv}},
      {"linear_k", {M::linear_qkv}},
      {"linear_v", {M::linear_qkv}},
      {"linear_proj", {M::linear_proj}},
      {"linear_fc1", {M::linear_fc1}},
      {"linear_fc1_gate", {M::linear_fc1}},
      {"linear_fc1_up", {M::linear_fc1}},
      {"linear_fc2", {M::linear_fc2}},
      // NeMo 1
      {"attention_qkv", {M::linear_qkv}},
      {"attention_dense", {M::linear_proj}},
      {"mlp_fc1", {M::linear_fc1}},
      {"mlp_fc2", {M::linear_fc2}},
      {"attention", {M::linear_qkv, M::linear_proj}},
      {"mlp", {M::linear_fc1, M::linear_fc2}},
      {"all", all},
      // Hugging Face
      {"q_proj", {M::linear_qkv}},
      {"k_proj", {M::linear_qkv}},
      {"v_proj", {M::linear_qkv}},
      {"qkv_proj", {M::linear_qkv}},
      {"query_key_value", {M::linear_qkv}},
      {"Wqkv", {M::linear_qkv}},
      {"o_proj", {M::linear_proj}},
      {"out_proj", {M::linear_proj}},
      {"gate_proj", {M::linear_fc1}},
      {"up_proj", {M::linear_fc1}},
      {"gate_up_proj", {M::linear_fc1}},
      {"down_proj", {M::linear_fc2}},
      {"all-linear", all},
  };
  return rows;
}

/// Of a name such as `*.self_attention.linear_qkv`.
const std::vector<LoraModule>& modules_of_word(std::string_view name,
                                               const Given<std::string>& given) {
  const std::string_view word = name.substr(name.rfind('.') + 1);
  const auto& rows = module_words();
  const auto row = std::find_if(rows.begin(), rows.end(),
                                [&](const ModuleWord& one) { return one.word == word; });
  if (row == rows.end())
    throw InputError(given.place, given.origin,
                     fmt::format("'{}' is no module that adapters are simulated of; --set "
                                 "lora.target_modules=[...] takes some of {}",
                                 plain_text(std::string(name.substr(0, 40))),
                                 enumerated(all_names<LoraModule>())));
  return row->modules;
}

Finding lora_modules_of(const Given<std::string>& given) {
  std::vector<LoraModule> found;
  std::string_view left = given.value;
  while (!left.empty()) {
    const std::string_view name = left.substr(0, left.find(','));
    left.remove_prefix(std::min(name.size() + 1, left.size()));
    for (const LoraModule module : modules_of_word(name, given)) {
      if (std::find(found.begin(), found.end(), module) == found.end()) found.push_back(module);
    }
  }
  std::sort(found.begin(), found.end());
  std::vector<std::string_view> names;
  names.reserve(found.size());
  for (const LoraModule module : found) names.push_back(name_of(module));
  return {"", fmt::format("[{}]", fmt::join(names, ", ")), given.origin, given.assumed,
          given.assumed};
}

}  // namespace

AdapterDefaults lora_class_defaults() { return {32, "", "LoRA's default"}; }

void add_adapter_defaults(const AdapterDefaults& defaults, RecipeTerms& terms) {
  if (!terms.peft_scheme) return;
  default_to(terms.peft_dim, defaults.rank, defaults.whose);
  if (!defaults.modules.empty())
    default_to(terms.peft_target_modules, defaults.modules, defaults.whose);
}

bool trains_adapters(const RecipeTerms& terms) {
  if (!terms.peft_scheme) return false;
  const std::string scheme = lower_case(terms.peft_scheme->value);
  if (scheme.empty() || scheme == "none") return false;
  if (scheme == "lora" || scheme == "canonicallora" || scheme == "peft") return true;
  throw InputError(
      terms.peft_scheme->place, terms.peft_scheme->origin,
      fmt::format("'{}' is not simulated; adapters of LoRA would do; --override {}=lora "
                  "takes them",
                  plain_text(terms.peft_scheme->value.substr(0, 40)), terms.peft_scheme->origin));
}

void put_adapters(const RecipeTerms& terms, const PutFinding& put) {
  if (!trains_adapters(terms)) return;
  put("lora.rank", [&]() -> Finding {
    if (!terms.peft_dim)
      throw InputError(terms.peft_scheme->place, terms.peft_scheme->origin,
                       "adapters have no rank; --set lora.rank=N sets it");
    Finding rank = of(*terms.peft_dim);
    rank.noted = rank.assumed;
    return rank;
  });
  if (terms.peft_target_modules)
    put("lora.target_modules", [&] { return lora_modules_of(*terms.peft_target_modules); });
}

}  // namespace simtrain
