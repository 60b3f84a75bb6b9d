#pragma once

#include "sim/collectives/libraries/library_fields.h"
#include "sim/core/input/yaml_reader.h"
#include "sim/workload/model/software_spec.h"

namespace simtrain {

template <>
struct Fields<HostLaunches> {
  template <class Visitor>
  static void visit(Visitor& v, HostLaunches& launches) {
    v("bf16_forward", launches.bf16_forward, kCountOrNone);
    v("bf16_backward", launches.bf16_backward, kCountOrNone);
    v("fp8_forward", launches.fp8_forward, kCountOrNone);
    v("fp8_backward", launches.fp8_backward, kCountOrNone);
    v.optional("expert_gemm", launches.expert_gemm, Limits{1, 1000});
  }
};

template <>
struct Fields<MemorySpec> {
  template <class Visitor>
  static void visit(Visitor& v, MemorySpec& spec) {
    v("cuda_context", spec.cuda_context);
    v("communicator_of_two", spec.communicator_of_two);
    v("communicator", spec.communicator);
    v("reserved_per_allocated", spec.reserved_per_allocated, Limits{1, 2});
  }
};

template <>
struct Fields<SoftwareSpec> {
  template <class Visitor>
  static void visit(Visitor& v, SoftwareSpec& spec) {
    v("name", spec.name);
    v("description", spec.description);
    v("source", spec.source);
    v("attention", spec.attention);
    v.optional("masked_softmax", spec.masked_softmax);
    v("cross_entropy", spec.cross_entropy);
    v("squared_relu", spec.squared_relu);
    v.optional("rms_norm", spec.rms_norm);
    v.optional("swiglu", spec.swiglu);
    v.optional("rotary", spec.rotary);
    v.optional("weighted_squared_relu", spec.weighted_squared_relu);
    v.optional("clamped_swiglu", spec.clamped_swiglu);
    v.optional("dispatcher_pads_rows", spec.dispatcher_pads_rows);
    v("distributed_optimizer", spec.distributed_optimizer);
    v("tp_only_amax_red", spec.tp_only_amax_red);
    visit_library(v, spec.library);
    v("host_launches", spec.host_launches);
    v("memory", spec.memory);
    v.optional("weight_gradient_placeholders", spec.weight_gradient_placeholders);
    v.optional("gradient_accumulation", spec.gradient_accumulation);
    v.optional("tensor_parallelism", spec.tensor_parallelism);
    v.optional("separate_projections", spec.separate_projections);
    v.optional("recompute_early_stop", spec.recompute_early_stop);
    v.optional("pipeline_messages", spec.pipeline_messages);
    v.optional("known", spec.known);
  }
};

template <>
struct Fields<TpOverlapEntry> {
  template <class Visitor>
  static void visit(Visitor& v, TpOverlapEntry& entry) {
    v("method", entry.method);
    v("sms", entry.sms, Limits{0, 1000});
    v.optional("splits", entry.splits, Limits{1, 64});
    v.optional("set_sm_margin", entry.set_sm_margin);
  }
};

template <>
struct Fields<TpOverlapTable> {
  template <class Visitor>
  static void visit(Visitor& v, TpOverlapTable& table) {
    v("name", table.name);
    v("source", table.source);
    v.optional("gathers", table.gathers);
    v("ring_exchange_sms", table.ring_exchange_sms, Limits{0, 1000});
    v("qkv_dgrad", table.qkv_dgrad);
    v("qkv_wgrad", table.qkv_wgrad);
    v("fc1_dgrad", table.fc1_dgrad);
    v("fc1_wgrad", table.fc1_wgrad);
    v("proj_fprop", table.proj_fprop);
    v("fc2_fprop", table.fc2_fprop);
  }
};

}  // namespace simtrain
