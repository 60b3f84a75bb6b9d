#pragma once

#include <variant>
#include <vector>

#include "sim/workload/model/layers/piece_program.h"
#include "tests/workload/recipes.h"

namespace simtrain::testing {

/// Takes a microsecond for everything and writes down what it was asked for.
class Recorder final : public KernelModel {
 public:
  [[nodiscard]] KernelTime time(const Kernel& kernel) const override {
    kernels.push_back(kernel);
    return {std::chrono::microseconds(1), 1, 0};
  }
  mutable std::vector<Kernel> kernels;
};

/// A piece of a recipe on one rank of H100s.
struct Expanded {
  Expanded(const Recipe& recipe, Piece piece)
      : cluster(load_cluster(data_folder(), "dgx-superpod-h100", 4, {})) {
    RankLayouts layouts([&](GroupKind kind) {
      GroupLayout layout;
      if (kind == GroupKind::context) layout.widest_hop = Distance::nvlink_domain;
      layout.ranks = kind == GroupKind::context ? recipe.cp() : recipe.tp();
      return layout;
    });
    program = piece_program({recipe, cluster, recorder, layouts}, piece);
  }

  template <class Kind>
  [[nodiscard]] std::vector<Kind> kernels() const {
    std::vector<Kind> result;
    for (const Kernel& kernel : recorder.kernels) {
      if (const auto* found = std::get_if<Kind>(&kernel)) result.push_back(*found);
    }
    return result;
  }
  template <class Kind>
  [[nodiscard]] double flops() const {
    double sum = 0;
    for (const Kind& kernel : kernels<Kind>()) sum += kernel_flops(kernel);
    return sum;
  }
  [[nodiscard]] std::vector<TransferCost> transfers(Stream stream) const {
    std::vector<TransferCost> result;
    for (const Op& op : program.ops) {
      if (!op.compute && op.stream == stream) result.push_back(program.transfers[op.cost]);
    }
    return result;
  }
  /// What a rank sends for tensor parallelism in calls of one kind.
  [[nodiscard]] std::int64_t wire(Collective collective) const {
    std::int64_t sum = 0;
    for (const TransferCost& transfer : transfers(Stream::tensor)) {
      if (transfer.collective == collective) sum += transfer.wire.value();
    }
    return sum;
  }
  [[nodiscard]] std::vector<std::int64_t> context_messages() const {
    std::vector<std::int64_t> result;
    for (const TransferCost& transfer : transfers(Stream::context))
      result.push_back(transfer.bytes.value());
    return result;
  }

  Recorder recorder;
  ClusterSpec cluster;
  Program program;
};

}  // namespace simtrain::testing
