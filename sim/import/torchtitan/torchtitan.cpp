#include "sim/import/torchtitan/torchtitan.h"

#include <algorithm>
#include <array>
#include <vector>

#include <fmt/format.h>

#include "sim/core/input/number_text.h"
#include "sim/core/input/text_parts.h"
#include "sim/import/model/named_model.h"
#include "sim/import/scenario/scenario_text.h"
#include "sim/import/terms/term_findings.h"
#include "sim/import/torchtitan/titan_stages.h"
#include "sim/import/torchtitan/toml_tree.h"
#include "sim/import/yaml/hydra.h"
#include "sim/import/yaml/yaml_recipe.h"

namespace simtrain {
namespace {

using T = RecipeTerms;

const std::string kWhose = "torchtitan's default";

constexpr Ignored kCompiled{"of the software stack (--software), which compiles each block or not"};
constexpr Refused kOtherOptimizer{"AdamW is simulated; --override optimizer.name=AdamW takes it",
                                  "AdamW"};
constexpr Refused kUnevenStages{
    "uneven stages are not imported; --override \"~KEY\" deals layers "
    "out evenly"};

constexpr std::array kTitanKeys{
    KeyRow{"model.flavor", &T::model_class},
    KeyRow{"model.converters", &T::fp8},
    KeyRow{"model.norm_type", &T::normalization},
    KeyRow{"model.*", kOutside},
    KeyRow{"training.seq_len", &T::seq_length},
    KeyRow{"training.local_batch_size", &T::local_batch_size},
    KeyRow{"training.batch_size", &T::local_batch_size},
    KeyRow{"training.global_batch_size", &T::global_batch_size},
    KeyRow{"training.mixed_precision_param", &T::precision},
    KeyRow{"training.mixed_precision_reduce", &T::grad_reduce_dtype},
    KeyRow{"training.enable_cpu_offload", &T::offload_state},
    KeyRow{"training.deterministic", kDeterministic},
    KeyRow{"debug.deterministic", kDeterministic},
    KeyRow{"training.compile", kCompiled},
    KeyRow{"compile.*", kCompiled},
    KeyRow{"parallelism.data_parallel_replicate_degree", &T::data_parallel_replicate_degree},
    KeyRow{"parallelism.data_parallel_shard_degree", &T::data_parallel_shard_degree},
    KeyRow{"parallelism.fsdp_reshard_after_forward", &T::reshard_after_forward},
    KeyRow{"parallelism.tensor_parallel_degree", &T::tensor_model_parallel_size},
    KeyRow{"parallelism.enable_async_tensor_parallel", &T::tp_comm_overlap},
    KeyRow{"parallelism.pipeline_parallel_degree", &T::pipeline_model_parallel_size},
    KeyRow{"parallelism.pipeline_parallel_schedule", &T::pipeline_schedule},
    KeyRow{"parallelism.pipeline_parallel_microbatch_size", &T::micro_batch_size},
    KeyRow{"parallelism.pipeline_parallel_microbatches", &T::gradient_accumulation_steps},
    KeyRow{"parallelism.pipeline_parallel_layers_per_stage", &T::layers_per_virtual_stage},
    KeyRow{"parallelism.pipeline_parallel_first_stage_less_layers",
           &T::account_for_embedding_in_pipeline_split},
    KeyRow{"parallelism.pipeline_parallel_last_stage_less_layers",
           &T::account_for_loss_in_pipeline_split},
    KeyRow{"parallelism.pipeline_parallel_split_points", kUnevenStages},
    KeyRow{"parallelism.module_fqns_per_model_part", kUnevenStages},
    KeyRow{"parallelism.pipeline_parallel_schedule_csv",
           Refused{"schedules of one's own are not modelled"}},
    KeyRow{"parallelism.context_parallel_degree", &T::context_parallel_size},
    KeyRow{"parallelism.expert_parallel_degree", &T::expert_model_parallel_size},
    KeyRow{"parallelism.expert_parallel_comm_backend", &T::moe_enable_deepep},
    KeyRow{"parallelism.expert_tensor_parallel_degree", &T::expert_tensor_parallel_size},
    KeyRow{"parallelism.context_parallel_rotate_method",
           NotSimulated{"how context parallelism rotates keys and values: a ring is simulated"}},
    KeyRow{"parallelism.disable_loss_parallel",
           NotSimulated{"a loss that is not split over the TP group"}},
    KeyRow{"parallelism.enable_compiled_autograd", kCompiled},
    KeyRow{"activation_checkpoint.mode", &T::recompute},
    KeyRow{"activation_checkpoint.selective_ac_option", &T::recompute_method},
    KeyRow{"activation_checkpoint.*", Ignored{"a detail of the checkpointing of operators"}},
    KeyRow{"float8.enable_float8_linear", &T::fp8},
    KeyRow{"float8.recipe_name", &T::fp8_recipe},
    KeyRow{"float8.enable_fsdp_float8_all_gather", &T::fp8_params},
    KeyRow{"quantize.linear.float8.recipe_name", &T::fp8_recipe},
    KeyRow{"quantize.linear.float8.enable_fsdp_float8_all_gather", &T::fp8_params},
    KeyRow{"float8.*", Ignored{"which GEMMs are in FP8 and how scales are found is simulated as "
                               "the precision has it"}},
    KeyRow{"quantize.*", Ignored{"which GEMMs are in FP8 and how scales are found is simulated as "
                                 "the precision has it"}},
    KeyRow{"mx.*", Ignored{"which GEMMs are in MXFP8 is simulated as the precision has it"}},
    KeyRow{"optimizer.name", kOtherOptimizer},
    KeyRow{"optimizer.early_step_in_backward",
           Refused{"an optimizer that works within the backward is not modelled", "", true}},
    KeyRow{"optimizer.*", kLearned},
    KeyRow{"lr_scheduler.*", kLearned},
    KeyRow{"fault_tolerance.enable",
           Refused{"replicas that come and go are not modelled", "", true}},
    KeyRow{"training.dtype",
           Refused{"parameters and optimizer states are simulated in FP32; --override "
                   "training.dtype=float32 takes it",
                   "float32"}},
    KeyRow{"training.data_parallel_type",
           Refused{"replicas are given by parallelism.data_parallel_replicate_degree; --override "
                   "training.data_parallel_type=fsdp takes FSDP",
                   "fsdp"}},
    KeyRow{"training.steps", kOutside},
    KeyRow{"training.warmup_steps", kOutside},
    KeyRow{"training.max_norm", kOutside},
    KeyRow{"training.seed", kOutside},
    KeyRow{"training.dataset*", kOutside},
    KeyRow{"training.gc_*", kOutside},
    KeyRow{"training.checkpoint_*", kOutside},
    KeyRow{"training.loss_parallel", kOutside},
    KeyRow{"job.*", kOutside},
    KeyRow{"profiling.*", kOutside},
    KeyRow{"metrics.*", kOutside},
    KeyRow{"checkpoint.*", kOutside},
    KeyRow{"comm.*", kOutside},
    KeyRow{"validation.*", kOutside},
    KeyRow{"fault_tolerance.*", kOutside},
    KeyRow{"memory_estimation.*", kOutside},
    KeyRow{"debug.*", kOutside},
    KeyRow{"primus_turbo.*", kSoftware},
};

/// Keys of torchtitan's first releases, and where they are now.
constexpr std::array<std::pair<std::string_view, std::string_view>, 20> kMovedKeys{
    {{"training.enable_fp8_linear", "float8.enable_float8_linear"},
     {"training.enable_float8_linear", "float8.enable_float8_linear"},
     {"training.fp8_linear", "float8.enable_float8_linear"},
     {"training.enable_fsdp_float8_all_gather", "float8.enable_fsdp_float8_all_gather"},
     {"training.precompute_float8_dynamic_scale_for_fsdp",
      "float8.precompute_float8_dynamic_scale_for_fsdp"},
     {"training.sequence_parallel_degree", "parallelism.tensor_parallel_degree"},
     {"training.pipeline_parallel_degree", "parallelism.pipeline_parallel_degree"},
     {"training.pipeline_parallel_schedule", "parallelism.pipeline_parallel_schedule"},
     {"training.pipeline_parallel_split_points", "parallelism.pipeline_parallel_split_points"},
     {"training.data_parallel_degree", "parallelism.data_parallel_shard_degree"},
     {"training.data_parallel_replicate_degree", "parallelism.data_parallel_replicate_degree"},
     {"training.data_parallel_shard_degree", "parallelism.data_parallel_shard_degree"},
     {"training.fsdp_reshard_after_forward", "parallelism.fsdp_reshard_after_forward"},
     {"training.tensor_parallel_degree", "parallelism.tensor_parallel_degree"},
     {"experimental.context_parallel_degree", "parallelism.context_parallel_degree"},
     {"experimental.pipeline_parallel_degree", "parallelism.pipeline_parallel_degree"},
     {"experimental.pipeline_parallel_schedule", "parallelism.pipeline_parallel_schedule"},
     {"experimental.pipeline_parallel_split_points", "parallelism.pipeline_parallel_split_points"},
     {"experimental.pipeline_parallel_microbatches", "parallelism.pipeline_parallel_microbatches"},
     {"experimental.enable_async_tensor_parallel", "parallelism.enable_async_tensor_parallel"}}};

void erase_entry(YamlNode* map, std::string_view key) {
  if (map != nullptr) std::erase_if(map->entries, [&](const YamlEntry& e) { return e.key == key; });
}

/// The tree as the table takes it: one name of the model, keys where they are now, no -1 for what
/// is left to torchtitan.
void settle_tree(YamlNode& tree) {
  for (const auto& [old, now] : kMovedKeys) {
    const YamlNode* value = find_yaml_value(tree, old);
    if (value == nullptr) continue;
    const YamlNode moved = *value;
    const std::size_t dot = old.find('.');
    erase_entry(tree.find(old.substr(0, dot)), old.substr(dot + 1));
    set_yaml_value(tree, now, moved);
  }
  const std::string name = text_at(tree, "model.name");  // simple_fsdp.llama3: an experiment's
  const YamlNode* flavor = find_yaml_value(tree, "model.flavor");
  if (!name.empty() && flavor != nullptr && flavor->kind == YamlNode::Kind::scalar &&
      !named_model(flavor->text)) {
    YamlNode whole = *flavor;
    whole.text = name.substr(name.rfind('.') + 1) + " " + flavor->text;
    set_yaml_value(tree, "model.flavor", std::move(whole));
  }
  reword(tree, "float8.enable_float8_linear",
         {{"dynamic", "true"}, {"delayed", "true"}, {"", "false"}});
  reword(tree, "model.norm_type", {{"fused_rmsnorm", "rmsnorm"}});
  reword(tree, "parallelism.expert_parallel_comm_backend",
         {{"deepep", "true"}, {"standard", "false"}, {"hybridep", ""}});
  reword(tree, "training.global_batch_size", {{"-1", ""}});
  for (const std::string_view end : {"first", "last"})
    reword(tree, fmt::format("parallelism.pipeline_parallel_{}_stage_less_layers", end),
           {{"0", "false"}, {"1", "true"}});
  reword(tree, "parallelism.data_parallel_shard_degree", {{"-1", ""}});
  reword(tree, "parallelism.fsdp_reshard_after_forward",
         {{"default", ""}, {"always", "true"}, {"never", "false"}});
}

[[noreturn]] void refuse_value(const Given<std::string>& given, std::string_view hint) {
  throw InputError(
      given.place, given.origin,
      fmt::format("'{}' is not modelled; {}", plain_text(given.value.substr(0, 80)), hint));
}

/// Which operators are kept: `selective` with `op`, or of every N-th layer none. torchtitan counts
/// the layers that a rank has, we those of the model: the same without stages, and with stages
/// whose layers N divides.
void settle_checkpointing(RecipeTerms& terms) {
  default_to(terms.recompute, "selective", kWhose);
  auto option = std::move(terms.recompute_method);
  terms.recompute_method.reset();
  Given<std::string>& mode = *terms.recompute;
  if (mode.value == "none" || mode.value == "full") return;
  constexpr std::string_view kHint = "--override activation_checkpoint.mode=full takes one that is";
  if (mode.value != "selective") refuse_value(mode, kHint);
  default_to(option, "2", kWhose);
  if (option->value == "op") {
    mode.value = "selective_op";
    return;
  }
  const auto every = number_as<std::int64_t>(option->value);
  if (!every || *every < 1) refuse_value(*option, kHint);
  mode.value = "full";
  if (*every > 1)
    terms.recompute_every_nth_layer =
        Given<std::int64_t>{*every, option->origin, option->assumed, option->place};
}

/// Converters of the model that change its precision.
void settle_converters(RecipeTerms& terms) {
  if (!terms.fp8) return;
  Given<std::string>& converters = *terms.fp8;
  const std::string& list = converters.value;
  if (list.find("mx") != std::string::npos) {
    terms.fp8_recipe = Given<std::string>{"mxfp8", converters.origin, false, converters.place};
  } else if (list.find("float8") != std::string::npos || list == "true") {
    default_to(terms.fp8_recipe, "tensorwise", converters.origin + ": scales of each tensor");
  } else if (!list.empty() && list != "false" && list.find("primus_turbo") == std::string::npos) {
    refuse_value(converters,
                 "--set training.precision=NAME, one of simtrain list precisions, "
                 "would do with --override \"~model.converters\"");
  } else {
    terms.fp8.reset();
  }
}

/// A schedule of PyTorch, by the scenario's name.
struct TitanSchedule {
  std::string_view word;
  std::string_view name;
  bool several_chunks = false;
  bool messages_beside = false;  ///< passes go on while what they sent is on its way
};

constexpr std::array kTitanSchedules{TitanSchedule{"1F1B", "1f1b"},
                                     TitanSchedule{"GPipe", "gpipe"},
                                     TitanSchedule{"Interleaved1F1B", "interleaved", true},
                                     TitanSchedule{"LoopedBFS", "looped_bfs", true, true},
                                     TitanSchedule{"ZBVZeroBubble", "zb_v", true, true},
                                     TitanSchedule{"DualPipeV", "dualpipe_v", true, true}};

const TitanSchedule& schedule_of(const Given<std::string>& given) {
  const std::string word = lower_case(given.value);
  const auto row = std::find_if(
      kTitanSchedules.begin(), kTitanSchedules.end(),
      [&](const TitanSchedule& one) { return lower_case(std::string(one.word)) == word; });
  if (row == kTitanSchedules.end()) {
    refuse_value(given,
                 "--override parallelism.pipeline_parallel_schedule=NAME takes one of 1F1B, GPipe, "
                 "Interleaved1F1B, LoopedBFS, ZBVZeroBubble and DualPipeV");
  }
  return *row;
}

/// Micro-batches and virtual stages: none without pipeline stages.
void settle_pipeline(RecipeTerms& terms) {
  const bool staged =
      terms.pipeline_model_parallel_size && terms.pipeline_model_parallel_size->value > 1;
  if (!staged) {
    terms.micro_batch_size.reset();
    terms.gradient_accumulation_steps.reset();
    terms.layers_per_virtual_stage.reset();
    terms.pipeline_schedule.reset();
    return;
  }
  if (!terms.gradient_accumulation_steps) default_to(terms.micro_batch_size, 1, kWhose);
  default_to(terms.pipeline_schedule, "1F1B", kWhose);
  const TitanSchedule& schedule = schedule_of(*terms.pipeline_schedule);
  if (!schedule.several_chunks) {
    terms.layers_per_virtual_stage.reset();
  } else if (!terms.layers_per_virtual_stage) {
    default_to(terms.virtual_pipeline_model_parallel_size, 2, kWhose + " of interleaved stages");
  }
  if (schedule.messages_beside)
    default_to(
        terms.overlap_p2p_comm, true,
        "PyTorch's " + std::string(schedule.word) + " waits for messages where it needs them");
  terms.pipeline_schedule->value = schedule.name;
}

/// The GPUs of a recipe that says how many shards there are.
void settle_world(RecipeTerms& terms) {
  if (!terms.data_parallel_shard_degree) return;
  double gpus = 1;
  for (const WholeTerm& term :
       {terms.data_parallel_shard_degree, terms.data_parallel_replicate_degree,
        terms.tensor_model_parallel_size, terms.pipeline_model_parallel_size,
        terms.context_parallel_size}) {
    if (term) gpus *= static_cast<double>(term->value);
  }
  if (gpus > 1e9) return;
  const Given<std::int64_t>& shards = *terms.data_parallel_shard_degree;
  terms.world_size = Given<std::int64_t>{static_cast<std::int64_t>(gpus), "degrees of parallelism",
                                         false, shards.place};
}

void add_titan_defaults(RecipeTerms& terms) {
  default_to(terms.seq_length, 2048, kWhose);
  default_to(terms.local_batch_size, 8, kWhose);
  default_to(terms.sharding, "fsdp2", "torchtitan shards by fully_shard");
  default_to(terms.precision, "bfloat16", kWhose);
  default_to(terms.grad_reduce_dtype, "float32", kWhose);
  default_to(terms.sequence_parallel, true, kWhose);
  default_to(terms.moe_token_dispatcher_type, "alltoall", "torchtitan exchanges tokens so");
  default_to(terms.moe_grouped_gemm, true, "torchtitan's default, use_grouped_mm");
  if (terms.expert_model_parallel_size && terms.expert_model_parallel_size->value > 1)
    default_to(terms.expert_tensor_parallel_size, 1, kWhose);
  else
    terms.expert_tensor_parallel_size.reset();  // without effect: experts are split as the rest
  default_to(terms.mtp_num_layers, 0, "torchtitan has no multi-token prediction");
  default_to(terms.overlap_grad_reduce, true, "PyTorch reduces beside the backward");
  default_to(terms.bucket_cap_mb, 100, "torchtitan's default of DDP");
}

}  // namespace

std::span<const KeyRow> titan_keys() { return kTitanKeys; }

std::optional<std::string_view> titan_schedule(std::string_view name) {
  for (const TitanSchedule& row : kTitanSchedules) {
    if (row.name == name) return row.word;
  }
  return std::nullopt;
}

RecipeReading read_torchtitan(YamlNode tree, const RecipeRequest& request, const DataFolder& data) {
  settle_tree(tree);
  erase_entry(tree.find("model"), "name");
  RecipeReading reading = read_recipe(tree, kTitanKeys, KeyStyle::dotted);
  RecipeTerms& terms = reading.terms;
  require_named_model(terms, request);
  settle_checkpointing(terms);
  settle_converters(terms);
  settle_pipeline(terms);
  settle_titan_stages(terms, request, data);
  settle_world(terms);
  add_titan_defaults(terms);
  return reading;
}

namespace {

bool is_torchtitan(std::string_view text) {
  const auto has_table = [&](std::string_view name) {
    const std::string line = fmt::format("[{}]", name);
    return text.starts_with(line) || text.find("\n" + line) != std::string_view::npos;
  };
  return has_table("training") && (has_table("model") || has_table("parallelism"));
}

ImportedRecipe read_torchtitan_toml(const ImportFile& file, const RecipeRequest& request,
                                    const DataFolder& data) {
  YamlNode tree = load_toml_text(file.text, file.path);
  apply_overrides(tree, request.overrides);
  return imported_scenario("torchtitan configuration",
                           read_torchtitan(std::move(tree), request, data), file, request, data);
}

}  // namespace

const RecipeFormat kTorchtitan{"torchtitan",
                               "torchtitan job configuration: TOML with [model] and "
                               "[training]",
                               is_torchtitan, read_torchtitan_toml};

}  // namespace simtrain
