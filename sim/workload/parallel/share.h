#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include "sim/core/enum_names.h"

namespace simtrain {

/// What time is spent on; the rows of a breakdown.
enum class Share : std::uint8_t {
  gemm,
  attention,
  memory_bound,
  fp8,
  embedding_loss,
  host,
  tensor_parallel,
  context_parallel,
  expert_parallel,
  pipeline_parallel,
  data_parallel,
  offload,
  bubble,
  optimizer,
  interference,
  routing_imbalance,
  stragglers
};
inline constexpr std::size_t kShares = 17;

template <>
struct EnumNames<Share> {
  static constexpr std::array rows{
      std::pair{std::string_view("gemm"), Share::gemm},
      std::pair{std::string_view("attention"), Share::attention},
      std::pair{std::string_view("memory_bound_kernels"), Share::memory_bound},
      std::pair{std::string_view("fp8_casts"), Share::fp8},
      std::pair{std::string_view("embedding_and_loss"), Share::embedding_loss},
      std::pair{std::string_view("host_launches"), Share::host},
      std::pair{std::string_view("tp_exposed"), Share::tensor_parallel},
      std::pair{std::string_view("cp_exposed"), Share::context_parallel},
      std::pair{std::string_view("ep_exposed"), Share::expert_parallel},
      std::pair{std::string_view("pp_exposed"), Share::pipeline_parallel},
      std::pair{std::string_view("dp_exposed"), Share::data_parallel},
      std::pair{std::string_view("offload_exposed"), Share::offload},
      std::pair{std::string_view("pipeline_bubble"), Share::bubble},
      std::pair{std::string_view("optimizer"), Share::optimizer},
      std::pair{std::string_view("overlap_slowdown"), Share::interference},
      std::pair{std::string_view("routing_imbalance"), Share::routing_imbalance},
      std::pair{std::string_view("straggler_wait"), Share::stragglers}};
};

/// Seconds by share.
using Breakdown = std::array<double, kShares>;

inline double& part(Breakdown& breakdown, Share share) {
  return breakdown[static_cast<std::size_t>(share)];
}
inline double part(const Breakdown& breakdown, Share share) {
  return breakdown[static_cast<std::size_t>(share)];
}

}  // namespace simtrain
