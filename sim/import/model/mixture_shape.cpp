#include "sim/import/model/mixture_shape.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sim/core/enum_names.h"
#include "sim/core/input/number_text.h"
#include "sim/import/model/layer_shape.h"
#include "sim/import/terms/term_findings.h"

namespace simtrain {
namespace {

/// The values of `experts`, as wide as recipes may give them.
struct ExpertCounts {
  std::int64_t experts = 0;
  std::int64_t topk = 0;
  std::int64_t ffn = 0;
  std::int64_t shared = 0;
  bool shared_gate = false;
  std::int64_t latent = 0;
  std::int64_t groups = 1;
  std::int64_t group_topk = 1;
  std::string score{};  ///< of the router; empty: not said
  bool pre_softmax = false;
};

constexpr std::string_view kScore = ", moe_router_score_function: ";
constexpr std::string_view kPreSoftmax = ", moe_router_pre_softmax: true";

std::string counts_text(const ExpertCounts& counts) {
  std::string text =
      fmt::format("num_moe_experts: {}, moe_router_topk: {}, moe_ffn_hidden_size: {}",
                  counts.experts, counts.topk, counts.ffn);
  if (counts.shared > 0)
    text += fmt::format(", moe_shared_expert_intermediate_size: {}", counts.shared);
  if (counts.shared_gate) text += ", moe_shared_expert_gate: true";
  if (counts.latent > 0) text += fmt::format(", moe_latent_size: {}", counts.latent);
  if (counts.groups > 1)
    text += fmt::format(", moe_router_num_groups: {}, moe_router_group_topk: {}", counts.groups,
                        counts.group_topk);
  if (!counts.score.empty()) text += std::string(kScore) + counts.score;
  if (counts.pre_softmax) text += kPreSoftmax;
  return "{" + text + "}";
}

/// A softmax, which is the default, is not said. Throws InputError at a function that Megatron has
/// not.
std::string score_of(const WordTerm& term) {
  if (!term) return "";
  std::vector<std::string_view> names;
  for (const auto& row : EnumNames<RouterScore>::rows) {
    if (row.first == term->value) return row.second == RouterScore::softmax ? "" : term->value;
    names.push_back(row.first);
  }
  throw InputError(term->place, term->origin,
                   fmt::format("'{}' is not modelled; one of {} would do",
                               plain_text(term->value.substr(0, 80)), fmt::join(names, ", ")));
}

/// The text of experts without what their router does, and that.
std::pair<std::string_view, std::string_view> split_router(std::string_view text) {
  const std::size_t at = std::min(text.find(kScore), text.find(kPreSoftmax));
  if (at == std::string_view::npos) return {text.substr(0, text.rfind('}')), ""};
  return {text.substr(0, at), text.substr(at)};
}

/// The FFN of an expert: the recipe's, or that of the model.
std::optional<std::int64_t> ffn_of_experts(const std::vector<Finding>& shape,
                                           const RecipeTerms& terms) {
  if (terms.moe_ffn_hidden_size) return terms.moe_ffn_hidden_size->value;
  for (const Finding& finding : shape) {
    if (finding.key == "ffn_hidden_size") return number_as<std::int64_t>(finding.value);
  }
  return std::nullopt;
}

Finding experts_of(std::int64_t ffn, const RecipeTerms& terms) {
  constexpr std::int64_t kTopk = 2;
  const WholeTerm& topk = terms.moe_router_topk;
  const WholeTerm& shared = terms.moe_shared_expert_intermediate_size;
  const WholeTerm& latent = terms.moe_latent_size;
  const WholeTerm& groups = terms.moe_router_num_groups;
  const WholeTerm& group_topk = terms.moe_router_group_topk;
  std::vector<std::string> origins;
  for (const WholeTerm& term : {terms.num_moe_experts, topk, terms.moe_ffn_hidden_size, shared,
                                latent, groups, group_topk}) {
    if (term && !term->assumed) origins.push_back(term->origin);
  }
  const bool gated = holds(terms.moe_shared_expert_gate);
  const WordTerm& score = terms.moe_router_score_function;
  if (score && !score->assumed) origins.push_back(score->origin);
  const bool before = holds(terms.moe_router_pre_softmax);
  if (before && !terms.moe_router_pre_softmax->assumed)
    origins.push_back(terms.moe_router_pre_softmax->origin);
  std::string origin = fmt::format("{}", fmt::join(origins, ", "));
  if (!terms.moe_ffn_hidden_size) origin += "; of the FFN of the model";
  if (!topk) origin += "; 2 of them for a token, Megatron's default";
  const ExpertCounts counts{terms.num_moe_experts->value,
                            topk ? topk->value : kTopk,
                            ffn,
                            shared ? shared->value : 0,
                            gated,
                            latent ? latent->value : 0,
                            groups ? groups->value : 1,
                            group_topk ? group_topk->value : 1,
                            score_of(score),
                            before};
  return {"experts", counts_text(counts), origin, !topk};
}

}  // namespace

std::string experts_text(const ModelSpec& model) {
  if (!model.experts) return "";
  const ExpertsSpec& experts = *model.experts;
  return counts_text({experts.num_moe_experts, experts.moe_router_topk, experts.moe_ffn_hidden_size,
                      experts.moe_shared_expert_intermediate_size, experts.moe_shared_expert_gate,
                      experts.moe_latent_size.value_or(0), experts.moe_router_num_groups,
                      experts.moe_router_group_topk,
                      experts.moe_router_score_function == RouterScore::softmax
                          ? ""
                          : std::string(name_of(experts.moe_router_score_function)),
                      experts.moe_router_pre_softmax});
}

bool has_experts_of(std::string_view recipe, std::string_view model) {
  const auto [counts, router] = split_router(recipe);
  const auto [known_counts, known_router] = split_router(model);
  return counts == known_counts && (router.empty() || router == known_router);
}

void add_experts(std::vector<Finding>& shape, const RecipeTerms& terms) {
  const bool without = terms.hybrid_override_pattern && !has_letter(terms, BlockKind::moe);
  if (!is_mixture(terms) || without) return;
  if (const auto ffn = ffn_of_experts(shape, terms)) shape.push_back(experts_of(*ffn, terms));
}

void complete_experts(RecipeTerms& terms, const ModelSpec& base, const std::string& whose) {
  if (!base.experts) return;
  default_to(terms.num_moe_experts, base.experts->num_moe_experts, whose);
  default_to(terms.moe_router_topk, base.experts->moe_router_topk, whose);
  default_to(terms.moe_ffn_hidden_size, base.experts->moe_ffn_hidden_size, whose);
  default_to(terms.moe_shared_expert_intermediate_size,
             base.experts->moe_shared_expert_intermediate_size, whose);
  if (base.experts->moe_shared_expert_gate) default_to(terms.moe_shared_expert_gate, true, whose);
  if (base.experts->moe_latent_size)
    default_to(terms.moe_latent_size, *base.experts->moe_latent_size, whose);
  if (base.experts->moe_router_num_groups > 1) {
    default_to(terms.moe_router_num_groups, base.experts->moe_router_num_groups, whose);
    default_to(terms.moe_router_group_topk, base.experts->moe_router_group_topk, whose);
  }
  if (base.experts->moe_router_score_function != RouterScore::softmax)
    default_to(terms.moe_router_score_function,
               std::string(name_of(base.experts->moe_router_score_function)), whose);
  if (base.experts->moe_router_pre_softmax) default_to(terms.moe_router_pre_softmax, true, whose);
}

}  // namespace simtrain
