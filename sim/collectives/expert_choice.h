#pragma once

#include <cstdint>

namespace simtrain {

/// Which experts of a layer a token passes: `topk` distinct ones of `experts`, any as likely as the
/// others. With groups (Megatron core's moe_router_num_groups; node-limited routing of DeepSeek-V3,
/// arXiv 2412.19437) first `group_topk` of `groups` equal groups, then experts of these alone.
struct ExpertChoice {
  std::int64_t experts = 0;
  std::int64_t topk = 0;
  std::int64_t groups = 1;
  std::int64_t group_topk = 1;
};

/// How many of `places` equal parts of the experts (ranks, NVLink domains) hold one that a token
/// passes, in the mean. Without groups places (1 - C(experts - experts/places, topk) /
/// C(experts, topk)). Groups count where places divide them or they divide places.
double distinct_places(const ExpertChoice& choice, std::int64_t places);

/// Variance of the rows that one of `places` equal parts gets of `tokens` tokens.
double rows_variance(const ExpertChoice& choice, double tokens, std::int64_t places);

}  // namespace simtrain
