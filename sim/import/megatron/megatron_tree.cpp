#include "sim/import/megatron/megatron_tree.h"

#include <algorithm>

#include <fmt/format.h>

#include "sim/core/input/number_text.h"
#include "sim/core/input/scalar_text.h"
#include "sim/core/suggestion.h"
#include "sim/import/deepspeed/deepspeed.h"
#include "sim/import/megatron/megatron_keys.h"
#include "sim/import/model/layer_pattern.h"
#include "sim/import/terms/core_rows.h"
#include "sim/import/terms/term_findings.h"
#include "sim/import/yaml/hydra.h"

namespace simtrain {
namespace {

constexpr std::string_view kDeepSpeedConfig = "deepspeed_config";

void require_known(const std::string& name, const SourcePlace& place) {
  if (exact_row(megatron_keys(), name) != nullptr) return;
  std::vector<std::string> known;
  known.reserve(megatron_keys().size());
  for (const KeyRow& row : megatron_keys()) {
    if (!row.key.ends_with('*')) known.emplace_back(row.key);
  }
  const bool near = closest(name, known) != nullptr;  // else all would be listed
  throw InputError(place, name,
                   "is no argument that simtrain reads" +
                       (near ? "; " + suggestion(name, known) : std::string()));
}

/// Whether two values of an argument matter: it sets a term or may be refused.
bool matters(const std::string& name) {
  const KeyRow* row = exact_row(megatron_keys(), name);
  return row != nullptr && !std::holds_alternative<Ignored>(row->meaning) &&
         !std::holds_alternative<NotSimulated>(row->meaning);
}

/// An option as the argument that it sets.
YamlEntry argument_of(const std::string& option, YamlNode value) {
  const MegatronOption* row = megatron_option(option);
  if (row != nullptr && !row->value.empty())
    value = scalar_node(std::string(row->value), value.place);
  return {row != nullptr ? std::string(row->dest) : option, value.place, std::move(value)};
}

/// Megatron-DeepSpeed has experts in the last of each N layers, Megatron in the first.
void settle_interval(RecipeTerms& terms) {
  const Given<YamlNode> given = *terms.moe_layer_freq;
  const std::int64_t every = number_as<std::int64_t>(given.value.text).value_or(1);
  const std::int64_t layers = terms.num_layers ? terms.num_layers->value : 0;
  if (every < 2 || layers < 1 || layers > kMostPatternLayers) return;
  std::vector<bool> experts;
  for (std::int64_t layer = 1; layer <= layers; ++layer) experts.push_back(layer % every == 0);
  terms.moe_layer_freq =
      Given<YamlNode>{pattern_node(experts), given.origin, given.assumed, given.place};
}

/// Options of forks and of first releases that say more than the argument that they set.
void settle_words_of_forks(const YamlNode& tree, RecipeTerms& terms) {
  if (text_at(tree, "attention_head_type") == "multiquery") {
    terms.group_query_attention = Given<bool>{true, "--attention-head-type", false, {}};
    default_to(terms.num_query_groups, 1, "multiquery of --attention-head-type");
  }
  if (terms.num_query_groups && tree.find("group_query_attention") == nullptr &&
      tree.find("num_key_value_heads") != nullptr)
    terms.group_query_attention = Given<bool>{true, "--num-key-value-heads", false, {}};
  // Megatron before 2.7 recomputed all layers where it was given how.
  if (terms.recompute_method && tree.find("activations_checkpoint_method") != nullptr)
    default_to(terms.recompute_granularity, "full", "as --activations-checkpoint-method has it");
  if (terms.num_moe_experts && tree.find("moe_expert_parallel_size") != nullptr) {
    default_to(terms.moe_router_topk, 1, "Megatron-DeepSpeed's default");
    default_to(terms.moe_layer_freq, scalar_node("2", {}), "Megatron-DeepSpeed's default");
    default_to(terms.moe_token_dispatcher_type, "alltoall", "DeepSpeed exchanges tokens so");
    settle_interval(terms);
  }
  // BigScience's fork: embedding and head count as a layer each.
  if (text_at(tree, "pp_partition_method").find("embedding") != std::string::npos) {
    default_to(terms.account_for_embedding_in_pipeline_split, true, "--pp-partition-method");
    default_to(terms.account_for_loss_in_pipeline_split, true, "--pp-partition-method");
  }
}

/// The configuration of DeepSpeed that `given` names, each line of it at its place in the script.
YamlNode deepspeed_config(const std::string& path, const YamlNode& given,
                          const ScriptDocuments& documents) {
  const ShellWord* document = document_of(documents, given.text);
  if (document == nullptr) return load_deepspeed_config(path, given);
  const std::string above(static_cast<std::size_t>(document->place.line - 1), '\n');
  YamlNode tree = load_yaml_text(above + document->text, document->place.file);
  std::erase_if(tree.entries, [](const YamlEntry& entry) {  // what only a run knows
    return entry.value.text.find('$') != std::string::npos;
  });
  return tree;
}

}  // namespace

YamlNode scalar_node(std::string text, const SourcePlace& place) {
  YamlNode node;
  node.kind = YamlNode::Kind::scalar;
  node.place = place;
  node.text = std::move(text);
  return node;
}

std::string underscored(std::string name) {
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

bool takes_many(const std::string& option) {
  return option == "recompute_modules" || option == "offload_modules" ||
         option == "rampup_batch_size" || option == "cuda_graph_scope" ||
         option == "hierarchical_context_parallel_sizes";
}

bool takes_none(const std::string& option) {
  const KeyRow* row = exact_row(megatron_keys(), option);
  return row != nullptr && std::holds_alternative<FlagTerm RecipeTerms::*>(row->meaning);
}

MegatronArguments::MegatronArguments(const std::string& file, const RecipeRequest& request) {
  tree_.kind = YamlNode::Kind::map;
  tree_.place = {file};
  for (const std::string& text : request.overrides) {
    if (text.starts_with(kWithoutFile)) continue;
    const SourcePlace place{std::string(kOverridePlace) + text.substr(0, 120), 1, 1};
    const bool removes = text.starts_with('~');
    const std::size_t equals = text.find('=');
    std::string name = text.substr(0, equals);
    name.erase(0, std::min(name.find_first_not_of("+-~"), name.size()));
    name = underscored(name);
    const MegatronOption* option = megatron_option(name);
    if (option != nullptr && (removes || option->value.empty())) name = option->dest;
    if (name.empty() || (equals == std::string::npos && !removes))
      throw InputError(place, "", "must be KEY=VALUE, or ~KEY");
    require_known(name, place);
    overrides_[name] =
        removes ? Override{} : Override{scalar_node(text.substr(equals + 1), place), true};
  }
}

void MegatronArguments::add(const std::string& name, YamlNode value) {
  const auto settled = overrides_.find(name);
  if (settled != overrides_.end()) {
    settled->second.met = true;
    return;
  }
  const YamlNode* known = tree_.find(name);
  if (known == nullptr) {
    tree_.entries.push_back({name, value.place, std::move(value)});
  } else if (known->text != value.text && matters(name)) {
    const bool elsewhere = known->place.file != value.place.file;
    throw InputError(
        value.place, name,
        fmt::format("'{}' here, '{}' in line {}{}; --override {}=VALUE settles it",
                    value.text.substr(0, 80), known->text.substr(0, 80), known->place.line,
                    elsewhere ? " of " + known->place.file : "", name));
  }
}

void MegatronArguments::add_option(const std::string& option, YamlNode value) {
  YamlEntry argument = argument_of(option, std::move(value));
  add(argument.key, std::move(argument.value));
}

void MegatronArguments::add_undecided(const std::string& option, YamlNode value) {
  YamlEntry argument = argument_of(option, std::move(value));
  const auto settled = overrides_.find(argument.key);
  if (settled != overrides_.end()) settled->second.met = true;
  if (settled == overrides_.end() && matters(argument.key))
    undecided_.push_back(std::move(argument));
}

YamlNode MegatronArguments::take() {
  for (const YamlEntry& entry : undecided_) {
    const YamlNode* known = tree_.find(entry.key);
    if (known != nullptr && known->text == entry.value.text) continue;
    throw InputError(entry.value.place, entry.key,
                     fmt::format("'{}' is in a branch that is decided at run time; --override "
                                 "{}=VALUE settles it, --override \"~{}\" leaves it out",
                                 plain_text(entry.value.text.substr(0, 80)), entry.key, entry.key));
  }
  for (auto& [name, settled] : overrides_) {
    if (!settled.met)
      throw InputError({"--override ~" + name}, name, "is no argument of the recipe");
    if (settled.value) tree_.entries.push_back({name, settled.value->place, *settled.value});
  }
  return std::move(tree_);
}

namespace {

/// What `--nodes` says in place of a count of servers that only a run knows. GPUs of a server that
/// only a run counts are those of the cluster's.
YamlNode with_nodes(YamlNode tree, const RecipeRequest& request) {
  const auto open = [](const YamlEntry& entry, std::string_view key) {
    return entry.key == key && entry.value.text.find_first_of("$`") != std::string::npos;
  };
  for (YamlEntry& entry : tree.entries) {
    if (request.nodes && open(entry, "nnodes")) entry.value.text = std::to_string(*request.nodes);
  }
  std::erase_if(tree.entries, [&](const auto& entry) { return open(entry, "nproc_per_node"); });
  return tree;
}

}  // namespace

RecipeReading read_megatron_arguments(const YamlNode& arguments, KeyStyle style,
                                      const RecipeRequest& request,
                                      const ScriptDocuments& documents) {
  const YamlNode tree = with_nodes(arguments, request);
  RecipeReading reading = read_recipe(tree, megatron_keys(), style, without_value(request));
  RecipeTerms& terms = reading.terms;
  const std::string megatron = "Megatron's default";
  default_to(terms.overlap_p2p_comm, true, megatron);
  settle_words_of_forks(tree, terms);
  default_to(terms.group_query_attention, false, megatron);
  default_to(terms.hidden_dropout, 0.1, megatron);
  if (terms.gpus_per_node && !terms.world_size && !terms.num_nodes &&
      tree.find("nnodes") == nullptr)
    terms.num_nodes = Given<std::int64_t>{1, std::string(kOneNode), false, {}};
  if (tree.find("merge_file") != nullptr)
    default_to(terms.tokenizer, "GPT2BPETokenizer", "--merge-file, of the tokenizer");
  if (terms.tokenizer && terms.tokenizer->value == "HuggingFaceTokenizer" && terms.tokenizer_model)
    terms.tokenizer = terms.tokenizer_model;
  const YamlNode* spec = tree.find("spec");
  if (spec != nullptr && spec->text.find("mamba") != std::string::npos)
    settle_hybrid_layers(terms, Given<std::string>{spec->text, "--spec", false, spec->place});
  default_to(terms.add_bias_linear, true, megatron + ", no --disable-bias-linear");
  if (terms.multi_latent_attention && terms.multi_latent_attention->value) {
    // The command line has other defaults than Megatron Core's configuration.
    default_to(terms.q_lora_rank, 0, megatron);
    default_to(terms.kv_lora_rank, 32, megatron);
  }
  // Without the flag Megatron reduces in FP32 if it trains in BF16, unless BF16 is given.
  if (terms.grad_reduce_in_fp32 && !terms.grad_reduce_in_fp32->value)
    terms.grad_reduce_in_fp32.reset();
  if (holds(terms.fp16) && !terms.grad_reduce_in_fp32)
    default_to(terms.grad_reduce_dtype, "bf16", "Megatron's default, gradients as wide as --fp16");
  const YamlNode* deepspeed = tree.find(kDeepSpeedConfig);
  if (deepspeed != nullptr)
    add_deepspeed_config(deepspeed_config(tree.place.file, *deepspeed, documents), reading);
  if (terms.sharding) settle_deepspeed(terms);
  return reading;
}

void forget_shape_defaults(RecipeTerms& terms) {
  const auto forget = [](auto& term) {
    if (term && term->assumed) term.reset();
  };
  forget(terms.group_query_attention);
  forget(terms.hidden_dropout);
  forget(terms.add_bias_linear);
  forget(terms.q_lora_rank);
  forget(terms.kv_lora_rank);
}

}  // namespace simtrain
