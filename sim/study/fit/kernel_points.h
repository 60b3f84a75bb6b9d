#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/workload/kernels/kernel_model.h"

namespace simtrain {

enum class KernelFamily { gemm, attention, streaming };
/// How long a kernel was repeated: milliseconds, at full clock, or seconds, at the power limit.
enum class KernelRun { burst, sustained };

template <>
struct EnumNames<KernelFamily> {
  static constexpr std::array rows{
      std::pair{std::string_view("gemm"), KernelFamily::gemm},
      std::pair{std::string_view("attention"), KernelFamily::attention},
      std::pair{std::string_view("streaming"), KernelFamily::streaming}};
};
template <>
struct EnumNames<KernelRun> {
  static constexpr std::array rows{std::pair{std::string_view("burst"), KernelRun::burst},
                                   std::pair{std::string_view("sustained"), KernelRun::sustained}};
};

/// One kernel that somebody measured.
struct KernelPoint {
  KernelFamily family{};
  std::string gpu;      ///< a name of hardware/gpus where simtrain has that GPU
  std::string variant;  ///< data type; implementation and direction; kernel and direction
  std::string shape;    ///< the class of shapes that it belongs to, such as "k < 4096"
  KernelRun run{};
  bool fitted = true;            ///< may set parameters: its notes do not start with "not fitted"
  std::optional<Kernel> kernel;  ///< none for what the kernel model does not distinguish
  std::uint64_t shape_hash = 0;  ///< equal for points of one shape
  double measured_s = 0;
  std::string source;
  SourcePlace where;
};

/// Reads gemm.csv, attention.csv and streaming.csv of a folder; at least one must be there. Columns
/// (hardware/measured/README.md) hold TFLOP/s of 2mnk and of kernel_flops(), or microseconds.
/// Throws InputError where a file is wrong.
std::vector<KernelPoint> load_kernel_points(const std::string& folder);

}  // namespace simtrain
