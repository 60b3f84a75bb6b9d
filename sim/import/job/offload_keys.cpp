#include "sim/import/job/offload_keys.h"

#include <fmt/format.h>

#include "sim/import/terms/term_findings.h"
#include "sim/workload/model/offload_spec.h"

namespace simtrain {
namespace {

/// Words that a list or a string of a recipe holds, with commas or blanks between them.
Finding modules_of(const Given<std::string>& given) {
  std::string list = given.value;
  for (char& c : list) {
    if (c == ' ') c = ',';
  }
  return {"", fmt::format("[{}]", list), given.origin, given.assumed};
}

/// Megatron's script has no flag for it: layers say that they are offloaded.
bool offloads_layers(const RecipeTerms& terms) {
  const WholeTerm& layers = terms.cpu_offloading_num_layers;
  return terms.cpu_offloading ? holds(terms.cpu_offloading) : layers && layers->value > 0;
}

}  // namespace

void put_offload(const RecipeTerms& terms, const PutFinding& put) {
  const std::string o = "offload.";
  const auto put_flag = [&](const char* key, const FlagTerm& term) {
    if (holds(term)) put(o + key, [&] { return of(*term); });
  };
  if (offloads_layers(terms)) {
    const WholeTerm& layers = terms.cpu_offloading_num_layers;
    const std::string& origin =
        terms.cpu_offloading ? terms.cpu_offloading->origin : layers->origin;
    put(o + "cpu_offloading", [&]() -> Finding { return {"", "true", origin}; });
    if (layers) put(o + "cpu_offloading_num_layers", [&] { return of(*layers); });
  }
  put_flag("fine_grained_activation_offloading", terms.fine_grained_activation_offloading);
  if (holds(terms.fine_grained_activation_offloading) && terms.offload_modules)
    put(o + "offload_modules", [&] { return modules_of(*terms.offload_modules); });
  const FlagTerm& optimizer =
      holds(terms.offload_state) ? terms.offload_state : terms.optimizer_cpu_offload;
  put_flag("optimizer_cpu_offload", optimizer);
  if (holds(optimizer) && terms.optimizer_offload_fraction)
    put(o + "optimizer_offload_fraction", [&]() -> Finding {
      const Given<double>& fraction = *terms.optimizer_offload_fraction;
      return {"", fmt::format("{}", fraction.value), fraction.origin};
    });
  if (holds(optimizer))
    put_flag("overlap_cpu_optimizer_d2h_h2d", terms.overlap_cpu_optimizer_d2h_h2d);
  put_flag("offload_param", holds(terms.offload_state) ? terms.offload_state : terms.offload_param);
}

}  // namespace simtrain
