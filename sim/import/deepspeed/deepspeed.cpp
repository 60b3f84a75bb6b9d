#include "sim/import/deepspeed/deepspeed.h"

#include <array>
#include <cmath>
#include <filesystem>

#include <fmt/format.h>

#include "sim/core/files/yaml_file.h"
#include "sim/core/input/number_text.h"
#include "sim/import/scenario/scenario_text.h"
#include "sim/import/terms/term_findings.h"
#include "sim/import/yaml/yaml_recipe.h"

namespace simtrain {
namespace {

using T = RecipeTerms;

constexpr Refused kOtherPartition{"partitions of ZeRO++ and MiCS are not modelled", "", true};
constexpr Ignored kZeroDetail{"how far DeepSpeed gathers ahead, simulated as its defaults have it"};

constexpr std::array kDeepSpeedKeys{
    KeyRow{"train_batch_size", &T::global_batch_size},
    KeyRow{"train_micro_batch_size_per_gpu", &T::micro_batch_size},
    KeyRow{"gradient_accumulation_steps", &T::gradient_accumulation_steps},
    KeyRow{"fp16.enabled", &T::precision},
    KeyRow{"bf16.enabled", &T::precision},
    KeyRow{"bfloat16.enabled", &T::precision},
    KeyRow{"zero_optimization.stage", &T::sharding},
    KeyRow{"zero_optimization.reduce_bucket_size", &T::bucket_size},
    KeyRow{"zero_optimization.overlap_comm", &T::overlap_grad_reduce},
    KeyRow{"zero_optimization.cpu_offload", &T::optimizer_cpu_offload},
    KeyRow{"zero_optimization.cpu_offload_params", &T::offload_param},
    KeyRow{"zero_optimization.offload_optimizer.device", &T::optimizer_cpu_offload},
    KeyRow{"zero_optimization.offload_optimizer.ratio", &T::optimizer_offload_fraction},
    KeyRow{"zero_optimization.offload_param.device", &T::offload_param},
    KeyRow{"zero_optimization.zero_quantized_weights", kOtherPartition},
    KeyRow{"zero_optimization.zero_quantized_gradients", kOtherPartition},
    KeyRow{"zero_optimization.zero_hpz_partition_size", Refused{kOtherPartition.why, "1", true}},
    KeyRow{"zero_optimization.mics_shard_size", Refused{kOtherPartition.why, "-1", true}},
    KeyRow{"zero_optimization.*", kZeroDetail},
    KeyRow{"communication_data_type", &T::grad_reduce_dtype},
    KeyRow{"data_types.grad_accum_dtype",
           NotSimulated{"gradients that are added up in another type"}},
    KeyRow{"optimizer.type",
           Refused{"Adam is simulated; --override optimizer.type=Adam takes it", "Adam"}},
    KeyRow{"optimizer.*", kLearned},
    KeyRow{"scheduler.*", kLearned},
    KeyRow{"gradient_clipping", kLearned},
    KeyRow{"fp16.*", kLearned},
    KeyRow{"bf16.bf16_master_weights_and_grads",
           Refused{"main weights in BF16 are not modelled", "", true}},
    KeyRow{"bf16.*", kLearned},
    KeyRow{"sparse_attention", Refused{"sparse attention is not modelled"}},
    KeyRow{"activation_checkpointing.cpu_checkpointing", kNoOffload},
    KeyRow{"activation_checkpointing.partition_activations",
           NotSimulated{"kept activations that are split over the TP group"}},
    KeyRow{"activation_checkpointing.*",
           Ignored{"how activations are recomputed, not whether they are"}},
    KeyRow{"steps_per_print", kOutside},
    KeyRow{"wall_clock_breakdown", kOutside},
    KeyRow{"tensorboard.*", kOutside},
    KeyRow{"flops_profiler.*", kOutside},
    KeyRow{"comms_logger.*", kOutside},
    KeyRow{"checkpoint.*", kOutside},
    KeyRow{"curriculum_learning.*", kOutside},
    KeyRow{"prescale_gradients", kLearned},
    KeyRow{"zero_allow_untested_optimizer", kOutside},
};

constexpr std::int64_t kUsualLength = 2048;  // of a sequence, in the models of Megatron-DeepSpeed

constexpr std::array<std::string_view, 4> kStages{"ddp", "zero1", "zero2", "zero3"};

/// `5e8` and `500000000.0` as the count that they are.
void write_as_count(YamlNode& tree, const std::string& key) {
  const YamlNode* node = find_yaml_value(tree, key);
  if (node == nullptr || node->kind != YamlNode::Kind::scalar) return;
  const double count = number_as<double>(node->text).value_or(-1);
  if (!(count >= 0 && count <= 1e15) || count != std::floor(count)) return;
  YamlNode whole = *node;
  whole.text = fmt::format("{:.0f}", count);
  set_yaml_value(tree, key, std::move(whole));
}

/// `auto` is what the options of a run of Transformers' Trainer say: whether the tree leaves the
/// key to them.
bool is_auto(const YamlNode& tree, const std::string& key) {
  const YamlNode* given = find_yaml_value(tree, key);
  return given != nullptr && given->text == "auto";
}

/// What a configuration leaves to the options of a run, as is usual.
void add_usual_options(bool precision, bool micro_batch, RecipeTerms& terms) {
  const std::string whose = "is 'auto', which the options of a run set; ";
  if (precision) default_to(terms.precision, "bf16", whose + "BF16 is usual");
  if (micro_batch) default_to(terms.micro_batch_size, 1, whose + "one is the fewest");
}

/// ZeRO-Infinity's NVMe drives.
void refuse_disk(const YamlNode& tree, const std::string& key) {
  const YamlNode* device = find_yaml_value(tree, key);
  if (device != nullptr && device->text == "nvme")
    throw InputError(device->place, key, "'nvme' is not modelled; cpu would do");
}

/// A term of the command line, completed or confirmed by the configuration.
template <class V>
void merge_term(std::optional<Given<V>>& mine, const std::optional<Given<V>>& theirs) {
  if (!theirs || (mine && theirs->assumed)) return;
  if (mine && !mine->assumed && mine->value != theirs->value) {
    throw InputError(
        theirs->place, theirs->origin,
        fmt::format("'{}' contradicts '{}' of {}", theirs->value, mine->value, mine->origin));
  }
  mine = theirs;
}

void merge_keys(KeysByReason& mine, const KeysByReason& theirs) {
  for (const auto& [why, keys] : theirs) {
    for (const auto& [key, count] : keys) mine[why][key] += count;
  }
}

}  // namespace

std::span<const KeyRow> deepspeed_keys() { return kDeepSpeedKeys; }

void settle_deepspeed_tree(YamlNode& tree) {
  for (const std::string key :
       {"train_batch_size", "train_micro_batch_size_per_gpu", "gradient_accumulation_steps",
        "zero_optimization.reduce_bucket_size", "zero_optimization.overlap_comm"}) {
    reword(tree, key, {{"auto", ""}});
    write_as_count(tree, key);
  }
  reword(tree, "fp16.enabled",
         {{"true", "fp16"}, {"True", "fp16"}, {"false", ""}, {"False", ""}, {"auto", ""}});
  for (const std::string key : {"bf16.enabled", "bfloat16.enabled"})
    reword(tree, key,
           {{"true", "bf16"}, {"True", "bf16"}, {"false", ""}, {"False", ""}, {"auto", ""}});
  for (const std::string key :
       {"zero_optimization.offload_optimizer.device", "zero_optimization.offload_param.device"}) {
    reword(tree, key, {{"cpu", "true"}, {"none", "false"}});
    refuse_disk(tree, key);
  }
  reword(tree, "optimizer.type",
         {{"AdamW", "Adam"}, {"FusedAdam", "Adam"}, {"DeepSpeedCPUAdam", "Adam"}});
}

void settle_zero_stage(RecipeTerms& terms) {
  const std::string whose = "DeepSpeed's default";
  default_to(terms.sharding, "0", whose);
  Given<std::string>& stage = *terms.sharding;
  const int number = number_as<int>(stage.value).value_or(-1);
  if (number < 0 || number > 3)
    throw InputError(stage.place, stage.origin,
                     fmt::format("'{}' is no stage of ZeRO; 0 to 3 would do",
                                 plain_text(stage.value.substr(0, 80))));
  stage.value = kStages[static_cast<std::size_t>(number)];
  default_to(terms.gradient_accumulation_steps, 1, whose);
  default_to(terms.bucket_size, 500000000, whose);
  default_to(terms.overlap_grad_reduce, number == 3, whose);
  if (number == 3) default_to(terms.overlap_param_gather, true, "of ZeRO's stage 3");
  default_to(terms.grad_reduce_dtype, "bf16", whose + ": the type of the parameters");
}

void settle_deepspeed(RecipeTerms& terms) {
  settle_zero_stage(terms);
  const bool bf16 = holds(terms.bf16) || (terms.precision && terms.precision->value == "bf16");
  if (!bf16 || terms.sharding->value != kStages[0]) return;
  terms.sharding->value = "zero1_sums";
  if (terms.grad_reduce_dtype && terms.grad_reduce_dtype->assumed) terms.grad_reduce_dtype.reset();
  default_to(terms.grad_reduce_dtype, "fp32", "DeepSpeed's BF16_Optimizer");
}

YamlNode load_deepspeed_config(const std::string& path, const YamlNode& given) {
  const std::string file = (std::filesystem::path(path).parent_path() / given.text).string();
  std::error_code error;
  if (!std::filesystem::is_regular_file(file, error))
    throw InputError(given.place, "--deepspeed_config",
                     fmt::format("names {}, which is not there; --override "
                                 "\"~deepspeed_config\" reads on without it",
                                 plain_text(file)));
  return load_yaml_file(file);
}

void add_deepspeed_config(YamlNode tree, RecipeReading& reading) {
  settle_deepspeed_tree(tree);
  const RecipeReading own = read_recipe(tree, kDeepSpeedKeys, KeyStyle::dotted);
  RecipeTerms& mine = reading.terms;
  for (WholeTerm RecipeTerms::*const term : {&T::micro_batch_size, &T::global_batch_size,
                                             &T::gradient_accumulation_steps, &T::bucket_size})
    merge_term(mine.*term, own.terms.*term);
  for (WordTerm RecipeTerms::*const term : {&T::precision, &T::sharding, &T::grad_reduce_dtype})
    merge_term(mine.*term, own.terms.*term);
  for (FlagTerm RecipeTerms::*const term :
       {&T::overlap_grad_reduce, &T::optimizer_cpu_offload, &T::offload_param})
    merge_term(mine.*term, own.terms.*term);
  merge_term(mine.optimizer_offload_fraction, own.terms.optimizer_offload_fraction);
  reading.taken += own.taken;
  merge_keys(reading.ignored, own.ignored);
  merge_keys(reading.left_out, own.left_out);
}

namespace {

bool is_deepspeed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos || text[first] != '{') return false;
  return text.find("\"zero_optimization\"") != std::string_view::npos ||
         text.find("\"train_micro_batch_size_per_gpu\"") != std::string_view::npos ||
         text.find("\"train_batch_size\"") != std::string_view::npos;
}

ImportedRecipe read_deepspeed(const ImportFile& file, const RecipeRequest& request,
                              const DataFolder& data) {
  YamlNode tree = load_yaml_recipe(file, request);
  const bool auto_precision = is_auto(tree, "bf16.enabled") || is_auto(tree, "fp16.enabled");
  const bool auto_micro_batch = is_auto(tree, "train_micro_batch_size_per_gpu");
  settle_deepspeed_tree(tree);
  RecipeReading reading = read_recipe(tree, kDeepSpeedKeys, KeyStyle::dotted);
  RecipeTerms& terms = reading.terms;
  add_usual_options(auto_precision, auto_micro_batch, terms);
  settle_deepspeed(terms);
  const bool named = request.model || std::any_of(request.settings.begin(), request.settings.end(),
                                                  [](const std::string& setting) {
                                                    return setting.starts_with("model=");
                                                  });
  if (!named)
    throw InputError({file.path}, "model",
                     "is not of a DeepSpeed configuration; --model NAME takes one of "
                     "scenarios/models (or import the launch script with --deepspeed_config)");
  terms.model_class = Given<std::string>{"a model of its own", "--model", false, {file.path}};
  default_to(terms.seq_length, kUsualLength,
             "not of a DeepSpeed configuration; --set training.seq_length=N sets another");
  return imported_scenario("DeepSpeed configuration", reading, file, request, data);
}

}  // namespace

const RecipeFormat kDeepSpeed{"deepspeed",
                              "DeepSpeed configuration: JSON with zero_optimization or a "
                              "train_batch_size",
                              is_deepspeed, read_deepspeed};

}  // namespace simtrain
