#include "sim/workload/plan/offload/optimizer_offload.h"

#include "sim/workload/model/sharding.h"
#include "sim/workload/plan/data/host_copy.h"

namespace simtrain {

OptimizerOffload::OptimizerOffload(const StepContext& context, StepProgram& step)
    : recipe_(context.recipe),
      node_(context.cluster.spec().node),
      grid_(context.grid),
      step_(step),
      share_(context.recipe.offload.optimizer_share()) {}

bool OptimizerOffload::copied_with_reductions() const {
  return sharding_of(recipe_).shards_gradients;
}

void OptimizerOffload::copy_reduced_gradients() {
  if (!on() || !copied_with_reductions()) return;
  for (const auto end = static_cast<std::uint32_t>(step_.program.ops.size()); seen_ < end;
       ++seen_) {
    const Op op = step_.program.ops[seen_];
    if (op.compute || op.label != Label::gradient_reduce) continue;
    const bool again = seen_ + 1 < end && !step_.program.ops[seen_ + 1].compute &&
                       step_.program.ops[seen_ + 1].group == GroupKind::shard_copies;
    if (again) continue;  // among replicas: the copy is of their sum
    const bool whole = op.group == GroupKind::shard_copies;
    const double bytes = static_cast<double>(step_.program.transfers[op.cost].bytes.value()) /
                         (whole ? 1 : grid_.ranks_of(op.group));
    last_copy_ = step_.add_transfer(Stream::to_host, GroupKind::to_host,
                                    step_.program.add_transfer(copy_to_host(node_, share_ * bytes)),
                                    Label::offload, seen_);
  }
  seen_ = static_cast<std::uint32_t>(step_.program.ops.size());
}

void OptimizerOffload::update(double updated, int parts, std::uint32_t begin) {
  const bool copied = copied_with_reductions();
  HostUpdate part;
  part.parameters = share_ * updated;
  part.gradient_bytes =
      copied ? 0 : static_cast<double>(bytes_of(recipe_.optimizer.grad_reduce_dtype));
  part.weight_bytes = recipe_.offload.offload_param ? 0 : recipe_.precision().activation.bytes();
  part.parts = recipe_.offload.overlap_cpu_optimizer_d2h_h2d ? parts : 1;
  step_.add_compute({}, Label::offload, add(part, begin));
}

std::uint32_t OptimizerOffload::add(const HostUpdate& update, std::uint32_t begin) {
  const double parameters = update.parameters / update.parts;
  Program& program = step_.program;
  const std::uint32_t out =
      program.add_transfer(copy_to_host(node_, parameters * update.gradient_bytes));
  const std::uint32_t adam = program.add_transfer(host_update(node_, parameters));
  const std::uint32_t back =
      program.add_transfer(copy_from_host(node_, parameters * update.weight_bytes));
  std::uint32_t last = kNoOp;
  for (int part = 0; part < update.parts; ++part) {
    std::uint32_t ready = begin;
    if (update.gradient_bytes > 0)
      ready = step_.add_transfer(Stream::to_host, GroupKind::to_host, out, Label::offload, begin);
    last = step_.add_transfer(kHostStream, GroupKind::on_host, adam, Label::optimizer, ready);
    if (update.gradient_bytes <= 0) program.ops[last].after[1] = last_copy_;
    if (update.weight_bytes > 0)
      last =
          step_.add_transfer(Stream::from_host, GroupKind::from_host, back, Label::offload, last);
  }
  return last;
}

}  // namespace simtrain
