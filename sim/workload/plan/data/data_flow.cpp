#include "sim/workload/plan/data/data_flow.h"

#include "sim/workload/model/sharding.h"
#include "sim/workload/plan/data/bucket_flow.h"
#include "sim/workload/plan/data/unit_flow.h"

namespace simtrain {

std::uint32_t StepProgram::repeat_compute(std::uint32_t cost, Label label, std::uint32_t after) {
  Op op;
  op.label = label;
  op.cost = cost;
  op.after[0] = after;
  return last_compute = program.add(op);
}

Op StepProgram::transfer(Stream stream, GroupKind group, Label label) {
  Op op;
  op.compute = false;
  op.stream = stream;
  op.group = group;
  op.label = label;
  return op;
}

std::uint32_t StepProgram::add_transfer(Stream stream, GroupKind group, std::uint32_t cost,
                                        Label label, std::uint32_t after) {
  Op op = transfer(stream, group, label);
  op.cost = cost;
  op.after[0] = after;
  return program.add(op);
}

std::unique_ptr<DataFlow> data_flow(const StepContext& context, int rank,
                                    const GradientGroups& groups, const StagePasses& passes,
                                    StepProgram& step) {
  if (sharding_of(context.recipe).units)
    return std::make_unique<UnitFlow>(context, rank, groups, passes, step);
  return std::make_unique<BucketFlow>(context, rank, groups, passes, step);
}

}  // namespace simtrain
