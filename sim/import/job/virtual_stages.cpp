#include "sim/import/job/virtual_stages.h"

#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

#include "sim/import/terms/term_findings.h"
#include "sim/workload/schedule/pipeline_layout.h"

namespace simtrain {
namespace {

template <class T>
[[noreturn]] void refuse_at(const Given<T>& given, const SourcePlace& recipe,
                            const std::string& sentence) {
  throw InputError(given.place.file.empty() ? recipe : given.place, given.origin, sentence);
}

/// The key of an origin that is written as an option.
std::string key_of(std::string origin) {
  if (!origin.starts_with("--")) return origin;
  std::replace(origin.begin(), origin.end(), '-', '_');
  return origin.substr(2);
}

/// As many as the layout has for each rank; one that cannot be is refused by the check of the
/// whole.
Finding stages_of_layout(const Given<std::string>& layout, std::int64_t pp,
                         const SourcePlace& recipe) {
  try {
    const auto stages = static_cast<std::int64_t>(chunks_of_layout(layout.value).size());
    return {"", std::to_string(std::max<std::int64_t>(1, stages / std::max<std::int64_t>(1, pp))),
            layout.origin + ", stages over PP"};
  } catch (const std::invalid_argument& refusal) {
    refuse_at(layout, recipe,
              fmt::format("{}; --override \"~{}\" deals the layers out evenly", refusal.what(),
                          key_of(layout.origin)));
  }
}

}  // namespace

Finding virtual_stages_of(const RecipeTerms& terms, std::int64_t layers, std::int64_t pp,
                          const SourcePlace& recipe) {
  if (terms.pipeline_model_parallel_layout)
    return stages_of_layout(*terms.pipeline_model_parallel_layout, pp, recipe);
  if (terms.virtual_pipeline_model_parallel_size)
    return of(*terms.virtual_pipeline_model_parallel_size);
  if (!terms.layers_per_virtual_stage) return {"", "1", "not interleaved", false};
  const Given<std::int64_t>& given = *terms.layers_per_virtual_stage;
  const std::int64_t all = terms.num_layers ? terms.num_layers->value : layers;
  const std::int64_t counted = all +
                               (holds(terms.account_for_embedding_in_pipeline_split) ? 1 : 0) +
                               (holds(terms.account_for_loss_in_pipeline_split) ? 1 : 0);
  const std::int64_t chunk = given.value > 0 ? given.value : 1;
  if (chunk > 1000000 || counted == 0 || counted % (pp * chunk) != 0) {
    refuse_at(given, recipe,
              fmt::format("{} layers a virtual stage do not divide {} layers over PP {}",
                          given.value, counted, pp));
  }
  return {"", std::to_string(counted / pp / chunk), given.origin + ", layers over PP over it"};
}

}  // namespace simtrain
