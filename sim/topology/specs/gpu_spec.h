#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/core/enum_names.h"
#include "sim/core/fields.h"
#include "sim/core/quantity.h"
#include "sim/core/source_place.h"
#include "sim/core/sourced.h"

namespace simtrain {

enum class Architecture { ampere, ada, hopper, blackwell, cdna2, cdna3, cdna4 };
/// `fp8` has one scale a tensor; fp8_block (128 elements), mxfp8 and nvfp4 have one a block. `tf32`
/// are FP32 tensors that tensor cores multiply by 19 bits of each element.
enum class DataType { bf16, fp8, fp8_block, mxfp8, nvfp4, fp32, tf32 };
enum class AttentionKernel {
  cudnn,
  flash_attention_1,
  flash_attention_2,
  flash_attention_3,
  flash_attention_triton,
  unfused
};
enum class Direction { forward, backward };
/// How well the rates of a GPU's kernels are known: from kernels measured on it, from those of
/// another GPU of its architecture and the ratios of their datasheets, or by a guess.
enum class KernelKnowledge { measured, derived, assumed };

template <>
struct EnumNames<Architecture> {
  static constexpr std::array rows{
      std::pair{std::string_view("ampere"), Architecture::ampere},
      std::pair{std::string_view("ada"), Architecture::ada},
      std::pair{std::string_view("hopper"), Architecture::hopper},
      std::pair{std::string_view("blackwell"), Architecture::blackwell},
      std::pair{std::string_view("cdna2"), Architecture::cdna2},
      std::pair{std::string_view("cdna3"), Architecture::cdna3},
      std::pair{std::string_view("cdna4"), Architecture::cdna4}};
};
template <>
struct EnumNames<KernelKnowledge> {
  static constexpr std::array rows{
      std::pair{std::string_view("measured"), KernelKnowledge::measured},
      std::pair{std::string_view("derived"), KernelKnowledge::derived},
      std::pair{std::string_view("assumed"), KernelKnowledge::assumed}};
};
template <>
struct EnumNames<DataType> {
  static constexpr std::array rows{std::pair{std::string_view("bf16"), DataType::bf16},
                                   std::pair{std::string_view("fp8"), DataType::fp8},
                                   std::pair{std::string_view("fp8_block"), DataType::fp8_block},
                                   std::pair{std::string_view("mxfp8"), DataType::mxfp8},
                                   std::pair{std::string_view("nvfp4"), DataType::nvfp4},
                                   std::pair{std::string_view("fp32"), DataType::fp32},
                                   std::pair{std::string_view("tf32"), DataType::tf32}};
};
template <>
struct EnumNames<AttentionKernel> {
  static constexpr std::array rows{
      std::pair{std::string_view("cudnn"), AttentionKernel::cudnn},
      std::pair{std::string_view("flash-attention-1"), AttentionKernel::flash_attention_1},
      std::pair{std::string_view("flash-attention-2"), AttentionKernel::flash_attention_2},
      std::pair{std::string_view("flash-attention-3"), AttentionKernel::flash_attention_3},
      std::pair{std::string_view("flash-attention-triton"),
                AttentionKernel::flash_attention_triton},
      std::pair{std::string_view("unfused"), AttentionKernel::unfused}};
};
template <>
struct EnumNames<Direction> {
  static constexpr std::array rows{std::pair{std::string_view("forward"), Direction::forward},
                                   std::pair{std::string_view("backward"), Direction::backward}};
};

/// Bytes that one element takes at least; formats with scales know better (TensorFormat).
constexpr std::int64_t bytes_of(DataType type) {
  const bool wide = type == DataType::fp32 || type == DataType::tf32;
  return wide ? 4 : type == DataType::bf16 ? 2 : 1;
}

/// Dense peak of one data type: the denominator of MFU, never a kernel's rate.
struct PeakRate {
  DataType data_type{};
  FlopRate rate;
  std::string source;
};
template <>
struct Fields<PeakRate>;

/// Asymptotic GEMM rate of the whole GPU for one data type and what a wave of tiles adds. `burst`
/// is the rate of short runs at full clock; `sustained` that of GEMMs alone for a second and more,
/// at the power limit.
struct GemmRate {
  DataType data_type{};
  FlopRate burst;
  FlopRate sustained;
  Duration wave_overhead{};
  double wave_sharpness = 0;                         ///< 1: whole waves; 0: no wave quantization
  std::optional<double> weight_gradient_efficiency;  ///< missing: as for the other types
  std::string source;
};
template <>
struct Fields<GemmRate>;

struct GemmSpec {
  Sourced<Duration> kernel_floor;
  Sourced<double> memory_efficiency;
  Sourced<double> weight_gradient_efficiency;
  Sourced<double> overlap_slowdown;       ///< beside any transfer, beyond the SMs that it takes
  std::vector<std::array<int, 2>> tiles;  ///< rows x columns of an output tile
  std::string tiles_source;
  std::vector<GemmRate> rates;
  /// Whether tensor cores take operands below 16 bits only contiguous along k (Hopper), so that
  /// weight gradients read turned copies.
  Sourced<bool> quantized_operands_along_k;
};
template <>
struct Fields<GemmSpec>;

/// What the GPU draws, in units of its power limit, and how that falls with the clock. A GEMM alone
/// draws (burst / sustained)^exponent at full clock: that is what holds it at its sustained rate.
struct PowerSpec {
  Sourced<Power> limit;           ///< of the board; a module of two GPUs counts half for each
  Sourced<double> exponent;       ///< draw ~ clock^exponent while SMs are busy
  Sourced<double> attention;      ///< at full clock
  Sourced<double> streaming;      ///< memory-bound kernels, at any clock
  Sourced<double> available;      ///< share of the limit that a training step leaves to the kernels
  Sourced<double> idle;           ///< with a CUDA context and full memory clock, while nothing runs
  Sourced<double> communication;  ///< while a collective moves data and nothing else runs
  /// Relative standard deviation of a GPU's clock around that of its peers, and how long such a
  /// deviation lasts.
  Sourced<double> fluctuation;
  Sourced<Duration> fluctuation_time;
  /// What the GPU is set to, over its limit, which all draws are in units of: what a scenario makes
  /// of `hardware.gpu.power.limit`.
  double capped = 1;

  /// In watts.
  [[nodiscard]] double cap() const { return limit.value.value() * capped; }
  /// What memory-bound kernels draw under it, of the limit.
  [[nodiscard]] double capped_streaming() const { return std::min(streaming.value, capped); }
};
template <>
struct Fields<PowerSpec>;

/// Fused attention of one implementation and direction; the formula is in kernel_model.h.
struct AttentionSpec {
  AttentionKernel implementation{};
  Direction direction{};
  FlopRate rate;
  double half_rate_sequence = 0;
  double grid_penalty = 0;
  int block_rows = 128;
  /// Head dimensions, rising, and their share of `rate`; straight between two, level beyond.
  std::vector<std::array<double, 2>> head_dimension_shares;
  /// Of dropout, by which a kernel is longer: drawn by one SM in a second at full clock.
  Sourced<double> random_numbers;
  std::string source;
};
template <>
struct Fields<AttentionSpec>;

/// Share of the memory bandwidth that memory-bound kernels reach, by kind.
struct StreamingSpec {
  Sourced<Duration> kernel_floor;
  Sourced<double> element_wise;
  Sourced<double> cast;        ///< with one scale a tensor
  Sourced<double> block_cast;  ///< with one a block
  Sourced<double> amax;        ///< finds the largest value of a tensor
  Sourced<double> norm_forward;
  Sourced<double> norm_backward;
  Sourced<double> cross_entropy;
  /// Of rows that one SM adds to others by atomics, counted once; no share.
  Sourced<Bandwidth> row_add;
};
template <>
struct Fields<StreamingSpec>;

/// The links between GPUs of one node or rack: NVLink, AMD's xGMI, or PCIe where there is neither.
struct NvlinkSpec {
  Sourced<Bandwidth> bandwidth;              ///< per GPU and direction, all links
  Sourced<Bandwidth> copy_engine_bandwidth;  ///< measured peer copy
  /// What an SM of a user-buffer kernel of Transformer Engine loads or stores.
  Sourced<Bandwidth> user_buffer_sm_bandwidth;
  Sourced<Duration> switch_latency;
};
template <>
struct Fields<NvlinkSpec>;

/// How one NCCL protocol moves data between GPUs of one NVLink domain: `base` before the first
/// step, `hop` for each step from rank to rank, then bus bytes at `bandwidth`.
struct NcclProtocolSpec {
  Duration base{};
  Duration hop{};
  Bandwidth bandwidth;
  std::string source;
};
template <>
struct Fields<NcclProtocolSpec>;

/// Reduction in the NVLink switch: chunk after chunk through all channels and heads, each round of
/// them with `round_overhead` beside its bytes.
struct NvlsSpec {
  Duration base{};
  Duration round_overhead{};
  Bandwidth bandwidth;
  std::string source;
};
template <>
struct Fields<NvlsSpec>;

/// Sends and receives, of which an all-to-all is made: `base`, then bytes at `bandwidth` over all
/// peers together, at most a channel's share for each channel.
struct PairSpec {
  Duration base{};
  Bandwidth bandwidth;
  std::string source;
};
template <>
struct Fields<PairSpec>;

/// What NCCL reaches between GPUs of this kind.
struct NcclGpuSpec {
  Sourced<Bandwidth> graph_bandwidth;  ///< that NCCL's graph search counts for a GPU's NVLinks
  NcclProtocolSpec ll;
  NcclProtocolSpec ll128;
  NcclProtocolSpec simple;
  Sourced<Duration> slice_turnaround;  ///< of Simple: a step's handshake beyond its hop, which only
                                       ///< shows where half of the step's bytes take less
  NvlsSpec nvls;
  PairSpec pair;
  Sourced<int> p2p_channels;             ///< that a communicator has for sends in all
  Sourced<int> pair_channels;            ///< that one large message of a pair spreads over at most
  Sourced<Bandwidth> channel_bandwidth;  ///< of a channel among many, that is per SM taken
  Sourced<Bandwidth> lone_channel_bandwidth;  ///< of a channel among few
  Sourced<Bandwidth> copy_bandwidth;          ///< a channel's copy of the rank's own part
  Sourced<Bandwidth> network_ll_bandwidth;    ///< LL between NVLink domains, all channels
  [[nodiscard]] const NcclProtocolSpec& protocol(std::size_t index) const {
    return index == 0 ? ll : index == 1 ? ll128 : simple;
  }
};
template <>
struct Fields<NcclGpuSpec>;

/// How one RCCL protocol moves data between GPUs of one node: `base` before the first step, `hop`
/// for each step from rank to rank, then bus bytes at `link_share` of the links in use.
struct RcclProtocolSpec {
  Duration base{};
  Duration hop{};
  double link_share = 0;
  std::string source;
};
template <>
struct Fields<RcclProtocolSpec>;

/// What RCCL reaches between GPUs of this kind.
struct RcclGpuSpec {
  RcclProtocolSpec ll;
  RcclProtocolSpec ll128;
  RcclProtocolSpec simple;
  Sourced<int> channels_per_link;  ///< of a collective, for each peer of a rank
  [[nodiscard]] const RcclProtocolSpec& protocol(std::size_t index) const {
    return index == 0 ? ll : index == 1 ? ll128 : simple;
  }
};
template <>
struct Fields<RcclGpuSpec>;

/// One GPU model: `hardware/gpus/NAME.yaml`.
struct GpuSpec {
  std::string name;
  std::string description;
  Architecture architecture{};
  Sourced<KernelKnowledge> kernels{KernelKnowledge::measured, "default"};
  Sourced<int> sm_count;  ///< or compute units of AMD
  Sourced<Bytes> memory_capacity;
  Sourced<Bytes> gemm_workspaces;  ///< that PyTorch and Transformer Engine allocate on it
  Sourced<Bandwidth> memory_bandwidth;
  std::vector<PeakRate> peak_rates;
  GemmSpec gemm;
  PowerSpec power;
  std::vector<AttentionSpec> attention;
  StreamingSpec streaming;
  NvlinkSpec nvlink;
  NcclGpuSpec nccl;  ///< of use where has_nccl()
  std::optional<RcclGpuSpec> rccl;
  SourcePlace where;

  /// Whether the file says what NCCL reaches.
  [[nodiscard]] bool has_nccl() const { return !nccl.graph_bandwidth.source.empty(); }

  /// Dense peak for `type`; throws InputError at the file where it has no such row.
  [[nodiscard]] FlopRate peak(DataType type) const;
  /// The row of `gemm.rates` for `type`; throws InputError at the file where there is none.
  [[nodiscard]] const GemmRate& gemm_rate(DataType type) const;
};
template <>
struct Fields<GpuSpec>;

}  // namespace simtrain
