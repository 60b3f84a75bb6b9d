#pragma once

#include <array>
#include <string_view>

#include "sim/core/rows_in_order.h"
#include "sim/topology/specs/gpu_spec.h"
#include "sim/workload/kernels/kernel_model.h"

namespace simtrain {

/// A kind of memory-bound kernel: where a GPU's file has the share of the memory bandwidth that it
/// reaches (none: another figure bounds it), and what a trace calls it.
struct StreamingKindRow {
  StreamingKind kind{};
  std::string_view key;  ///< under `streaming` in the file
  Sourced<double> StreamingSpec::*share = nullptr;
  std::string_view kernel;
};

inline constexpr std::array kStreamingKinds{
    StreamingKindRow{StreamingKind::element_wise, "element_wise", &StreamingSpec::element_wise,
                     "elementwise_kernel"},
    StreamingKindRow{StreamingKind::cast, "cast", &StreamingSpec::cast, "cast_kernel"},
    StreamingKindRow{StreamingKind::block_cast, "block_cast", &StreamingSpec::block_cast,
                     "cast_kernel"},
    StreamingKindRow{StreamingKind::amax, "amax", &StreamingSpec::amax, "amax_kernel"},
    StreamingKindRow{StreamingKind::norm_forward, "norm_forward", &StreamingSpec::norm_forward,
                     "norm_fwd_kernel"},
    StreamingKindRow{StreamingKind::norm_backward, "norm_backward", &StreamingSpec::norm_backward,
                     "norm_bwd_kernel"},
    StreamingKindRow{StreamingKind::cross_entropy, "cross_entropy", &StreamingSpec::cross_entropy,
                     "cross_entropy_kernel"},
    StreamingKindRow{StreamingKind::row_add, "row_add", nullptr, "index_add_kernel"}};

[[nodiscard]] constexpr const StreamingKindRow& row_of(StreamingKind kind) {
  return kStreamingKinds[static_cast<std::size_t>(kind)];
}

static_assert(rows_in_order(kStreamingKinds, &StreamingKindRow::kind),
              "row_of finds a row by its kind");

/// At which a kernel of that kind moves its bytes.
[[nodiscard]] inline double streaming_bandwidth(const GpuSpec& gpu, StreamingKind kind) {
  const auto share = row_of(kind).share;
  return share != nullptr ? (gpu.streaming.*share).value * gpu.memory_bandwidth.value.value()
                          : gpu.sm_count.value * gpu.streaming.row_add.value.value();
}

}  // namespace simtrain
