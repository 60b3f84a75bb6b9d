#pragma once

#include "sim/core/input/yaml_reader.h"
#include "sim/topology/specs/gpu_spec.h"

namespace simtrain {

template <>
struct Fields<PeakRate> {
  template <class Visitor>
  static void visit(Visitor& v, PeakRate& rate) {
    v("data_type", rate.data_type);
    v("rate", rate.rate);
    v("source", rate.source);
  }
};

template <>
struct Fields<GemmRate> {
  template <class Visitor>
  static void visit(Visitor& v, GemmRate& rate) {
    v("data_type", rate.data_type);
    v("burst", rate.burst);
    v("sustained", rate.sustained);
    v("wave_overhead", rate.wave_overhead);
    v("wave_sharpness", rate.wave_sharpness, kShare);
    v.optional("weight_gradient_efficiency", rate.weight_gradient_efficiency, kShare);
    v("source", rate.source);
  }
};

template <>
struct Fields<GemmSpec> {
  template <class Visitor>
  static void visit(Visitor& v, GemmSpec& spec) {
    v("kernel_floor", spec.kernel_floor);
    v("memory_efficiency", spec.memory_efficiency, kShare);
    v("weight_gradient_efficiency", spec.weight_gradient_efficiency, kShare);
    v("overlap_slowdown", spec.overlap_slowdown, kShare);
    v("tiles", spec.tiles, Limits{1, 4096});
    v("tiles_source", spec.tiles_source);
    v("rates", spec.rates);
    v("quantized_operands_along_k", spec.quantized_operands_along_k);
  }
};

template <>
struct Fields<PowerSpec> {
  template <class Visitor>
  static void visit(Visitor& v, PowerSpec& spec) {
    v("limit", spec.limit);
    v("exponent", spec.exponent, Limits{1, 4});
    v("attention", spec.attention, Limits{0, 4});
    v("streaming", spec.streaming, kShare);
    v("available", spec.available, Limits{0.1, 1});
    v("idle", spec.idle, kShare);
    v("communication", spec.communication, kShare);
    v("fluctuation", spec.fluctuation, kShare);
    v("fluctuation_time", spec.fluctuation_time);
  }
};

template <>
struct Fields<AttentionSpec> {
  template <class Visitor>
  static void visit(Visitor& v, AttentionSpec& spec) {
    v("implementation", spec.implementation);
    v("direction", spec.direction);
    v("rate", spec.rate);
    v("half_rate_sequence", spec.half_rate_sequence);
    v("grid_penalty", spec.grid_penalty);
    v("block_rows", spec.block_rows, Limits{1, 4096});
    v.optional("head_dimension_shares", spec.head_dimension_shares, Limits{1e-3, 1e4});
    v("random_numbers", spec.random_numbers, Limits{1e8, 1e12});
    v("source", spec.source);
  }
};

template <>
struct Fields<StreamingSpec> {
  template <class Visitor>
  static void visit(Visitor& v, StreamingSpec& spec) {
    v("kernel_floor", spec.kernel_floor);
    v("element_wise", spec.element_wise, kShare);
    v("cast", spec.cast, kShare);
    v("block_cast", spec.block_cast, kShare);
    v("amax", spec.amax, kShare);
    v("norm_forward", spec.norm_forward, kShare);
    v("norm_backward", spec.norm_backward, kShare);
    v("cross_entropy", spec.cross_entropy, kShare);
    v("row_add", spec.row_add);
  }
};

template <>
struct Fields<NvlinkSpec> {
  template <class Visitor>
  static void visit(Visitor& v, NvlinkSpec& spec) {
    v("bandwidth", spec.bandwidth);
    v("copy_engine_bandwidth", spec.copy_engine_bandwidth);
    v("user_buffer_sm_bandwidth", spec.user_buffer_sm_bandwidth);
    v("switch_latency", spec.switch_latency);
  }
};

template <>
struct Fields<NcclProtocolSpec> {
  template <class Visitor>
  static void visit(Visitor& v, NcclProtocolSpec& spec) {
    v("base", spec.base);
    v("hop", spec.hop);
    v("bandwidth", spec.bandwidth);
    v("source", spec.source);
  }
};

template <>
struct Fields<NvlsSpec> {
  template <class Visitor>
  static void visit(Visitor& v, NvlsSpec& spec) {
    v("base", spec.base);
    v("round_overhead", spec.round_overhead);
    v("bandwidth", spec.bandwidth);
    v("source", spec.source);
  }
};

template <>
struct Fields<PairSpec> {
  template <class Visitor>
  static void visit(Visitor& v, PairSpec& spec) {
    v("base", spec.base);
    v("bandwidth", spec.bandwidth);
    v("source", spec.source);
  }
};

template <>
struct Fields<NcclGpuSpec> {
  template <class Visitor>
  static void visit(Visitor& v, NcclGpuSpec& spec) {
    v("graph_bandwidth", spec.graph_bandwidth);
    v("ll", spec.ll);
    v("ll128", spec.ll128);
    v("simple", spec.simple);
    v("slice_turnaround", spec.slice_turnaround);
    v("nvls", spec.nvls);
    v("pair", spec.pair);
    v("p2p_channels", spec.p2p_channels, Limits{2, 64});
    v("pair_channels", spec.pair_channels, Limits{1, 64});
    v("channel_bandwidth", spec.channel_bandwidth);
    v("lone_channel_bandwidth", spec.lone_channel_bandwidth);
    v("copy_bandwidth", spec.copy_bandwidth);
    v("network_ll_bandwidth", spec.network_ll_bandwidth);
  }
};

template <>
struct Fields<RcclProtocolSpec> {
  template <class Visitor>
  static void visit(Visitor& v, RcclProtocolSpec& spec) {
    v("base", spec.base);
    v("hop", spec.hop);
    v("link_share", spec.link_share, Limits{0.01, 1});
    v("source", spec.source);
  }
};

template <>
struct Fields<RcclGpuSpec> {
  template <class Visitor>
  static void visit(Visitor& v, RcclGpuSpec& spec) {
    v("ll", spec.ll);
    v("ll128", spec.ll128);
    v("simple", spec.simple);
    v("channels_per_link", spec.channels_per_link, Limits{1, 64});
  }
};

template <>
struct Fields<GpuSpec> {
  template <class Visitor>
  static void visit(Visitor& v, GpuSpec& spec) {
    v("name", spec.name);
    v("description", spec.description);
    v("architecture", spec.architecture);
    v.optional("kernels", spec.kernels);
    v("sm_count", spec.sm_count, Limits{1, 10000});
    v("memory_capacity", spec.memory_capacity);
    v("gemm_workspaces", spec.gemm_workspaces);
    v("memory_bandwidth", spec.memory_bandwidth);
    v("peak_rates", spec.peak_rates);
    v("gemm", spec.gemm);
    v("power", spec.power);
    v("attention", spec.attention);
    v("streaming", spec.streaming);
    v("nvlink", spec.nvlink);
    v.optional("nccl", spec.nccl);
    v.optional("rccl", spec.rccl);
  }
};

}  // namespace simtrain
