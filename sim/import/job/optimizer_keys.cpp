#include "sim/import/job/optimizer_keys.h"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "sim/core/input/input_error.h"
#include "sim/import/terms/term_findings.h"
#include "sim/workload/model/optimizer_spec.h"

namespace simtrain {
namespace {

/// Words of PyTorch and of command lines, and the names of the types here.
constexpr std::array kStateWords{std::pair<std::string_view, std::string_view>{"float32", "fp32"},
                                 std::pair<std::string_view, std::string_view>{"bfloat16", "bf16"},
                                 std::pair<std::string_view, std::string_view>{"float16", "fp16"},
                                 std::pair<std::string_view, std::string_view>{"uint8", "fp8"}};

Finding state_type(const Given<std::string>& given, const std::string& key) {
  std::string_view word = given.value;
  if (word.starts_with("torch.")) word.remove_prefix(6);
  for (const auto& [theirs, ours] : kStateWords) {
    if (word == theirs || word == ours) return {"", std::string(ours), given.origin, given.assumed};
  }
  throw InputError(given.place, given.origin,
                   fmt::format("'{}' is no type of optimizer state; --set {}=fp32, bf16, fp16 or "
                               "fp8 would do",
                               given.value, key));
}

}  // namespace

std::string torch_type(std::string_view type) {
  const auto row = std::find_if(kStateWords.begin(), kStateWords.end(),
                                [&](const auto& words) { return words.second == type; });
  if (row == kStateWords.end())
    throw std::invalid_argument(fmt::format("'{}' is no type of optimizer state", type));
  return fmt::format("torch.{}", row->first);
}

void put_optimizer_state(const RecipeTerms& terms, const PutFinding& put) {
  const std::string o = "optimizer.";
  const bool precise = holds(terms.use_precision_aware_optimizer);
  const auto put_flag = [&](const char* name, const FlagTerm& term) {
    if (precise && term) put(o + name, [&] { return of(*term); });
  };
  const auto put_type = [&](const char* name, const WordTerm& term) {
    if (!term) return;
    Finding found = state_type(*term, o + name);
    if (precise || found.value != name_of(StateType::fp32)) put(o + name, [&] { return found; });
  };
  put_flag("use_precision_aware_optimizer", terms.use_precision_aware_optimizer);
  put_flag("store_param_remainders", terms.store_param_remainders);
  put_type("main_params_dtype", terms.main_params_dtype);
  put_type("exp_avg_dtype", terms.exp_avg_dtype);
  put_type("exp_avg_sq_dtype", terms.exp_avg_sq_dtype);
}

}  // namespace simtrain
