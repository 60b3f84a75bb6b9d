#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "sim/core/enum_names.h"

namespace simtrain {

/// What a kernel of a training step does, in the terms in which a step is predicted.
enum class KernelKind : std::uint8_t {
  gemm,
  attention,
  norm,
  activation,
  cast,
  loss,
  element_wise,
  optimizer,
  user_buffers,
  expert_exchange,
  nccl_all_reduce,
  nccl_all_gather,
  nccl_reduce_scatter,
  nccl_broadcast,
  nccl_send_receive,
  nccl_other,
  copy,
  unclassified
};
inline constexpr std::size_t kKernelKinds = 18;

template <>
struct EnumNames<KernelKind> {
  static constexpr std::array rows{
      std::pair{std::string_view("gemm"), KernelKind::gemm},
      std::pair{std::string_view("attention"), KernelKind::attention},
      std::pair{std::string_view("norm"), KernelKind::norm},
      std::pair{std::string_view("activation"), KernelKind::activation},
      std::pair{std::string_view("cast"), KernelKind::cast},
      std::pair{std::string_view("loss"), KernelKind::loss},
      std::pair{std::string_view("element_wise"), KernelKind::element_wise},
      std::pair{std::string_view("optimizer"), KernelKind::optimizer},
      std::pair{std::string_view("user_buffers"), KernelKind::user_buffers},
      std::pair{std::string_view("expert_exchange"), KernelKind::expert_exchange},
      std::pair{std::string_view("nccl_all_reduce"), KernelKind::nccl_all_reduce},
      std::pair{std::string_view("nccl_all_gather"), KernelKind::nccl_all_gather},
      std::pair{std::string_view("nccl_reduce_scatter"), KernelKind::nccl_reduce_scatter},
      std::pair{std::string_view("nccl_broadcast"), KernelKind::nccl_broadcast},
      std::pair{std::string_view("nccl_send_receive"), KernelKind::nccl_send_receive},
      std::pair{std::string_view("nccl_other"), KernelKind::nccl_other},
      std::pair{std::string_view("copy"), KernelKind::copy},
      std::pair{std::string_view("unclassified"), KernelKind::unclassified}};
};

static_assert(
    [] {
      const auto& rows = EnumNames<KernelKind>::rows;
      for (std::size_t i = 0; i < rows.size(); ++i) {
        if (static_cast<std::size_t>(rows[i].second) != i) return false;
      }
      return rows.size() == kKernelKinds;
    }(),
    "tables by kind are in the order of the enum");

/// The kind of a kernel by its name, as profilers show it; capital or small letters do not matter.
KernelKind kernel_kind(std::string_view name);

/// The name of a kernel of NCCL that serves all collectives (`ncclDevKernel_Generic_1`), with what
/// PyTorch calls the collective (`_allgather_base`) behind it, from which its kind follows; other
/// names as they are.
std::string named_by_collective(std::string_view name, std::string_view collective);

}  // namespace simtrain
