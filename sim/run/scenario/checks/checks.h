#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "sim/run/scenario/scenario.h"

namespace simtrain {

/// Sizes whose products stay far inside 64 bits.
inline constexpr double kMostParameters = 1e15;

/// Throws InputError at the place of `key`.
[[noreturn]] void refuse(const YamlNode& tree, std::string_view key, std::string_view sentence);

/// Refuses where something does not hold. A search checks a plan in microseconds, so that a
/// sentence with values is made only where it is needed.
inline void require(bool holds, const YamlNode& tree, std::string_view key,
                    std::string_view sentence) {
  if (!holds) refuse(tree, key, sentence);
}
template <class First, class... Rest>
void require(bool holds, const YamlNode& tree, std::string_view key,
             fmt::format_string<First, Rest...> sentence, First&& first, Rest&&... rest) {
  if (holds) return;
  refuse(tree, key, fmt::format(sentence, std::forward<First>(first), std::forward<Rest>(rest)...));
}
/// One of a list is told once in it.
template <Named E>
void require_once(const std::vector<E>& told, E one, const YamlNode& tree, std::string_view key) {
  require(std::count(told.begin(), told.end(), one) == 1, tree, key,
          "has {} more than once; once would do", name_of(one));
}
void divides(std::int64_t divisor, std::int64_t number, const YamlNode& tree, std::string_view key,
             std::string_view what);

/// GPUs of a TP group that overlaps its communication with GEMMs, at most: user buffers and
/// symmetric memory are memory of other GPUs, which NVLink reaches.
int most_overlapping(const NodeSpec& node);

/// A model's blocks and sizes. Returns its parameters in all.
double check_model(const ModelSpec& model, const YamlNode& tree);

/// How a model, of `parameters` in all, divides over tensor and context parallelism.
void check_model_cuts(const Recipe& recipe, double parameters, const YamlNode& tree);

/// Experts divide over EP and ETP, and these over the ranks of a stage.
void check_experts(const Scenario& scenario, const YamlNode& tree);

/// Adapters, and what a recipe that trains them alone cannot have; documents fit their sequences.
void check_fine_tuning(const Recipe& recipe, const YamlNode& tree);

/// The shapes that a pipeline schedule runs, and what else of a recipe goes with it.
void check_schedule(const Recipe& recipe, std::int64_t micro_batches, const YamlNode& tree);

/// What is offloaded exists, and nothing else of a recipe is in its way.
void check_offload(const Scenario& scenario, const YamlNode& tree);

/// Modules that selective recompute is told are told once, and at least one is the model's; others
/// are passed over, as frameworks do, whose recipes serve several models.
void check_recompute(const Recipe& recipe, const YamlNode& tree);

/// Types of gradients and of the optimizer's state, and who updates in them.
void check_optimizer(const Recipe& recipe, const YamlNode& tree);

/// A sharding's needs, and that its replicas divide the ranks of DP x CP.
void check_sharding(const Scenario& scenario, const YamlNode& tree);

}  // namespace simtrain
