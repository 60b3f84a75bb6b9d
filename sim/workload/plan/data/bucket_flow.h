#pragma once

#include <vector>

#include "sim/workload/model/sharding.h"
#include "sim/workload/plan/data/buckets.h"
#include "sim/workload/plan/data/data_flow.h"

namespace simtrain {

/// Whole parameters on every rank: gradients are reduced bucket by bucket, updated parameters
/// gathered once a step.
class BucketFlow final : public DataFlow {
 public:
  BucketFlow(const StepContext& context, int rank, const GradientGroups& groups,
             const StagePasses& passes, StepProgram& step);

  void begin() override;
  [[nodiscard]] bool cuts(const Task& task) const override;
  std::uint32_t before(const Task& task, double parameters_done, std::size_t stretch) override;
  void after(const Task& task, double parameters_done, std::size_t stretch) override;
  void after_pass(const Task& task) override;
  std::uint32_t flush() override;
  void after_optimizer() override;

 private:
  std::uint32_t add(const BucketCall& bucket, Label label, std::uint32_t after);
  void gather(std::size_t chunk, std::uint32_t after);
  [[nodiscard]] std::uint32_t gathered_by(std::size_t chunk, double parameters_done) const;
  void gather_ahead(const Task& task);
  [[nodiscard]] bool gathers(const Task& task) const;
  [[nodiscard]] bool reduces(const Task& task) const;
  [[nodiscard]] bool reduces_after_passes() const;
  void reduce_behind(const Task& task);
  void reduce(std::size_t chunk);

  const Recipe& recipe_;
  const ShardingRow& sharding_;
  int stage_;
  Reduced when_;
  bool together_ = false;  ///< ScheduleRow::calls_together
  int group_size_ = 1;
  StepProgram& step_;
  std::vector<ChunkBuckets> buckets_;
  std::vector<std::vector<std::uint32_t>> gathered_;  ///< gather ops of each chunk
  std::vector<bool> reduced_;
  std::vector<int> finished_;  ///< by pass with weight gradients: the chunk that it finished, or -1
  std::size_t next_bucket_ = 0;
  int forwards_ = 0;
  std::uint32_t last_ = kNoOp;
};

}  // namespace simtrain
