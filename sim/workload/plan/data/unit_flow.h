#pragma once

#include <cstdint>
#include <vector>

#include "sim/workload/model/sharding.h"
#include "sim/workload/plan/data/buckets.h"
#include "sim/workload/plan/data/data_flow.h"

namespace simtrain {

/// Sharded parameters: each unit (a layer, the embedding, the head) is gathered before it runs, and
/// its gradients are reduced after its backward (UnitRules). Layers are gathered again for the
/// backward where they were dropped; embedding and head stay.
class UnitFlow final : public DataFlow {
 public:
  UnitFlow(const StepContext& context, int rank, const GradientGroups& groups,
           const StagePasses& passes, StepProgram& step);

  void begin() override {}
  [[nodiscard]] bool cuts(const Task& task) const override {
    return gathers(task) || reduces(task);
  }
  std::uint32_t before(const Task& task, double parameters_done, std::size_t stretch) override;
  void after(const Task& task, double parameters_done, std::size_t stretch) override;
  void after_pass(const Task& /*task*/) override {}
  std::uint32_t flush() override { return last_reduction_; }
  void after_optimizer() override {}

 private:
  struct Call {
    GroupKind group{};
    std::uint32_t cost = 0;  ///< in the program's transfers
    std::uint32_t copies = kNoOp;
  };
  struct Unit {
    std::vector<Call> gathers;
    std::vector<Call> reductions;
    std::int64_t parameters = 0;
    std::uint32_t copy_out = kNoOp;   ///< of gathered parameters, in the program's compute costs
    std::uint32_t pack = kNoOp;       ///< of gradients
    std::uint32_t from_host = kNoOp;  ///< of the rank's shard, in the program's transfers
    bool layer = false;
  };
  [[nodiscard]] Unit unit_of(const StepContext& context, int rank, const GradientGroups& groups,
                             const PartTotals& part, const TensorFormat& format);
  [[nodiscard]] const Unit& unit(const Task& task, std::size_t stretch) const;
  [[nodiscard]] std::size_t units(const Task& task) const {
    return chunks_[static_cast<std::size_t>(task.chunk)].size();
  }
  [[nodiscard]] bool gathers(const Task& task) const;
  [[nodiscard]] bool gathers(const Task& task, std::size_t stretch) const;
  [[nodiscard]] bool reduces(const Task& task) const;
  [[nodiscard]] std::size_t ahead(const Task& task, std::size_t stretch) const;
  void gather_to(const Task& task, std::size_t end);

  const Recipe& recipe_;
  const UnitRules& rules_;
  Gathered until_;
  StepProgram& step_;
  std::vector<Unit> units_;                         ///< each kind once
  std::vector<std::vector<std::size_t>> chunks_{};  ///< the kind of each unit, in forward order
  std::vector<std::uint32_t> gathered_;             ///< of the pass at work, by stretch
  std::vector<std::uint32_t> reductions_;
  std::uint32_t last_reduction_ = kNoOp;
};

}  // namespace simtrain
