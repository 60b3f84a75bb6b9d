#include "sim/run/figures/training_metrics_tables.h"

#include <array>

namespace simtrain {
namespace {

constexpr std::array<TrainingMetricsModel, 10> kModels{{{"gpt3-5b", 6.69e13},
                                                        {"gpt3-175b", 2.2e15},
                                                        {"llama2-7b", 1.89e14},
                                                        {"llama2-70b", 1.82e15},
                                                        {"llama3-70b", 3.94e15},
                                                        {"llama3.1-70b", 3.9129e15, 80, 8192},
                                                        {"llama3.1-8b", 4.74e14, 32, 8192},
                                                        {"llama3.1-405b", 2.16533e16, 126, 8192},
                                                        {"mixtral-7b", 3.4e14},
                                                        {"mixtral-8x7b", 3.4e14}}};

constexpr std::array<TrainingMetricsAccelerator, 6> kAccelerators{{{"h100", 989, 1978},
                                                                   {"h200", 989, 1978},
                                                                   {"b200", 2250, 4500},
                                                                   {"a100", 312, 0},
                                                                   {"v5e", 197, 0},
                                                                   {"v5p", 459, 0}}};

}  // namespace

std::span<const TrainingMetricsModel> training_metrics_models() { return kModels; }
std::span<const TrainingMetricsAccelerator> training_metrics_accelerators() {
  return kAccelerators;
}

}  // namespace simtrain
