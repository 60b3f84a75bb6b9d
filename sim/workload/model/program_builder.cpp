#include "sim/workload/model/program_builder.h"

#include <algorithm>
#include <utility>

namespace simtrain {

KernelTime ProgramBuilder::time_of(const Kernel& kernel) const {
  KernelTime time = context_.kernels.time(kernel);
  const Gemm* gemm = std::get_if<Gemm>(&kernel);
  if (!recipe().cuda_launch_blocking || gemm == nullptr || gemm->launches <= 1) return time;
  Gemm one = *gemm;
  one.groups = std::max<std::int64_t>(1, gemm->groups / gemm->launches);
  one.launches = 1;
  time.time = std::max(time.time, gemm->launches * context_.kernels.time(one).time);
  return time;
}

std::uint32_t ProgramBuilder::kernel(const Kernel& kernel, Share share, std::uint32_t after) {
  const KernelTime time = time_of(kernel);
  Breakdown parts{};
  part(parts, share) = to_seconds(time.time);
  return add_kernel(kernel, time, parts, after);
}

std::uint32_t ProgramBuilder::uneven_kernel(const Kernel& busiest, const Kernel& mean, Share share,
                                            std::uint32_t after) {
  const KernelTime time = time_of(busiest);
  const double even = std::min(to_seconds(time.time), to_seconds(time_of(mean).time));
  Breakdown parts{};
  part(parts, share) = even;
  part(parts, Share::routing_imbalance) = to_seconds(time.time) - even;
  return add_kernel(busiest, time, parts, after);
}

std::uint32_t ProgramBuilder::host_wait(Duration time) {
  Breakdown parts{};
  part(parts, Share::host) = to_seconds(time);
  return add_kernel(Streaming{.launches = 0}, {.time = time}, parts, kNoOp);
}

std::uint32_t ProgramBuilder::add_kernel(const Kernel& kernel, const KernelTime& time,
                                         const Breakdown& parts, std::uint32_t after) {
  ComputeCost cost;
  cost.time = time.time;
  cost.sm_bound = time.sm_bound;
  cost.memory_bound = time.memory_bound;
  cost.draw = time.draw;
  cost.parts = parts;
  Op op;
  op.cost = program_.add_cost(cost);
  const std::uint32_t awaited = std::exchange(awaited_, kNoOp);
  op.after[0] = after != kNoOp ? after : awaited;
  if (after != kNoOp) op.after[1] = awaited;
  last_kernel_ = program_.add(op);
  program_.notes.push_back({module_, kernel, {}, sized_by_routing_});
  return last_kernel_;
}

std::uint32_t ProgramBuilder::stream_bytes(StreamingKind kind, double bytes, Share share,
                                           std::uint32_t after) {
  return kernel(Streaming{kind, bytes}, share, after);
}

std::uint32_t ProgramBuilder::transfer(const TransferCost& cost, Stream stream, GroupKind slot,
                                       std::uint32_t after, DataType moved) {
  program_.notes.push_back({module_, std::nullopt, moved, sized_by_routing_});
  Op op;
  op.compute = false;
  op.stream = stream;
  op.group = slot;
  op.label = Label::collective;
  op.cost = program_.add_transfer(cost);
  op.after[0] = after;
  if (!recipe().cuda_launch_blocking) return program_.add(op);
  if (last_kernel_ != kNoOp) op.after[0] = last_kernel_;
  op.after[1] = awaited_;
  awaited_ = program_.add(op);
  return awaited_;
}

TransferCost ProgramBuilder::collective_cost(GroupKind group, Collective collective,
                                             const TensorFormat& format,
                                             std::int64_t elements) const {
  const Bytes bytes(format.bytes_for(elements));
  return plan_collective({collective, bytes, context_.layouts.of(group)},
                         {context_.cluster, recipe().software.library});
}

std::uint32_t ProgramBuilder::collective(GroupKind group, Collective collective,
                                         const TensorFormat& format, std::int64_t elements,
                                         std::uint32_t after) {
  return transfer(collective_cost(group, collective, format, elements), Stream::tensor, group,
                  after, format.type);
}

std::uint32_t ProgramBuilder::exchange_tokens(const ExpertExchange& exchange, std::uint32_t after) {
  const TransferCost cost =
      plan_expert_exchange(row_of(recipe().moe.moe_flex_dispatcher_backend), exchange,
                           context_.layouts.of(GroupKind::expert_tokens), context_.cluster);
  return transfer(cost, Stream::tensor, GroupKind::expert_tokens, after,
                  recipe().precision().activation.type);
}

std::uint32_t ProgramBuilder::user_buffers(Collective collective, std::int64_t bytes,
                                           std::int64_t wire, double limit, int sms,
                                           std::uint32_t after) {
  TransferCost cost;
  cost.collective = collective;
  cost.algorithm = Algorithm::user_buffers;
  const bool engine =
      recipe().tp_overlap->symmetric() || (collective == Collective::all_gather && sms <= 1);
  cost.protocol = engine ? Protocol::copy_engine : Protocol::simple;
  cost.bytes = Bytes(bytes);
  cost.wire = Bytes(wire);
  cost.latency = gpu().nccl.simple.hop;
  cost.limit = std::min(limit, gpu().nvlink.copy_engine_bandwidth.value.value());
  cost.sms = sms;
  // A ring: where the group leaves its NVLink domain, so does a part of every rank's bytes.
  const GroupLayout& layout = context_.layouts.of(GroupKind::tensor);
  cost.load = {1, layout.domains > 1 ? 1 / layout.ranks_per_domain() : 0};
  cost.memory_traffic = 2;
  return transfer(cost, Stream::tensor, GroupKind::tensor, after,
                  recipe().precision().activation.type);
}

std::uint32_t ProgramBuilder::context_collective(Collective collective, std::int64_t elements,
                                                 std::uint32_t after) {
  const TensorFormat& format = recipe().precision().activation;
  return transfer(collective_cost(GroupKind::context, collective, format, elements),
                  Stream::context, GroupKind::context, after, format.type);
}

std::uint32_t ProgramBuilder::context_exchange(std::int64_t elements, std::uint32_t after) {
  const TensorFormat& format = recipe().precision().activation;
  const TransferCost cost = plan_send_receive(Bytes(format.bytes_for(elements)),
                                              context_.layouts.of(GroupKind::context).widest_hop,
                                              {context_.cluster, recipe().software.library});
  return transfer(cost, Stream::context, GroupKind::context, after, format.type);
}

}  // namespace simtrain
