#include "sim/import/model/expert_keys.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sim/core/input/number_text.h"
#include "sim/import/model/layer_shape.h"
#include "sim/import/model/model_match.h"
#include "sim/import/model/named_model.h"
#include "sim/import/terms/term_findings.h"
#include "sim/workload/model/fields/model_fields.h"
#include "sim/workload/model/recipe.h"

namespace simtrain {
namespace {

constexpr std::string_view kNoExperts = "of mixtures of experts, which this model is not";
constexpr std::string_view kNoMamba = "of Mamba blocks, which this model has not";

/// A word that is a name of one of our choices. `key` is that of the scenario.
template <class Choice>
Finding chosen(const Given<std::string>& given, const std::string& key) {
  const auto names = all_names<Choice>();
  if (std::find(names.begin(), names.end(), given.value) != names.end())
    return {"", given.value, given.origin, given.assumed};
  throw InputError(given.place, given.origin,
                   fmt::format("'{}' is not modelled; --set {}=NAME takes one of {}",
                               plain_text(given.value.substr(0, 80)), key, fmt::join(names, ", ")));
}

/// The model that the recipe's class names, which has settings of its own.
bool is_known_class(const RecipeTerms& terms) {
  return terms.model_class && named_model(terms.model_class->value).has_value();
}

/// Whether that model has experts.
bool has_class_of_experts(const RecipeTerms& terms, const DataFolder& data) {
  if (!is_known_class(terms)) return false;
  return names_mixture({{"model", *named_model(terms.model_class->value), ""}}, terms, data);
}

Finding dispatcher_of(const RecipeTerms& terms, const std::string& key) {
  const WordTerm& type = terms.moe_token_dispatcher_type;
  const bool deepep = holds(terms.moe_enable_deepep);
  if (deepep && (!type || type->assumed)) return {"", "flex", terms.moe_enable_deepep->origin};
  if (!type && is_known_class(terms))
    return {"", "alltoall", "usual for " + terms.model_class->value, true};
  if (!type) return {"", "allgather", "Megatron's default", true};
  if (deepep && type->value != "flex")
    throw InputError(
        type->place, type->origin,
        fmt::format("'{}' contradicts {}, which is of flex; --set {}=NAME settles it",
                    plain_text(type->value.substr(0, 80)), terms.moe_enable_deepep->origin, key));
  return chosen<TokenDispatcher>(*type, key);
}

Finding backend_of(const RecipeTerms& terms, const std::string& key) {
  if (terms.moe_flex_dispatcher_backend)
    return chosen<ExchangeLibrary>(*terms.moe_flex_dispatcher_backend, key);
  if (holds(terms.moe_enable_deepep)) return {"", "deepep", terms.moe_enable_deepep->origin};
  return {"", "deepep", "Megatron's default", true};
}

void put_flex(const RecipeTerms& terms, const PutKey& put) {
  const std::string library = "moe.moe_flex_dispatcher_backend";
  const std::string backend = put(library, [&] { return backend_of(terms, library); });
  const WholeTerm& own = backend == name_of(ExchangeLibrary::hybridep) ? terms.moe_hybridep_num_sms
                                                                       : terms.moe_deepep_num_sms;
  const WholeTerm& sms =
      terms.moe_flex_dispatcher_num_sms ? terms.moe_flex_dispatcher_num_sms : own;
  if (sms) put("moe.moe_flex_dispatcher_num_sms", [&] { return of(*sms); });
}

/// A capacity below 0 is none, as NeMo writes it.
std::optional<double> capacity_in(const WordTerm& term) {
  if (!term) return std::nullopt;
  const auto factor = number_as<double>(term->value);
  if (!factor || !std::isfinite(*factor))
    throw InputError(term->place, term->origin,
                     fmt::format("'{}' is no factor; a number would do, as 1.0",
                                 plain_text(term->value.substr(0, 80))));
  return *factor < 0 ? std::nullopt : factor;
}

/// Whether there is one.
bool put_factor(const WordTerm& term, const std::string& key, const PutKey& put) {
  const auto capacity = capacity_in(term);
  if (capacity) {
    put(key, [&]() -> Finding {
      return {"", fmt::format("{}", *capacity), term->origin, term->assumed};
    });
  }
  return capacity.has_value();
}

void put_capacity(const RecipeTerms& terms, const PutKey& put) {
  const bool capacity =
      put_factor(terms.moe_expert_capacity_factor, "moe.moe_expert_capacity_factor", put);
  put_factor(terms.moe_expert_rank_capacity_factor, "moe.moe_expert_rank_capacity_factor", put);
  if (capacity && holds(terms.moe_pad_expert_input_to_capacity))
    put("moe.moe_pad_expert_input_to_capacity",
        [&] { return of(*terms.moe_pad_expert_input_to_capacity); });
}

/// Megatron's default is one expert after the other, that of known classes all at once.
Finding grouped_gemm_of(const RecipeTerms& terms) {
  if (terms.moe_grouped_gemm) return of(*terms.moe_grouped_gemm);
  if (is_known_class(terms)) return {"", "true", "usual for " + terms.model_class->value, true};
  return {"", "false", "Megatron's default", true};
}

/// What runs beside the exchange of tokens.
void put_overlap(const RecipeTerms& terms, bool again_whole, const PutKey& put) {
  const auto put_set = [&](const std::string& key, const FlagTerm& term) {
    if (holds(term)) put(key, [&] { return of(*term); });
  };
  if (again_whole && holds(terms.moe_shared_expert_overlap)) {
    put("moe.moe_shared_expert_overlap", [&]() -> Finding {
      return {"", "false",
              terms.moe_shared_expert_overlap->origin +
                  " is not simulated beside layers that are computed again whole",
              true, true};
    });
  } else {
    put_set("moe.moe_shared_expert_overlap", terms.moe_shared_expert_overlap);
  }
  put_set("overlap.overlap_moe_expert_parallel_comm", terms.overlap_moe_expert_parallel_comm);
  put_set("overlap.delay_wgrad_compute", terms.delay_wgrad_compute);
}

template <class T>
void set_aside(std::optional<Given<T>>& term, RecipeReading& reading,
               std::string_view why = kNoExperts) {
  if (term && !term->assumed) {
    ++reading.ignored[std::string(why)][term->origin];
    --reading.taken;
  }
  term.reset();
}

void set_aside_experts(RecipeReading& reading) {
  RecipeTerms& terms = reading.terms;
  for (WholeTerm RecipeTerms::*const term :
       {&RecipeTerms::num_moe_experts, &RecipeTerms::moe_router_topk,
        &RecipeTerms::moe_ffn_hidden_size, &RecipeTerms::moe_shared_expert_intermediate_size,
        &RecipeTerms::moe_latent_size, &RecipeTerms::moe_router_num_groups,
        &RecipeTerms::moe_router_group_topk, &RecipeTerms::expert_tensor_parallel_size,
        &RecipeTerms::moe_flex_dispatcher_num_sms, &RecipeTerms::moe_deepep_num_sms,
        &RecipeTerms::moe_hybridep_num_sms})
    set_aside(terms.*term, reading);
  for (WordTerm RecipeTerms::*const term :
       {&RecipeTerms::moe_token_dispatcher_type, &RecipeTerms::moe_flex_dispatcher_backend,
        &RecipeTerms::moe_router_score_function, &RecipeTerms::moe_expert_capacity_factor,
        &RecipeTerms::moe_expert_rank_capacity_factor})
    set_aside(terms.*term, reading);
  for (FlagTerm RecipeTerms::*const term :
       {&RecipeTerms::moe_enable_deepep, &RecipeTerms::moe_grouped_gemm,
        &RecipeTerms::use_transformer_engine_op_fuser, &RecipeTerms::moe_router_fusion,
        &RecipeTerms::moe_permute_fusion, &RecipeTerms::moe_router_pre_softmax,
        &RecipeTerms::moe_router_padding_for_quantization, &RecipeTerms::moe_shared_expert_gate,
        &RecipeTerms::moe_pad_expert_input_to_capacity, &RecipeTerms::moe_layer_recompute,
        &RecipeTerms::moe_shared_expert_overlap, &RecipeTerms::overlap_moe_expert_parallel_comm,
        &RecipeTerms::delay_wgrad_compute})
    set_aside(terms.*term, reading);
  set_aside(terms.moe_layer_freq, reading);
}

void set_aside_mamba(RecipeReading& reading) {
  for (WholeTerm RecipeTerms::*const term :
       {&RecipeTerms::mamba_num_heads, &RecipeTerms::mamba_head_dim, &RecipeTerms::mamba_state_dim,
        &RecipeTerms::mamba_num_groups})
    set_aside(reading.terms.*term, reading, kNoMamba);
}

/// Whether the user has the recipe's model replaced or changed.
bool changes_model(const RecipeRequest& request) {
  return request.model ||
         std::any_of(request.settings.begin(), request.settings.end(),
                     [](const std::string& setting) { return setting.starts_with("model"); });
}

/// Whether the model that the recipe's class names has Mamba blocks.
bool has_class_of_mamba(const RecipeTerms& terms, const DataFolder& data) {
  if (!is_known_class(terms)) return false;
  const std::string name = *named_model(terms.model_class->value);
  return data.load<ModelSpec>("scenarios/models", name, {}, "model").mamba.has_value();
}

}  // namespace

void put_experts(const RecipeTerms& terms, bool again_whole, const PutKey& put) {
  if (terms.expert_tensor_parallel_size)
    put("parallelism.expert_tensor_parallel_size",
        [&] { return of(*terms.expert_tensor_parallel_size); });
  const std::string type = "moe.moe_token_dispatcher_type";
  if (put(type, [&] { return dispatcher_of(terms, type); }) == name_of(TokenDispatcher::flex))
    put_flex(terms, put);
  const auto fused = [&](const std::string& key, const FlagTerm& term) {
    put("moe." + key, [&] { return term ? of(*term) : off(); });
  };
  fused("moe_router_fusion", terms.moe_router_fusion);
  fused("moe_permute_fusion", terms.moe_permute_fusion);
  put("moe.moe_grouped_gemm", [&] { return grouped_gemm_of(terms); });
  if (holds(terms.moe_router_padding_for_quantization))
    put("moe.moe_router_padding_for_quantization",
        [&] { return of(*terms.moe_router_padding_for_quantization); });
  if (holds(terms.use_transformer_engine_op_fuser))
    put("moe.use_transformer_engine_op_fuser",
        [&] { return of(*terms.use_transformer_engine_op_fuser); });
  put_capacity(terms, put);
  put_overlap(terms, again_whole, put);
}

void settle_experts(RecipeReading& reading, const RecipeRequest& request, const DataFolder& data) {
  const RecipeTerms& terms = reading.terms;
  if (!is_mixture(terms) && !changes_model(request) && !has_class_of_experts(terms, data))
    set_aside_experts(reading);
}

void settle_mamba(RecipeReading& reading, const RecipeRequest& request, const DataFolder& data) {
  const RecipeTerms& terms = reading.terms;
  const bool unused = !has_letter(terms, BlockKind::mamba) && !has_class_of_mamba(terms, data);
  if (unused && !changes_model(request)) set_aside_mamba(reading);
}

}  // namespace simtrain
