#include "sim/import/terms/term_findings.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sim/core/input/text_parts.h"
#include "sim/core/suggestion.h"
#include "sim/workload/model/recipe.h"

namespace simtrain {
namespace {

/// bf16, fp32 or nothing of the ways to write a type.
std::string type_of(const std::string& word) {
  if (word.find("bf16") != std::string::npos || word.find("bfloat16") != std::string::npos)
    return "bf16";
  if (word.find("32") != std::string::npos) return "fp32";
  return "";
}

template <class T>
[[noreturn]] void refuse(const Given<T>& given, const std::string& what, const std::string& hint) {
  throw InputError(given.place, given.origin, fmt::format("{} is not modelled; {}", what, hint));
}

std::string quoted(const Given<std::string>& given) {
  return fmt::format("'{}'", plain_text(given.value));
}

/// The modules of a list, "core_attn,moe" or with blanks.
std::vector<std::string> modules_in(const Given<std::string>& given) {
  const auto known = all_names<RecomputeModule>();
  std::string text = given.value;
  std::replace(text.begin(), text.end(), ' ', ',');
  std::vector<std::string> modules;
  for (const std::string_view module : split(text, ',')) {
    if (module.empty() || std::find(modules.begin(), modules.end(), module) != modules.end())
      continue;
    if (std::find(known.begin(), known.end(), module) == known.end())
      refuse(given, quoted(given),
             fmt::format("--set recompute_modules=[...] takes some of {}", fmt::join(known, ", ")));
    modules.emplace_back(module);
  }
  return modules;
}

/// Every which layer of a chunk is to be taken for as many as the first N; 0 where none gives so
/// many.
std::int64_t distance_of_block(std::int64_t first, std::int64_t layers_of_chunk) {
  if (first < 1 || first >= layers_of_chunk) return 0;
  const std::int64_t distance = layers_of_chunk / first;
  return layers_of_chunk / distance == first ? distance : 0;
}

/// The first layers of each chunk of a pipeline stage: all of them, or none, or, in place of the
/// first, as many with a distance between them.
Finding block_recompute(const RecipeTerms& terms, std::int64_t layers_of_chunk,
                        const std::string& hint) {
  const Given<std::string>& method = *terms.recompute_method;
  const std::int64_t first = terms.recompute_num_layers ? terms.recompute_num_layers->value : 0;
  const std::string origin =
      fmt::format("{}: {} layers of the {} of a chunk", method.origin, first, layers_of_chunk);
  if (first == 0) return {"", "none", origin};
  if (layers_of_chunk > 0 && first >= layers_of_chunk) return {"", "full", origin};
  if (distance_of_block(first, layers_of_chunk) > 0)
    return {"", "full", origin + ", as many with a distance between them", true, true};
  refuse(method,
         layers_of_chunk == 0
             ? "the method 'block'"
             : fmt::format("recompute of {} layers of the {} of a chunk", first, layers_of_chunk),
         hint);
}

/// Of all layers. Where a recipe keeps the input of every N-th only, the inputs between them count
/// in memory nevertheless.
Finding full_recompute(const RecipeTerms& terms, const Given<std::string>& given) {
  const WholeTerm& group = terms.recompute_num_layers;
  if (!group || group->value < 2) return {"", "full", given.origin, given.assumed};
  return {"", "full",
          fmt::format("{}, inputs of all layers kept, not of every {}-th as {} has it",
                      given.origin, group->value, group->origin),
          true, true};
}

Finding typed_gradients(const Given<std::string>& given) {
  const std::string type = type_of(given.value);
  if (type.empty())
    refuse(given, "a gradient buffer of " + quoted(given),
           "--set optimizer.grad_reduce_dtype=bf16 or fp32 would do");
  return {"", type, given.origin, given.assumed};
}

/// Megatron's `fp8_recipe` and `fp4_recipe`, and the precisions that they are here.
constexpr std::array kScalingRecipes{
    std::pair<std::string_view, Precision>{"delayed", Precision::fp8},
    std::pair<std::string_view, Precision>{"tensorwise", Precision::fp8_cs},
    std::pair<std::string_view, Precision>{"mxfp8", Precision::fp8_mx},
    std::pair<std::string_view, Precision>{"blockwise", Precision::fp8_sc},
    std::pair<std::string_view, Precision>{"nvfp4", Precision::nvfp4},
    std::pair<std::string_view, Precision>{"rowwise", Precision::fp8_rowwise}};

/// Whether a format of narrow numbers is given and not switched off.
bool is_narrow(const WordTerm& format) {
  const std::string word = lower_case(format ? format->value : "");
  return !word.empty() && word != "false" && word != "none" && word != "0";
}

/// The precision of a format whose recipe is given, or of `usual` without one.
Finding scaled_by(const Given<std::string>& format, const WordTerm& recipe, Precision usual,
                  const std::string& hint) {
  if (!recipe) return {"", std::string(name_of(usual)), format.origin, format.assumed};
  for (const auto& [name, precision] : kScalingRecipes) {
    if (recipe->value == name)
      return {"", std::string(name_of(precision)), recipe->origin, recipe->assumed};
  }
  refuse(*recipe, "FP8 by " + quoted(*recipe), hint);
}

/// FP16 of the ways to write it: fp16-mixed, 16-true, amp_fp16, float16, half.
bool is_half(const std::string& word) {
  const bool other = word.find("bf") != std::string::npos || word.find("fp8") != std::string::npos;
  return !other && (word.find("16") != std::string::npos || word == "half");
}

/// Tensors of FP16 have the bytes of BF16, and tensor cores multiply both at one rate.
template <class T>
Finding half(const Given<T>& given) {
  return {"", "bf16",
          given.origin + ": FP16, as BF16, without the checks for overflow of loss scaling",
          given.assumed, true};
}

}  // namespace

Finding of(const Given<std::string>& given) {
  return {"", given.value, given.origin, given.assumed};
}

Finding of(const Given<bool>& given) {
  return {"", given.value ? "true" : "false", given.origin, given.assumed};
}

Finding of(const Given<std::int64_t>& given) {
  return {"", std::to_string(given.value), given.origin, given.assumed};
}

Finding off() { return {"", "false", "default of the framework", true}; }

Finding named_file(const DataFolder& data, std::string_view family, const std::string& name,
                   const std::string& option) {
  const std::vector<std::string> known = data.names(family);
  if (std::find(known.begin(), known.end(), name) == known.end()) {
    throw InputError({}, option,
                     fmt::format("'{}' is not known here; {}", plain_text(name.substr(0, 80)),
                                 suggestion(name, known)));
  }
  return {"", name, option};
}

bool holds(const FlagTerm& term) { return term && term->value; }

bool is_mixture(const RecipeTerms& terms) {
  return terms.num_moe_experts && terms.num_moe_experts->value > 0;
}

Finding precision_of(const RecipeTerms& terms, const SourcePlace& recipe) {
  constexpr std::string_view kHint =
      "--set training.precision=NAME, one of simtrain list precisions, would do";
  const std::string hint(kHint);
  if (holds(terms.fp16)) return half(*terms.fp16);
  if (is_narrow(terms.fp4)) return scaled_by(*terms.fp4, terms.fp4_recipe, Precision::nvfp4, hint);
  if (is_narrow(terms.fp8)) return scaled_by(*terms.fp8, terms.fp8_recipe, Precision::fp8, hint);
  if (holds(terms.bf16)) return {"", "bf16", terms.bf16->origin, terms.bf16->assumed};
  if (!terms.precision) {
    throw InputError(recipe, "training.precision",
                     fmt::format("is not given in the recipe; {}, --defaults takes bf16", kHint));
  }
  if (is_half(terms.precision->value)) return half(*terms.precision);
  if (type_of(terms.precision->value) != "bf16")
    refuse(*terms.precision, quoted(*terms.precision), std::string(kHint));
  return {"", "bf16", terms.precision->origin, terms.precision->assumed};
}

std::optional<std::string_view> scaling_recipe(Precision precision) {
  for (const auto& [name, known] : kScalingRecipes) {
    if (known == precision && precision != Precision::fp8_rowwise) return name;  // torchao's alone
  }
  return std::nullopt;
}

Finding distributed_of(const RecipeTerms& terms) {
  if (terms.use_distributed_optimizer) return of(*terms.use_distributed_optimizer);
  if (!terms.optimizer) return off();
  const bool distributed = terms.optimizer->value.find("distributed") != std::string::npos;
  return {"", distributed ? "true" : "false", terms.optimizer->origin};
}

Finding gradient_type_of(const RecipeTerms& terms) {
  if (terms.grad_reduce_dtype) return typed_gradients(*terms.grad_reduce_dtype);
  if (terms.grad_reduce_in_fp32) {
    const auto& given = *terms.grad_reduce_in_fp32;
    return {"", given.value ? "fp32" : "bf16", given.origin, given.assumed};
  }
  if (holds(terms.grad_reduce_in_bf16)) return {"", "bf16", terms.grad_reduce_in_bf16->origin};
  if (terms.optimizer_dtype) return typed_gradients(*terms.optimizer_dtype);
  return {"", "fp32", "default of the framework", true};
}

Finding recompute_of(const RecipeTerms& terms, std::int64_t layers_of_chunk) {
  const std::string hint =
      "--set recompute=none, selective (some modules) or full (each layer) would do";
  if (terms.recompute && terms.recompute->value == "full")
    return full_recompute(terms, *terms.recompute);
  if (terms.recompute)
    return {"", terms.recompute->value, terms.recompute->origin, terms.recompute->assumed};
  if (!terms.recompute_granularity) {
    if (holds(terms.moe_layer_recompute))
      return {"", "selective", terms.moe_layer_recompute->origin};
    return {"", "none", "not in the recipe"};
  }
  const Given<std::string>& given = *terms.recompute_granularity;
  if (given.value == "selective") return {"", "selective", given.origin};
  if (given.value != "full") refuse(given, quoted(given), hint);
  if (terms.recompute_method && terms.recompute_method->value == "block")
    return block_recompute(terms, layers_of_chunk, hint);
  if (terms.recompute_method && terms.recompute_method->value != "uniform")
    refuse(*terms.recompute_method, "the method " + quoted(*terms.recompute_method), hint);
  return full_recompute(terms, given);
}

std::optional<Finding> recompute_distance_of(const RecipeTerms& terms,
                                             std::int64_t layers_of_chunk) {
  if (terms.recompute_every_nth_layer) return of(*terms.recompute_every_nth_layer);
  const bool block = terms.recompute_method && terms.recompute_method->value == "block";
  if (!block || terms.recompute || !terms.recompute_num_layers) return std::nullopt;
  const Given<std::int64_t>& first = *terms.recompute_num_layers;
  const std::int64_t distance = distance_of_block(first.value, layers_of_chunk);
  if (distance < 2) return std::nullopt;
  return Finding{"", std::to_string(distance),
                 fmt::format("{} {} of {} layers", first.origin, first.value, layers_of_chunk)};
}

bool has_recompute_modules(const RecipeTerms& terms) {
  return terms.recompute_modules || holds(terms.moe_layer_recompute);
}

Finding recompute_modules_of(const RecipeTerms& terms) {
  std::vector<std::string> modules;
  std::string origin;
  if (terms.recompute_modules) {
    modules = modules_in(*terms.recompute_modules);
    origin = terms.recompute_modules->origin;
  } else if (terms.recompute_granularity) {
    modules.emplace_back(name_of(RecomputeModule::core_attn));
    origin = terms.recompute_granularity->origin;
  }
  const std::string moe(name_of(RecomputeModule::moe));
  if (holds(terms.moe_layer_recompute) &&
      std::find(modules.begin(), modules.end(), moe) == modules.end()) {
    modules.push_back(moe);
    origin += (origin.empty() ? "" : ", ") + terms.moe_layer_recompute->origin;
  }
  return {"", fmt::format("[{}]", fmt::join(modules, ", ")), origin};
}

Finding cuda_graphs_of(const RecipeTerms& terms) {
  Finding graphs = off();
  if (terms.cuda_graph_impl) {
    graphs = {"", terms.cuda_graph_impl->value != "none" ? "true" : "false",
              terms.cuda_graph_impl->origin, terms.cuda_graph_impl->assumed};
  } else if (terms.enable_cuda_graph) {
    graphs = of(*terms.enable_cuda_graph);
  }
  const bool parts = terms.cuda_graph_scope && !terms.cuda_graph_scope->value.empty() &&
                     !terms.cuda_graph_scope->value.starts_with("full");
  if (graphs.value == "true" && parts && is_mixture(terms))
    return {"", "false",
            terms.cuda_graph_scope->origin + ": graphs of parts of a layer, none of its experts",
            true, true};
  if (graphs.value == "true" && parts)
    return {"", "true",
            terms.cuda_graph_scope->origin + ": graphs of parts of a layer, taken for those of all",
            true, true};
  return graphs;
}

}  // namespace simtrain
