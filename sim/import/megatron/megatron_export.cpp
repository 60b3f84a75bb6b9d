#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "sim/core/input/yaml_text.h"
#include "sim/import/megatron/megatron_keys.h"
#include "sim/import/megatron/megatron_tree.h"
#include "sim/import/plan/recipe_export.h"
#include "sim/import/plan/scenario_terms.h"
#include "sim/import/plan/term_tree.h"
#include "sim/workload/model/sharding.h"

namespace simtrain {
namespace {

constexpr std::array<std::string_view, 2> kTorchrunKeys{"nnodes", "nproc_per_node"};
constexpr std::string_view kConnections = "export CUDA_DEVICE_MAX_CONNECTIONS=1\n";

/// A word as a shell takes it for itself.
std::string shell_word(const std::string& text) {
  constexpr std::string_view kPlain = "-_=.,:/+@%";
  const bool plain = !text.empty() && std::all_of(text.begin(), text.end(), [&](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || kPlain.find(c) != kPlain.npos;
  });
  if (plain) return text;
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::string dashed(std::string_view name) {
  std::string option(name);
  std::replace(option.begin(), option.end(), '_', '-');
  return "--" + option;
}

/// Runs of equal flags as Python writes them: ([0]*3+[1]*58).
std::string pattern_text(const YamlNode& list) {
  std::string out;
  for (std::size_t i = 0; i < list.items.size();) {
    std::size_t end = i;
    while (end < list.items.size() && list.items[end].text == list.items[i].text) ++end;
    out += fmt::format("{}[{}]*{}", out.empty() ? "" : "+", list.items[i].text, end - i);
    i = end;
  }
  return "(" + out + ")";
}

/// An argument with its value, as words of the command line; none where it is Megatron's default.
std::string option_text(const YamlEntry& argument) {
  const std::string& key = argument.key;
  if (argument.value.kind == YamlNode::Kind::list)
    return dashed(key) + " " + shell_word(pattern_text(argument.value));
  const std::string& text = argument.value.text;
  const MegatronOption* option = written_option(key, text);
  if (option != nullptr && !option->value.empty()) return dashed(option->option);
  if (takes_none(key)) return text == "true" ? dashed(key) : "";
  const std::string name = dashed(option == nullptr ? key : option->option);
  if (!takes_many(key)) return name + " " + shell_word(text);
  std::string words = text;
  std::replace(words.begin(), words.end(), ',', ' ');
  return name + " " + words;
}

/// The words of Megatron's command line where it has others, or fewer.
RecipeTerms megatron_words(RecipeTerms terms) {
  terms.activation.reset();  // flags say it
  if (terms.overlap_p2p_comm && terms.overlap_p2p_comm->value) terms.overlap_p2p_comm.reset();
  const bool grouped = terms.group_query_attention && terms.group_query_attention->value;
  if (!grouped) terms.num_query_groups.reset();
  if (terms.q_lora_rank && terms.q_lora_rank->value == 0) terms.q_lora_rank.reset();
  if (terms.activation_func_clamp_value) {
    terms.gated_linear_unit.reset();
    give(terms.quick_geglu, true, "model.activation_func_clamp_value");
  }
  // A tokenizer without a file: of the vocabulary's numbers but one, which ends a document.
  const std::int64_t vocabulary = terms.padded_vocab_size->value;
  terms.padded_vocab_size.reset();
  give(terms.tokenizer, "NullTokenizer", "model.vocab_size");
  give(terms.vocab_size, vocabulary - 1, "model.vocab_size");
  give(terms.make_vocab_size_divisible_by, 1, "model.vocab_size");
  return terms;
}

std::string overlap_file(const PlanToExport& plan) {
  return *plan.scenario.recipe.overlap.tp_comm_overlap_table + ".yaml";
}

/// What the plan says nothing about and a run needs.
std::vector<YamlEntry> usual_arguments(const Recipe& recipe) {
  const auto entry = [](const char* key, std::string value) {
    return YamlEntry{key, {}, written_node(std::move(value))};
  };
  std::vector<YamlEntry> arguments{
      entry("max_position_embeddings", std::to_string(recipe.training.seq_length)),
      entry("attention_dropout", fmt::format("{}", recipe.model.attention_dropout)),
      entry("mock_data", ""),
      entry("train_iters", "50"),
      entry("lr", "1e-4"),
      entry("min_lr", "1e-5"),
      entry("eval_iters", "0"),
      entry("log_interval", "1"),
      entry("log_throughput", "")};
  // Megatron runs it in that optimizer alone.
  if (recipe.offload.optimizer_cpu_offload && !recipe.optimizer.use_precision_aware_optimizer)
    arguments.push_back(entry("use_precision_aware_optimizer", ""));
  if (recipe.model.hybrid_override_pattern)
    arguments.push_back(entry("spec",
                              "megatron.core.models.mamba.mamba_layer_specs "
                              "mamba_stack_spec"));
  return arguments;
}

std::string lines_of(const PlanToExport& plan, const YamlNode& tree) {
  std::string out;
  const auto add = [&](const std::string& option) {
    if (!option.empty()) out += "    " + option + "\n";
  };
  for (const YamlEntry& argument : tree.entries) {
    const bool of_torchrun =
        std::find(kTorchrunKeys.begin(), kTorchrunKeys.end(), argument.key) != kTorchrunKeys.end();
    if (argument.key == "tp_comm_overlap_cfg") {
      add("--tp-comm-overlap-cfg " + overlap_file(plan));
    } else if (!of_torchrun) {
      add(option_text(argument));
    }
  }
  for (const YamlEntry& argument : usual_arguments(plan.scenario.recipe)) {
    const std::string& value = argument.value.text;
    add(dashed(argument.key) + (value.empty() ? "" : " " + value));
  }
  return out;
}

/// The file of user buffers that the script names, as comments: Megatron reads it beside the
/// script.
std::string overlap_comment(const PlanToExport& plan, const YamlNode& tree) {
  const YamlNode* table = tree.find("tp_comm_overlap_cfg");
  if (table == nullptr) return "";
  std::string out = fmt::format("# {} beside this script holds:\n", overlap_file(plan));
  for (const YamlEntry& gemm : table->entries)
    out += fmt::format("#   {}: {}\n", gemm.key, flow_text(gemm.value));
  return out;
}

void write_megatron(const PlanToExport& plan, const std::string& comment, ExportedRecipe& recipe) {
  const Recipe& asked = plan.scenario.recipe;
  const YamlNode tree = term_tree(megatron_words(plan.terms), megatron_keys());
  std::string& out = recipe.text;
  out = "#!/bin/bash\n" + comment + overlap_comment(plan, tree);
  // Its one connection orders kernels as TP and CP need it; sharded parameters must not have it.
  if (!row_of(asked.shards()).units) out += kConnections;
  for (const auto& [name, value] : plan.environment)
    out += fmt::format("export {}={}\n", name, shell_word(value));
  out += "\nDISTRIBUTED_ARGS=(\n";
  for (const std::string_view key : kTorchrunKeys)
    out += fmt::format("    {} {}\n", dashed(key), text_at(tree, key));
  out +=
      "    --node-rank ${NODE_RANK:-0}\n"
      "    --master-addr ${MASTER_ADDR:-localhost}\n"
      "    --master-port ${MASTER_PORT:-6000}\n)\n"
      "MEGATRON_ARGS=(\n";
  out += lines_of(plan, tree);
  out += fmt::format(")\n\ntorchrun \"${{DISTRIBUTED_ARGS[@]}}\" {} \"${{MEGATRON_ARGS[@]}}\"\n",
                     asked.model.hybrid_override_pattern ? "pretrain_mamba.py" : "pretrain_gpt.py");
  if (tree.find("tp_comm_overlap_cfg") != nullptr)
    recipe.notes.push_back(
        fmt::format("overlap.tp_comm_overlap_table: Megatron reads {} beside the script, whose "
                    "comments hold it",
                    overlap_file(plan)));
}

}  // namespace

const ExportTarget kMegatronTarget{
    "megatron",
    "Megatron-LM: a script that launches torchrun with the arguments "
    "and the environment",
    kMegatronArguments, write_megatron};

}  // namespace simtrain
