#pragma once

#include <string>
#include <vector>

#include "sim/study/what_if/explain.h"

namespace simtrain {

/// One value that a knob may be set to, by settings as `--set` takes them.
struct Alternative {
  std::string to;
  std::vector<std::string> settings;
};

/// A question of what if: the first alternative that makes a legal scenario answers it.
struct Change {
  ChangeKind kind{};
  std::string name;
  std::string from;
  std::vector<Alternative> ladder;
  std::vector<NumberOverride> numbers;
};

/// The knobs of a recipe, each with its nearest values up and, as another change, down: TP, PP, VP,
/// CP, micro-batch, precision, recompute, overlap switches, NVLS, CUDA graphs, placement.
std::vector<Change> knob_changes(const Scenario& scenario);

/// What the step would be without stragglers, overlap slowdown, power limit, network latency; with
/// an ideal network; with twice the memory bandwidth.
std::vector<Change> cost_changes(const DataFolder& data, const Scenario& scenario);

}  // namespace simtrain
