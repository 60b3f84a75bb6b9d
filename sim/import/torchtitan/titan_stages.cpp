#include "sim/import/torchtitan/titan_stages.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "sim/import/job/virtual_stages.h"
#include "sim/import/model/named_model.h"
#include "sim/import/terms/term_findings.h"

namespace simtrain {
namespace {

constexpr std::int64_t kMostLayers = 4096;

/// Chunks of the whole pipeline; 0 where they cannot be dealt to the stages.
std::int64_t chunks_of(const RecipeTerms& terms, std::int64_t counted) {
  const std::int64_t stages = terms.pipeline_model_parallel_size->value;
  if (terms.layers_per_virtual_stage) {
    const std::int64_t each = std::max<std::int64_t>(1, terms.layers_per_virtual_stage->value);
    const std::int64_t chunks = (counted + each - 1) / each;
    return chunks % stages == 0 ? chunks : 0;
  }
  const WholeTerm& virtual_stages = terms.virtual_pipeline_model_parallel_size;
  return stages * (virtual_stages ? virtual_stages->value : 1);
}

}  // namespace

void settle_titan_stages(RecipeTerms& terms, const RecipeRequest& request, const DataFolder& data) {
  const WholeTerm& stages = terms.pipeline_model_parallel_size;
  if (!stages || stages->value < 2 || stages->value > kMostLayers) return;
  const std::string& schedule = terms.pipeline_schedule->value;
  if (schedule != "1f1b" && schedule != "interleaved") return;
  FlagTerm& first = terms.account_for_embedding_in_pipeline_split;
  FlagTerm& last = terms.account_for_loss_in_pipeline_split;
  const std::int64_t before = !first || first->value ? 1 : 0;
  const std::int64_t behind = !last || last->value ? 1 : 0;
  const std::int64_t layers = layers_of_recipe(terms, request, data).layers;
  if (layers < 1 || layers > kMostLayers) return;
  const std::int64_t counted = layers + before + behind;
  const std::int64_t chunks = chunks_of(terms, counted);
  if (chunks < 2 || chunks > layers) return;
  if (!first && !last && layers % chunks == 0) return;
  const std::string whose = fmt::format("torchtitan's split of {} layers", layers);
  if (counted % chunks == 0) {
    default_to(first, before == 1, whose);
    default_to(last, behind == 1, whose);
    return;
  }
  std::vector<std::int64_t> dealt(static_cast<std::size_t>(chunks), counted / chunks);
  std::for_each_n(dealt.begin(), counted % chunks, [](std::int64_t& count) { ++count; });
  dealt.front() -= before;
  dealt.back() -= behind;
  if (std::min(dealt.front(), dealt.back()) < 1) return;
  first.reset();
  last.reset();
  terms.layers_per_virtual_stage.reset();
  terms.pipeline_model_parallel_layout = Given<std::string>{layout_of(dealt, 0), whose, true, {}};
}

}  // namespace simtrain
