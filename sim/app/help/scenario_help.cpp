#include "sim/app/help/scenario_help.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sim/core/invariant.h"
#include "sim/output/schema/meanings/meanings.h"
#include "sim/run/scenario/job_fields.h"
#include "sim/run/scenario/scenario.h"
#include "sim/run/scenario/scenario_fields.h"

namespace simtrain {
namespace {

template <class T>
std::string default_of(const T& /*value*/) {
  return "left out";
}
template <Named E>
std::string default_of(const E& value) {
  return std::string(name_of(value));
}
std::string default_of(const bool& value) { return value ? "true" : "false"; }
std::string default_of(const int& value) { return std::to_string(value); }

template <class T>
std::string type_of(const T& /*value*/) {
  return "text";
}
template <Named E>
std::string type_of(const E& /*value*/) {
  return fmt::format("{}", fmt::join(all_names<E>(), ", "));
}
std::string type_of(const bool& /*value*/) { return "true or false"; }
std::string type_of(const ModelChoice& /*value*/) { return "text or map"; }
std::string type_of(const int& /*value*/) { return "whole number"; }
std::string type_of(const std::int64_t& /*value*/) { return "whole number"; }
std::string type_of(const double& /*value*/) { return "number"; }
std::string type_of(const std::vector<std::string>& /*value*/) { return "list of texts"; }
std::string type_of(const std::vector<double>& /*value*/) { return "list of numbers"; }
std::string type_of(const Duration& /*value*/) { return "number with ms, s, min or h"; }
std::string type_of(const Money& /*value*/) { return "number with USD"; }
std::string type_of(const EnergyPrice& /*value*/) { return "number with USD/kWh or USD/MWh"; }
std::string type_of(const CarbonIntensity& /*value*/) {
  return "number with g/kWh, kg/kWh or kg/MWh";
}
template <class T>
std::string type_of(const std::optional<T>& /*value*/) {
  return type_of(T{});
}

/// Visitor that prints a row a field, and goes down into nested structs.
class KeyPrinter {
 public:
  KeyPrinter(std::string& out, std::string path, bool required = true)
      : out_(out), path_(std::move(path)), required_(required) {}

  template <class T, class... Limit>
  void operator()(std::string_view key, T& field, Limit... /*limits*/) {
    print(key, field, required_ ? "required" : default_of(field), required_);
  }
  template <class T, class... Limit>
  void optional(std::string_view key, T& field, Limit... /*limits*/) {
    print(key, field, default_of(field), false);
  }

 private:
  template <class T>
  void print(std::string_view key, T& field, const std::string& otherwise, bool required) {
    const std::string dotted = yaml_detail::dotted(path_, key);
    if constexpr (Fielded<T>) {
      KeyPrinter inner(out_, dotted, required);
      visit_fields(inner, field);
    } else if constexpr (requires {
                           requires Fielded<typename T::value_type>;
                           field.has_value();
                         }) {
      KeyPrinter inner(out_, dotted);
      typename T::value_type value{};
      visit_fields(inner, value);
    } else if constexpr (requires { requires Fielded<typename T::value_type>; }) {
      KeyPrinter inner(out_, dotted + "[]");
      typename T::value_type item{};
      visit_fields(inner, item);
    } else {
      const std::string_view meaning = meaning_of("scenario." + dotted);
      invariant(!meaning.empty(), "every scenario key has its line of help");
      out_ += fmt::format("| `{}` | {} | {} | {} |\n", dotted, type_of(field), otherwise, meaning);
    }
  }

  std::string& out_;
  std::string path_;
  bool required_;  ///< the struct: what it must hold has a default where it may be left out
};

/// What no key of a scenario is by itself: models and their blocks.
constexpr std::string_view kOfModels =
    "\n`model_overrides` may hold any key of a model file (`scenarios/models/`) and replaces "
    "it, wherever the model comes from.\n\n"
    "`layers` of a model lists its layers where they are not all attention and MLP: "
    "`[{blocks: [gqa, mlp], repeat: 16}, {blocks: [mlp], repeat: 16}]`, together "
    "`num_layers` (`simtrain list blocks`); a hybrid's pattern instead, a letter a layer: "
    "`hybrid_override_pattern: \"MEM*E\"`.\n"
    "Some blocks have sizes of their own: `window_size` (swa), `attention_chunk_size` "
    "(chunked_gqa), `multi_latent_attention: {q_lora_rank: 1536,\n"
    "kv_lora_rank: 512, qk_head_dim: 128, qk_pos_emb_head_dim: 64, v_head_dim: 128}` (mla, dsa, "
    "dsa_shared), `dsa_indexer: {dsa_indexer_n_heads: 64,\n"
    "dsa_indexer_head_dim: 128, dsa_indexer_topk: 2048}` (dsa, dsa_shared), "
    "`mamba: {mamba_num_heads: 64, mamba_head_dim: 64,\n"
    "mamba_state_dim: 128, mamba_num_groups: 8}` (mamba), "
    "`gated_delta_net: {linear_num_key_heads: 16, linear_num_value_heads: 32,\n"
    "linear_key_head_dim: 128, linear_value_head_dim: 128}` (gated_delta_net), `experts` (moe). "
    "Of any model: `qk_layernorm`, `attention_output_gate`,\n"
    "`add_bias_linear`, `add_qkv_bias`, `softmax_type` (vanilla, off-by-one, learnable), "
    "`activation_func_clamp_value` (7 in GPT-OSS),\n"
    "`mtp_num_layers`.\n\n"
    "`experts` of a model are those of its moe blocks: `experts: {num_moe_experts: 8, "
    "moe_router_topk: 2, moe_ffn_hidden_size: 14336,\n"
    "moe_shared_expert_intermediate_size: 0}`, with `moe_latent_size` where tokens are "
    "dispatched narrower, `moe_shared_expert_gate`, and `moe_router_num_groups`,\n"
    "`moe_router_group_topk` where a token chooses groups of experts first; "
    "`moe_router_score_function` (softmax, sigmoid, sqrtsoftplus)\n"
    "and `moe_router_pre_softmax` say what its router does; `moe` of a scenario "
    "says how tokens find them.\n\n";

}  // namespace

std::string scenario_help() {
  std::string out =
      "# Scenario keys\n\n"
      "Printed by `simtrain help scenario`. Files are strict: unknown, missing, doubled and "
      "wrongly typed keys are\n"
      "errors with their place. `--set KEY=VALUE` changes any of them.\n\n"
      "| key | value | if missing | meaning |\n|---|---|---|---|\n";
  ScenarioFile file;
  KeyPrinter printer(out, "");
  visit_fields(printer, file);
  JobSpec training_job;
  KeyPrinter job(out, "job", false);
  visit_fields(job, training_job);
  out += kOfModels;
  out +=
      "`hardware` may hold values of the GPU, node, fabric and software files that the scenario "
      "names, and replaces them:\n"
      "`hardware: {nic_bandwidth: 200 Gb/s}`, on the command line "
      "`--set hardware.nic_bandwidth=200Gb/s`. `simtrain help hardware`\n"
      "lists the keys; one that more than one of the files has needs its kind, as in "
      "`hardware.fabric.switch_latency`. Reports name\n"
      "what was changed.\n\n"
      "Where keys are changed on the command line, a report's title is made of what was "
      "simulated, with the changes below it,\n"
      "and source and notes are named as those of the unchanged file; `--set name=...` gives a "
      "title of one's own.\n"
      "`--set cluster.name=...` alone keeps the nodes: where those of the other cluster hold more "
      "or fewer GPUs, a note says so,\n"
      "and `--set gpus=...` asks for GPUs.\n\n"
      "`table` makes one file of many scales: `columns` lists `row` and dotted keys, `rows` a list "
      "of values for each;\n"
      "every row is the body with those keys replaced. `--row NAME` runs one, without it all "
      "run.\n\n"
      "`sweep` says what `simtrain sweep` varies: keys of this table, dotted or short (`tp`, `pp`, "
      "`vp`, `cp`, `ep`,\n"
      "`mbs`, `gbs`, `nodes`, `gpus`, `precision`), each with one value, a list of values, or "
      "whole "
      "numbers "
      "as `FIRST:LAST` or\n"
      "`FIRST:LAST:STEP`, both ends included: `sweep: {tp: [1, 2, 4, 8], vp: 1:12, mbs: [1, 2]}`. "
      "Every combination is a\n"
      "candidate, the first key slowest. `simtrain run` leaves the block alone.\n";
  return out;
}

}  // namespace simtrain
