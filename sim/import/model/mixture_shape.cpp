#include "sim/import/model/mixture_shape.h"

#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sim/core/input/number_text.h"
#include "sim/import/model/layer_shape.h"

namespace simtrain {
namespace {

/// The values of `experts`, as wide as recipes may give them.
struct ExpertCounts {
  std::int64_t experts = 0;
  std::int64_t topk = 0;
  std::int64_t ffn = 0;
  std::int64_t shared = 0;
  std::int64_t latent = 0;
  std::int64_t groups = 1;
  std::int64_t group_topk = 1;
};

std::string counts_text(const ExpertCounts& counts) {
  std::string text =
      fmt::format("num_moe_experts: {}, moe_router_topk: {}, moe_ffn_hidden_size: {}",
                  counts.experts, counts.topk, counts.ffn);
  if (counts.shared > 0)
    text += fmt::format(", moe_shared_expert_intermediate_size: {}", counts.shared);
  if (counts.latent > 0) text += fmt::format(", moe_latent_size: {}", counts.latent);
  if (counts.groups > 1)
    text += fmt::format(", moe_router_num_groups: {}, moe_router_group_topk: {}", counts.groups,
                        counts.group_topk);
  return "{" + text + "}";
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
  std::string origin = fmt::format("{}", fmt::join(origins, ", "));
  if (!terms.moe_ffn_hidden_size) origin += "; of the FFN of the model";
  if (!topk) origin += "; 2 of them for a token, Megatron's default";
  const ExpertCounts counts{
      terms.num_moe_experts->value,      topk ? topk->value : kTopk, ffn,
      shared ? shared->value : 0,        latent ? latent->value : 0, groups ? groups->value : 1,
      group_topk ? group_topk->value : 1};
  return {"experts", counts_text(counts), origin, !topk};
}

}  // namespace

std::string experts_text(const ModelSpec& model) {
  if (!model.experts) return "";
  const ExpertsSpec& experts = *model.experts;
  return counts_text({experts.num_moe_experts, experts.moe_router_topk, experts.moe_ffn_hidden_size,
                      experts.moe_shared_expert_intermediate_size,
                      experts.moe_latent_size.value_or(0), experts.moe_router_num_groups,
                      experts.moe_router_group_topk});
}

bool is_mixture(const RecipeTerms& terms) {
  return terms.num_moe_experts && terms.num_moe_experts->value > 0;
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
  if (base.experts->moe_latent_size)
    default_to(terms.moe_latent_size, *base.experts->moe_latent_size, whose);
  if (base.experts->moe_router_num_groups > 1) {
    default_to(terms.moe_router_num_groups, base.experts->moe_router_num_groups, whose);
    default_to(terms.moe_router_group_topk, base.experts->moe_router_group_topk, whose);
  }
}

}  // namespace simtrain
