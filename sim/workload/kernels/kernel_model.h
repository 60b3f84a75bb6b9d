#pragma once

#include <compare>
#include <cstdint>
#include <variant>

#include "sim/topology/specs/gpu_spec.h"

namespace simtrain {

/// Y[m, n] = X[m, k] W[k, n], at the rate of `type`.
struct Gemm {
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t k = 0;
  DataType type{};
  DataType output{};
  bool accumulate = false;  ///< a weight gradient added to the gradient buffer
  int sm_margin = 0;        ///< SMs left free for a communication kernel
  double x_bytes = static_cast<double>(bytes_of(type));  ///< of an element of X, with its scales
  double w_bytes = x_bytes;                              ///< of one of W
  std::int64_t groups = 1;  ///< GEMMs of this shape, each with an X and W of its own, side by side
  int launches = 1;         ///< kernels that they are, on four streams

  friend auto operator<=>(const Gemm&, const Gemm&) = default;
};

/// Fused attention over `queries` x `keys` positions; causal counts half the square, with a window
/// what of that half is in it.
struct Attention {
  std::int64_t batch = 0;
  std::int64_t heads = 0;
  std::int64_t queries = 0;
  std::int64_t keys = 0;
  std::int64_t head_dimension = 0;
  bool causal = false;
  Direction direction{};
  AttentionKernel implementation{};
  std::int64_t value_dimension = 0;  ///< of values and output; 0: as head_dimension
  /// Keys that a query of causal attention sees, itself among them; 0: all before it.
  std::int64_t window = 0;
  /// Where the sequences of a batch are of unlike lengths: pairs of positions over those of as many
  /// that are all alike.
  double unevenness = 1;
  bool dropout = false;  ///< draws a random number for each pair, backward once more

  friend auto operator<=>(const Attention&, const Attention&) = default;
};

enum class StreamingKind {
  element_wise,
  cast,
  block_cast,
  amax,
  norm_forward,
  norm_backward,
  cross_entropy,
  row_add  ///< rows added to those of their tokens, an atomic addition an element
};

/// A memory-bound kernel, by the bytes that it moves.
struct Streaming {
  StreamingKind kind{};
  double bytes = 0;
  int launches = 1;  ///< kernels that it is, one after the other; 0: none, the host waits

  friend auto operator<=>(const Streaming&, const Streaming&) = default;
};

using Kernel = std::variant<Gemm, Attention, Streaming>;

/// Floating-point operations of a kernel: 2mnk; attention with queries and keys of dimension d and
/// values of dimension e 2*b*a*q*k*(d + e) forward, 2*b*a*q*k*(3d + 2e) backward, half if causal;
/// none counted for memory-bound kernels.
double kernel_flops(const Kernel& kernel);

/// How long a kernel takes alone, and what it is bound by: the shares of its time that stretch when
/// streaming multiprocessors or memory bandwidth are taken by others. `draw` is the power of the
/// SM-bound part at full clock, in units of the GPU's limit; SMs that a kernel leaves free draw
/// none of it.
struct KernelTime {
  Duration time{};
  double sm_bound = 0;
  double memory_bound = 0;
  double draw = 0;
};

/// Time of kernels on one GPU. Contract: pure; positive for work; never shorter for more FLOPs or
/// bytes; never faster than peak FLOPs or memory bandwidth allow.
class KernelModel {
 public:
  KernelModel() = default;
  KernelModel(const KernelModel&) = delete;
  KernelModel& operator=(const KernelModel&) = delete;
  virtual ~KernelModel() = default;
  [[nodiscard]] virtual KernelTime time(const Kernel& kernel) const = 0;
};

/// The closed form fitted to measured kernels. Symbols: S SMs, R rate of the whole GPU (the burst
/// rate times the clock), t0 kernel floor, BW memory bandwidth, eta efficiency.
///
/// GEMM, least over the tile set (bm x bn) and split-K 1, 2, 4:
///     w = ceil(m/bm) ceil(n/bn) split / S              waves of tiles
///     W = a ceil(w) + (1 - a) max(w, 1)                 a: wave sharpness
///     C = W (2 bm bn (k/split) S / R + te),   D = bytes / (eta BW),   t = t0 + (C^4 + D^4)^(1/4)
/// of g groups g times the tiles and bytes; where they are kernels of their own, on four streams,
/// half-way from there to the sum of their times alone. te is the part of a wave that is not
/// overlapped; S in w is less by the SM margin. On Blackwell a tile of more than 128 x 256 takes a
/// pair of SMs. Weight gradients run at
/// a further efficiency and read what they add to.
///
/// Attention, with F the FLOPs, s the keys' length and q = grid penalty:
///     w = b heads ceil(queries / block rows) / S,   t = t0 + F (1 + s0/s) (1 + q/w) / (c R)
/// where c is the share of R that the head dimension reaches, and a block that is not full counts
/// as a full one in F too. Causal blocks are as long as the keys that they see, so that the last
/// ones run beside idle SMs, which q counts; dense blocks are alike and lose 1/w where w is below
/// one. s0 is the length of half rate for causal blocks; dense blocks have no
/// diagonal to fill and use 175 (reference points: cudnn-frontend non-causal runs, s0 150 to 200).
/// A causal query sees s/2 keys in the mean, beside s0/2 that stand for blocks on the diagonal. In
/// a window it sees fewer, and blocks on the window's far edge are half full too. R was measured in
/// short runs at full clock and is lowered by the clock as that of a GEMM.
///
/// Memory-bound:  t = t0 + bytes / (eta BW).
///
/// It stops holding for n or k that are not multiples of 8, and is off by 7 % in the mean for m
/// below 1024 (docs/kernel-validation.md).
class FittedKernelModel final : public KernelModel {
 public:
  /// `clock`: share of the full clock at which the SMs run; see step_clock.
  explicit FittedKernelModel(const GpuSpec& gpu, double clock = 1) : gpu_(gpu), clock_(clock) {}
  [[nodiscard]] KernelTime time(const Kernel& kernel) const override;

 private:
  [[nodiscard]] KernelTime time_of(const Gemm& gemm) const;
  [[nodiscard]] KernelTime time_at_once(const Gemm& gemm) const;
  [[nodiscard]] KernelTime time_of(const Attention& attention) const;
  [[nodiscard]] KernelTime time_of(const Streaming& streaming) const;

  const GpuSpec& gpu_;
  double clock_;
};

/// A GPU that takes `slowdown` times as long for every kernel as `kernels` says.
class SlowedKernelModel final : public KernelModel {
 public:
  SlowedKernelModel(const KernelModel& kernels, double slowdown)
      : kernels_(kernels), slowdown_(slowdown) {}
  [[nodiscard]] KernelTime time(const Kernel& kernel) const override;

 private:
  const KernelModel& kernels_;
  double slowdown_;
};

}  // namespace simtrain
