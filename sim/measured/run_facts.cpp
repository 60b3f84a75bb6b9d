#include "sim/measured/run_facts.h"

#include <array>
#include <initializer_list>
#include <string_view>

#include <fmt/format.h>

#include "sim/measured/run/log_fields.h"

namespace simtrain {
namespace {

using Configuration = std::map<std::string, std::string>;

/// A key of the configuration and its value; nothing where it has none of the names.
struct Entry {
  std::string key;
  std::string value;
  [[nodiscard]] std::string origin() const { return "log: " + key; }
};

std::optional<Entry> entry_of(const Configuration& keys, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    const auto found = keys.find(name);
    if (found == keys.end()) continue;
    const std::string& value = found->second;
    if (!value.empty() && value != "None" && value != "null") return Entry{name, value};
  }
  return std::nullopt;
}

std::optional<double> count_in(const Entry& entry) {
  const auto value = whole_number_in(entry.value);
  if (!value || *value == 0) return std::nullopt;
  return static_cast<double>(*value);
}

/// The first of the names that is there with a whole number.
RunFacts::Fact<double> count(const Configuration& keys, std::initializer_list<const char*> names) {
  const auto entry = entry_of(keys, names);
  const auto value = entry ? count_in(*entry) : std::nullopt;
  if (!value) return std::nullopt;
  return Sourced<double>{*value, entry->origin()};
}

bool is_true(const std::optional<Entry>& entry) {
  return entry && (entry->value == "True" || entry->value == "true");
}

/// NeMo sets `fp8: True`, Megatron the FP8 format or None.
RunFacts::Fact<Precision> precision(const Configuration& keys) {
  const auto fp8 = entry_of(keys, {"cfg/fp8", "fp8"});
  if (fp8 && fp8->value != "False" && fp8->value != "false")
    return Sourced<Precision>{Precision::fp8, fp8->origin()};
  const auto flag = entry_of(keys, {"bf16"});
  if (is_true(flag)) return Sourced<Precision>{Precision::bf16, flag->origin()};
  const auto word = entry_of(keys, {"cfg/precision", "cfg/autocast_dtype"});
  if (word && word->value.starts_with("bf16"))
    return Sourced<Precision>{Precision::bf16, word->origin()};
  return std::nullopt;
}

std::optional<Activation> activation(const Configuration& keys) {
  constexpr std::array<std::pair<std::string_view, Activation>, 5> kNames{
      {{"fast-swiglu", Activation::swiglu},
       {"swiglu", Activation::swiglu},
       {"squared-relu", Activation::squared_relu},
       {"gelu", Activation::gelu},
       {"fast-gelu", Activation::gelu}}};
  const auto name = entry_of(keys, {"cfg/activation"});
  for (const auto& [known, value] : kNames) {
    if (name && name->value == known) return value;
  }
  const auto gated = entry_of(keys, {"swiglu"});
  if (!gated) return std::nullopt;
  if (is_true(gated) || is_true(entry_of(keys, {"quick_geglu"}))) return Activation::swiglu;
  return is_true(entry_of(keys, {"squared_relu"})) ? Activation::squared_relu : Activation::gelu;
}

/// The shape as far as FLOPs go, where all of it is there.
RunFacts::Fact<ModelSpec> model(const Configuration& keys) {
  const auto layers = count(keys, {"cfg/num_layers", "num_layers"});
  const auto hidden = count(keys, {"cfg/hidden_size", "hidden_size"});
  const auto ffn = count(keys, {"cfg/ffn_hidden_size", "ffn_hidden_size"});
  const auto heads = count(keys, {"cfg/num_attention_heads", "num_attention_heads"});
  const auto vocabulary = count(keys, {"padded_vocab_size", "cfg/override_vocab_size"});
  const auto act = activation(keys);
  if (!layers || !hidden || !ffn || !heads || !vocabulary || !act) return std::nullopt;
  const auto channels = count(keys, {"cfg/kv_channels", "kv_channels"});
  const double head = channels ? channels->value : hidden->value / heads->value;
  // As far as model files go.
  if (layers->value > 1e5 || hidden->value > 1e6 || ffn->value > 1e7 || heads->value > 1e5 ||
      head > 1e5 || vocabulary->value > 1e8)
    return std::nullopt;
  ModelSpec spec;
  spec.name = "the model of the log";
  spec.num_layers = static_cast<int>(layers->value);
  spec.hidden_size = static_cast<std::int64_t>(hidden->value);
  spec.ffn_hidden_size = static_cast<std::int64_t>(ffn->value);
  spec.num_attention_heads = static_cast<int>(heads->value);
  spec.num_query_groups = spec.num_attention_heads;
  spec.kv_channels = static_cast<std::int64_t>(head);
  const auto grouped = entry_of(keys, {"group_query_attention"});
  const auto groups = count(keys, {"cfg/num_query_groups", "num_query_groups"});
  if (groups && (!grouped || is_true(grouped)) && groups->value <= heads->value)
    spec.num_query_groups = static_cast<int>(groups->value);
  spec.vocab_size = static_cast<std::int64_t>(vocabulary->value);
  spec.activation = *act;
  return Sourced<ModelSpec>{spec, layers->source + ", hidden_size and others"};
}

/// Takes a fact where there is none yet.
template <class T, class Text>
void take(std::string_view name, RunFacts::Fact<T>& known, const RunFacts::Fact<T>& other,
          Text text, std::vector<std::string>& contradictions) {
  if (!other) return;
  if (!known) {
    known = other;
    return;
  }
  const std::string first = text(known->value);
  const std::string second = text(other->value);
  if (first == second) return;
  contradictions.push_back(fmt::format("{}: {} ({}) counts, not {} ({})", name, first,
                                       known->source, second, other->source));
}

std::string number_text(double value) { return fmt::format("{}", value); }

}  // namespace

RunFacts facts_of_log(const LoggedFacts& logged) {
  const Configuration& keys = logged.configuration;
  RunFacts facts;
  facts.gpus = count(keys, {"world_size"});
  if (logged.global_batch_size) {
    facts.global_batch_size = {*logged.global_batch_size, "log: global batch size"};
  } else if (logged.batch_from_samples) {
    facts.global_batch_size = {*logged.batch_from_samples, "log: consumed samples of a step"};
  } else {
    facts.global_batch_size = count(keys, {"cfg/global_batch_size", "global_batch_size"});
  }
  facts.seq_length = count(
      keys, {"cfg/encoder_seq_length", "cfg/data/seq_length", "seq_length", "encoder_seq_length"});
  facts.precision = precision(keys);
  facts.model = model(keys);
  return facts;
}

RunFacts facts_of_scenario(const Scenario& scenario, const std::string& origin) {
  const TrainingSpec& training = scenario.recipe.training;
  RunFacts facts;
  facts.gpus = {static_cast<double>(scenario.gpus()), origin};
  facts.global_batch_size = {static_cast<double>(training.global_batch_size), origin};
  facts.seq_length = {static_cast<double>(training.seq_length), origin};
  facts.precision = {training.precision, origin};
  facts.gpu = {scenario.cluster.gpu, origin};
  facts.model = {scenario.recipe.model, origin};
  facts.convention = {scenario.mfu_convention, origin};
  return facts;
}

MergedFacts merge(const std::vector<RunFacts>& sources) {
  MergedFacts merged;
  const auto name = [](auto value) { return std::string(name_of(value)); };
  const auto named = [](const auto& spec) { return spec.name; };
  for (const RunFacts& other : sources) {
    RunFacts& facts = merged.facts;
    std::vector<std::string>& against = merged.contradictions;
    std::vector<std::string> ignored;  // a model of the log has no name to compare with
    take("GPUs", facts.gpus, other.gpus, number_text, against);
    take("global batch size", facts.global_batch_size, other.global_batch_size, number_text,
         against);
    take("sequence length", facts.seq_length, other.seq_length, number_text, against);
    take("precision", facts.precision, other.precision, name, against);
    take("GPU", facts.gpu, other.gpu, named, against);
    take("model", facts.model, other.model, named, ignored);
    take("FLOPs per sample", facts.flops_per_sample, other.flops_per_sample, number_text, against);
    take("peak TFLOP/s", facts.peak_tflops, other.peak_tflops, number_text, against);
    take("MFU convention", facts.convention, other.convention, name, ignored);
  }
  return merged;
}

}  // namespace simtrain
