#include "sim/output/trace/trace_names.h"

#include <cmath>

#include <fmt/format.h>

#include "sim/collectives/libraries/nccl/nccl_names.h"
#include "sim/workload/kernels/streaming_kinds.h"

namespace simtrain {
namespace {

std::string_view attention_name(AttentionKernel kernel) {
  switch (kernel) {
    case AttentionKernel::cudnn:
      return "cudnn_flash";
    case AttentionKernel::flash_attention_1:
      return "flash_1";
    case AttentionKernel::flash_attention_2:
      return "flash_2";
    case AttentionKernel::flash_attention_3:
      return "flash_3";
    case AttentionKernel::flash_attention_triton:
      return "flash_triton";
    case AttentionKernel::unfused:
      break;  // GEMMs and memory-bound kernels
  }
  return "";
}

std::string transfer_name(const LibraryRow& library, const TransferCost& cost) {
  if (cost.algorithm == Algorithm::user_buffers)
    return fmt::format("userbuffers_{}", nccl_operation(cost.collective));
  return chosen_by_library(cost.algorithm) ? library.kernel_name(cost)
                                           : std::string(name_of(cost.algorithm));
}

std::string with_module(std::string_view module, std::string_view kernel) {
  return module.empty() ? std::string(kernel) : fmt::format("{} {}", module, kernel);
}

/// To four digits: for people to read, and for files to stay small.
double four_digits(double value) {
  if (!(value > 0)) return 0;
  const double unit = std::pow(10, std::floor(std::log10(value)) - 3);
  return std::round(value / unit) * unit;
}

double giga_per_second(double amount, Duration time) {
  return four_digits(amount / to_seconds(time) / 1e9);
}

struct KernelNamer {
  std::string operator()(const Gemm& gemm) const {
    return fmt::format("gemm_{}{}", name_of(gemm.type), gemm.accumulate ? "_wgrad" : "");
  }
  std::string operator()(const Attention& attention) const {
    return fmt::format("{}_{}{}", attention_name(attention.implementation),
                       attention.direction == Direction::forward ? "fprop" : "bprop",
                       attention.causal ? "_causal" : "");
  }
  std::string operator()(const Streaming& streaming) const {
    return std::string(row_of(streaming.kind).kernel);
  }
};

struct KernelArguments {
  std::vector<TraceArgument> operator()(const Gemm& gemm) const {
    return {{"m", gemm.m}, {"n", gemm.n}, {"k", gemm.k}};
  }
  std::vector<TraceArgument> operator()(const Attention& attention) const {
    return {{"batch", attention.batch},
            {"heads", attention.heads},
            {"queries", attention.queries},
            {"keys", attention.keys},
            {"head_dimension", attention.head_dimension}};
  }
  std::vector<TraceArgument> operator()(const Streaming& streaming) const {
    return {{"bytes", std::int64_t{std::llround(streaming.bytes)}},
            {"GB/s", giga_per_second(streaming.bytes, time)}};
  }
  Duration time;
};

}  // namespace

std::string kernel_name(const Kernel& kernel) { return std::visit(KernelNamer(), kernel); }

TraceSlice kernel_slice(const OpNote& note, Duration time) {
  const Kernel& kernel = *note.kernel;
  TraceSlice slice{with_module(note.module, kernel_name(kernel)), "kernel",
                   std::visit(KernelArguments{time}, kernel)};
  const double flops = kernel_flops(kernel);
  if (flops > 0) slice.arguments.push_back({"TFLOP/s", giga_per_second(flops / 1e3, time)});
  return slice;
}

TraceSlice transfer_slice(const LibraryRow& library, const TransferCost& cost,
                          std::string_view module, std::size_t ranks, Duration time) {
  const double bytes = static_cast<double>(cost.bytes.value());
  const double wire = static_cast<double>(cost.wire.value());
  return {with_module(module, transfer_name(library, cost)),
          "communication",
          {{"collective", std::string(name_of(cost.collective))},
           {"algorithm", std::string(name_of(cost.algorithm))},
           {"protocol", std::string(name_of(cost.protocol))},
           {"bytes", cost.bytes.value()},
           {"algbw GB/s", giga_per_second(bytes, time)},
           {"busbw GB/s", giga_per_second(wire, time)},
           {"ranks", static_cast<std::int64_t>(ranks)},
           {"SMs", std::int64_t{cost.sms}}}};
}

TraceSlice own_slice(const Op& op, const ComputeCost& cost, bool first) {
  switch (op.label) {
    case Label::optimizer:
      return {first ? "zero gradients" : "optimizer", "step"};
    case Label::gradient_norm:
      return {part(cost.parts, Share::host) > 0 ? "host reads the gradient norm" : "gradient norm",
              "step"};
    case Label::gradient_reduce:
      return {"wait for the slowest rank", "wait"};
    case Label::weight_gradient:
      return {"deferred weight gradients of the output layer", "step"};
    case Label::kernel:
    case Label::forward:
    case Label::backward:
    case Label::input_gradient:
    case Label::cut_weight_gradient:
    case Label::parameter_gather:
    case Label::send:
    case Label::receive:
    case Label::collective:
    case Label::offload:
      break;
  }
  return {"compute", "step"};
}

std::string_view pass_name(Label pass) {
  switch (pass) {
    case Label::forward:
      return "forward";
    case Label::input_gradient:
      return "input gradient";
    case Label::cut_weight_gradient:
      return "weight gradient";
    default:
      return "backward";
  }
}

TraceSlice pass_slice(const Op& op, bool chunks, Duration alone, Duration time) {
  TraceSlice slice{fmt::format("{} mb {}", pass_name(op.label), op.micro_batch), "pass"};
  if (chunks) slice.name += fmt::format(" chunk {}", op.chunk);
  slice.arguments = {{"micro_batch", std::int64_t{op.micro_batch}},
                     {"chunk", std::int64_t{op.chunk}},
                     {"slowed by", four_digits(to_seconds(time) / to_seconds(alone) - 1)}};
  return slice;
}

}  // namespace simtrain
