#include "sim/import/terms/term_findings.h"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

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

Finding typed_gradients(const Given<std::string>& given) {
  const std::string type = type_of(given.value);
  if (type.empty())
    refuse(given, "a gradient buffer of " + quoted(given),
           "--set optimizer.grad_reduce_dtype=bf16 or fp32 would do");
  return {"", type, given.origin, given.assumed};
}

}  // namespace

Finding of(const Given<bool>& given) {
  return {"", given.value ? "true" : "false", given.origin, given.assumed};
}

Finding of(const Given<std::int64_t>& given) {
  return {"", std::to_string(given.value), given.origin, given.assumed};
}

Finding off() { return {"", "false", "default of the framework", true}; }

bool holds(const FlagTerm& term) { return term && term->value; }

Finding precision_of(const RecipeTerms& terms, const SourcePlace& recipe) {
  constexpr std::string_view kHint =
      "--set training.precision=bf16 or fp8 (delayed scaling) would do";
  std::string fp8 = terms.fp8 ? terms.fp8->value : "";
  std::transform(fp8.begin(), fp8.end(), fp8.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (!fp8.empty() && fp8 != "false" && fp8 != "none" && fp8 != "0") {
    if (terms.fp8_recipe && terms.fp8_recipe->value != "delayed")
      refuse(*terms.fp8_recipe, "FP8 by " + quoted(*terms.fp8_recipe), std::string(kHint));
    return {"", "fp8", terms.fp8->origin, terms.fp8->assumed};
  }
  if (holds(terms.bf16)) return {"", "bf16", terms.bf16->origin, terms.bf16->assumed};
  if (!terms.precision) {
    throw InputError(recipe, "training.precision",
                     fmt::format("is not given in the recipe; {}", kHint));
  }
  if (type_of(terms.precision->value) != "bf16")
    refuse(*terms.precision, quoted(*terms.precision), std::string(kHint));
  return {"", "bf16", terms.precision->origin, terms.precision->assumed};
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

Finding recompute_of(const RecipeTerms& terms) {
  const std::string hint =
      "--set recompute=none, selective (the attention core) or full (each layer) would do";
  if (!terms.recompute_granularity) return {"", "none", "not in the recipe"};
  const Given<std::string>& given = *terms.recompute_granularity;
  if (given.value == "selective") {
    if (terms.recompute_modules && terms.recompute_modules->value != "core_attn")
      refuse(*terms.recompute_modules, quoted(*terms.recompute_modules), hint);
    return {"", "selective", given.origin};
  }
  if (given.value != "full") refuse(given, quoted(given), hint);
  if (terms.recompute_method && terms.recompute_method->value != "uniform")
    refuse(*terms.recompute_method, "the method " + quoted(*terms.recompute_method), hint);
  if (terms.recompute_num_layers && terms.recompute_num_layers->value != 1)
    refuse(*terms.recompute_num_layers, "keeping the input of every N-th layer only", hint);
  return {"", "full", given.origin};
}

}  // namespace simtrain
