#include <array>

#include "sim/import/terms/core_rows.h"

namespace simtrain {
namespace {

constexpr Ignored kBalance{
    "routing is simulated as random; --set moe.moe_load_imbalance=X states it"};
constexpr NotSimulated kGroups{"routing to some groups of experts; all are chosen alike"};

constexpr std::array kExpertKeys{
    KeyRow{"moe_router_topk", &RecipeTerms::moe_router_topk},
    KeyRow{"moe_ffn_hidden_size", &RecipeTerms::moe_ffn_hidden_size},
    KeyRow{"moe_shared_expert_intermediate_size",
           &RecipeTerms::moe_shared_expert_intermediate_size},
    KeyRow{"moe_latent_size", &RecipeTerms::moe_latent_size},
    KeyRow{"moe_router_num_groups", &RecipeTerms::moe_router_num_groups},
    KeyRow{"moe_router_group_topk", &RecipeTerms::moe_router_group_topk},
    KeyRow{"moe_layer_freq", &RecipeTerms::moe_layer_freq},
    KeyRow{"moe_token_dispatcher_type", &RecipeTerms::moe_token_dispatcher_type},
    KeyRow{"moe_flex_dispatcher_backend", &RecipeTerms::moe_flex_dispatcher_backend},
    KeyRow{"moe_enable_deepep", &RecipeTerms::moe_enable_deepep},
    KeyRow{"moe_flex_dispatcher_num_sms", &RecipeTerms::moe_flex_dispatcher_num_sms},
    KeyRow{"moe_deepep_num_sms", &RecipeTerms::moe_deepep_num_sms},
    KeyRow{"moe_hybridep_num_sms", &RecipeTerms::moe_hybridep_num_sms},
    KeyRow{"moe_grouped_gemm", &RecipeTerms::moe_grouped_gemm},
    KeyRow{"use_transformer_engine_op_fuser", &RecipeTerms::use_transformer_engine_op_fuser},
    KeyRow{"moe_router_fusion", &RecipeTerms::moe_router_fusion},
    KeyRow{"moe_permute_fusion", &RecipeTerms::moe_permute_fusion},
    KeyRow{"moe_expert_capacity_factor", &RecipeTerms::moe_expert_capacity_factor},
    KeyRow{"moe_expert_rank_capacity_factor", &RecipeTerms::moe_expert_rank_capacity_factor},
    KeyRow{"moe_pad_expert_input_to_capacity", &RecipeTerms::moe_pad_expert_input_to_capacity},
    KeyRow{"moe_layer_recompute", &RecipeTerms::moe_layer_recompute},
    KeyRow{"moe_extended_tp", Refused{"experts split over TP and EP together are not modelled"}},
    KeyRow{"moe_shared_expert_overlap", &RecipeTerms::moe_shared_expert_overlap},
    KeyRow{"overlap_moe_expert_parallel_comm", &RecipeTerms::overlap_moe_expert_parallel_comm},
    KeyRow{"delay_wgrad_compute", &RecipeTerms::delay_wgrad_compute},
    KeyRow{"moe_token_dropping", Refused{"tokens are dropped by moe_expert_capacity_factor alone"}},
    KeyRow{"moe_router_force_biased",
           Refused{"--override without it and --set moe.moe_load_imbalance=X state an imbalance"}},
    KeyRow{"moe_router_topk_limited_devices", kGroups},
    KeyRow{"moe_router_padding_for_quantization",
           &RecipeTerms::moe_router_padding_for_quantization},
    KeyRow{"moe_router_padding_for_fp8", &RecipeTerms::moe_router_padding_for_quantization},
    KeyRow{"moe_router_force_load_balancing", kBalance},
    KeyRow{"moe_router_load_balancing_type", kBalance},
    KeyRow{"moe_aux_loss_coeff", kLearned},
    KeyRow{"moe_z_loss_coeff", kLearned},
    KeyRow{"moe_input_jitter_eps", kLearned},
    KeyRow{"moe_router_pre_softmax", &RecipeTerms::moe_router_pre_softmax},
    KeyRow{"moe_router_score_function", &RecipeTerms::moe_router_score_function},
    KeyRow{"moe_router_topk_scaling_factor", kLearned},
    KeyRow{"moe_router_enable_expert_bias", kLearned},
    KeyRow{"moe_router_bias_update_rate", kLearned},
    KeyRow{"moe_apply_probs_on_input", kLearned},
    KeyRow{"moe_shared_expert_gate", &RecipeTerms::moe_shared_expert_gate},
    KeyRow{"moe_token_drop_policy", kLearned},
    KeyRow{"moe_router_dtype", kSoftware},
    KeyRow{"moe_use_legacy_grouped_gemm", kSoftware},
    KeyRow{"moe_per_layer_logging", kOutside},
    KeyRow{"moe_use_upcycling", kOutside},
};

}  // namespace

std::span<const KeyRow> core_expert_rows() { return kExpertKeys; }

}  // namespace simtrain
