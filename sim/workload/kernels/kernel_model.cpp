#include "sim/workload/kernels/kernel_model.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "sim/core/input/input_error.h"
#include "sim/workload/kernels/streaming_kinds.h"

namespace simtrain {
namespace {

constexpr double kDenseHalfRateSequence = 175;
/// Of what kernels of one shape leave idle, one after the other, the share that those of other
/// streams fill: 0.5 from Transformer Engine's GEMMs of experts on four streams (8 x [4096, 768,
/// 2048] 628 and 16 x [2048, 768, 2048] 554 TFLOP/s on H100, its pull request 2045).
constexpr double kFilledByOthers = 0.5;
/// Elements of a GEMM's output whose sums one SM can hold; a larger tile takes a pair of SMs.
constexpr int kLargestTileOfOneSm = 128 * 256;

double operations(const Gemm& gemm) {
  return 2.0 * static_cast<double>(gemm.m) * static_cast<double>(gemm.n) *
         static_cast<double>(gemm.k) * static_cast<double>(gemm.groups);
}

/// Pairs of a query and a key that one head multiplies.
double pairs(const Attention& attention) {
  const auto queries = static_cast<double>(attention.queries);
  const auto keys = static_cast<double>(attention.keys);
  if (!attention.causal) return queries * keys;
  const auto window = static_cast<double>(attention.window);
  const bool windowed = attention.window > 0 && attention.window < attention.keys;
  return windowed ? queries * window - window * window / 2 : queries * keys * 0.5;
}

/// Those of all heads of all sequences. Dropout draws a random number for each.
double all_pairs(const Attention& attention) {
  return static_cast<double>(attention.batch * attention.heads) * pairs(attention) *
         attention.unevenness;
}

/// Forward QK' and PV; backward QK' once more, dP and dV over values, dQ and dK over keys.
double operations(const Attention& attention) {
  const auto keys = static_cast<double>(attention.head_dimension);
  const double values =
      attention.value_dimension == 0 ? keys : static_cast<double>(attention.value_dimension);
  const double length =
      attention.direction == Direction::forward ? keys + values : 3 * keys + 2 * values;
  return 2.0 * all_pairs(attention) * length;
}

double operations(const Streaming& /*streaming*/) { return 0; }

const AttentionSpec& attention_spec(const GpuSpec& gpu, const Attention& attention) {
  for (const AttentionSpec& row : gpu.attention) {
    if (row.implementation == attention.implementation && row.direction == attention.direction)
      return row;
  }
  throw InputError(gpu.where, "attention",
                   fmt::format("has no row for {} {}", name_of(attention.implementation),
                               name_of(attention.direction)));
}

double blocks(std::int64_t length, int block) {
  return std::ceil(static_cast<double>(length) / block);
}

/// Work of blocks over that of pairs: those on the diagonal, and on the far edge of a window, are
/// not full. They are as many for each query, however many keys it sees: where lengths are unlike,
/// the mean of what queries see counts.
double block_share(const Attention& attention, const AttentionSpec& spec) {
  const auto keys = static_cast<double>(attention.keys);
  if (!attention.causal)
    return 1 + std::min(spec.half_rate_sequence, kDenseHalfRateSequence) / keys;
  if (attention.window == 0 || attention.window >= attention.keys)
    return 1 + spec.half_rate_sequence / (keys * attention.unevenness);
  const double seen =
      pairs(attention) * attention.unevenness / static_cast<double>(attention.queries);
  const double edge = std::min(spec.block_rows / 2.0, keys - static_cast<double>(attention.window));
  return 1 + (spec.half_rate_sequence / 2 + edge) / seen;
}

/// How much longer a grid of so many waves of blocks takes than its mean block. Causal blocks are
/// as long as the keys that they see, so that the last ones run beside idle SMs; dense ones are
/// alike.
double grid_share(const Attention& attention, const AttentionSpec& spec, double waves) {
  return attention.causal ? 1 + spec.grid_penalty / waves : std::max(1.0, 1 / waves);
}

/// The share of a row's rate that heads of `dimension` reach.
double head_dimension_share(const AttentionSpec& spec, double dimension) {
  const auto& shares = spec.head_dimension_shares;
  if (shares.empty()) return 1;
  if (dimension <= shares.front()[0]) return shares.front()[1];
  for (std::size_t i = 1; i < shares.size(); ++i) {
    const auto& [low, low_share] = shares[i - 1];
    const auto& [high, high_share] = shares[i];
    if (dimension <= high)
      return low_share + (high_share - low_share) * (dimension - low) / (high - low);
  }
  return shares.back()[1];
}

/// Arithmetic and memory traffic overlap, though not to the last: the 4-norm of the two, which is
/// the longer one where they differ and a fifth more where they are equal.
double overlapped(double compute, double memory) {
  const double c = compute * compute;
  const double m = memory * memory;
  return std::sqrt(std::sqrt(c * c + m * m));
}

double gemm_bytes(const Gemm& gemm, int split) {
  const double input = static_cast<double>(gemm.m * gemm.k) * gemm.x_bytes +
                       static_cast<double>(gemm.n * gemm.k) * gemm.w_bytes;
  const auto output = static_cast<double>(gemm.m * gemm.n * bytes_of(gemm.output));
  const auto partial = static_cast<double>(gemm.m * gemm.n) * 4.0;
  return static_cast<double>(gemm.groups) * (input + output * (gemm.accumulate ? 2.0 : 1.0) +
                                             (split > 1 ? 2.0 * split * partial : 0.0));
}

}  // namespace

double kernel_flops(const Kernel& kernel) {
  return std::visit([](const auto& k) { return operations(k); }, kernel);
}

KernelTime FittedKernelModel::time(const Kernel& kernel) const {
  return std::visit([this](const auto& k) { return time_of(k); }, kernel);
}

KernelTime FittedKernelModel::time_at_once(const Gemm& gemm) const {
  const GemmRate& rate = gpu_.gemm_rate(gemm.type);
  const double sms = gpu_.sm_count.value;
  const double gradient_efficiency =
      rate.weight_gradient_efficiency.value_or(gpu_.gemm.weight_gradient_efficiency.value);
  const double whole_rate =
      rate.burst.value() * clock_ * (gemm.accumulate ? gradient_efficiency : 1.0);
  const double bandwidth = gpu_.gemm.memory_efficiency.value * gpu_.memory_bandwidth.value.value();
  const auto groups = static_cast<double>(gemm.groups);
  double best = std::numeric_limits<double>::infinity();
  bool memory_bound = false;
  for (const auto& [rows, columns] : gpu_.gemm.tiles) {
    const bool pair = rows * columns > kLargestTileOfOneSm;
    const double slots = (sms - gemm.sm_margin) / (pair ? 2 : 1);
    const double slot_rate = whole_rate / sms * (pair ? 2 : 1);
    for (const int split : {1, 2, 4}) {
      const double waves = blocks(gemm.m, rows) * blocks(gemm.n, columns) * split * groups / slots;
      const double whole =
          rate.wave_sharpness * std::ceil(waves) + (1 - rate.wave_sharpness) * std::max(waves, 1.0);
      const double tile = 2.0 * rows * columns * static_cast<double>(gemm.k) / split / slot_rate;
      const double compute = whole * (tile + to_seconds(rate.wave_overhead));
      const double memory = gemm_bytes(gemm, split) / bandwidth;
      const double both = overlapped(compute, memory);
      if (both < best) {
        best = both;
        memory_bound = memory > compute;
      }
    }
  }
  KernelTime result;
  result.time = gpu_.gemm.kernel_floor.value + to_duration(best);
  (memory_bound ? result.memory_bound : result.sm_bound) = best / to_seconds(result.time);
  result.draw = std::pow(rate.burst.value() / rate.sustained.value(), gpu_.power.exponent.value) *
                (sms - gemm.sm_margin) / sms;
  return result;
}

KernelTime FittedKernelModel::time_of(const Gemm& gemm) const {
  KernelTime result = time_at_once(gemm);
  if (gemm.launches == 1) return result;
  Gemm one = gemm;
  one.groups = std::max<std::int64_t>(1, gemm.groups / gemm.launches);
  const double in_turn = gemm.launches * to_seconds(time_at_once(one).time);
  result.time = to_duration(kFilledByOthers * to_seconds(result.time) +
                            (1 - kFilledByOthers) * std::max(in_turn, to_seconds(result.time)));
  return result;
}

KernelTime FittedKernelModel::time_of(const Attention& attention) const {
  const AttentionSpec& spec = attention_spec(gpu_, attention);
  const double rows = blocks(attention.queries, spec.block_rows) * spec.block_rows;
  const double waves = static_cast<double>(attention.batch * attention.heads) * rows /
                       spec.block_rows / gpu_.sm_count.value;
  const double rate = spec.rate.value() * clock_ *
                      head_dimension_share(spec, static_cast<double>(attention.head_dimension));
  const double numbers_per_s = spec.random_numbers.value * gpu_.sm_count.value * clock_;
  const double drawing = attention.dropout ? all_pairs(attention) / numbers_per_s : 0;
  const double products = operations(attention) * block_share(attention, spec) *
                          grid_share(attention, spec, waves) / rate;
  const double work = (products + drawing) * rows / static_cast<double>(attention.queries);
  KernelTime result;
  result.time = gpu_.gemm.kernel_floor.value + to_duration(work);
  result.sm_bound = work / to_seconds(result.time);
  result.draw = gpu_.power.attention.value;
  return result;
}

KernelTime FittedKernelModel::time_of(const Streaming& streaming) const {
  const StreamingSpec& spec = gpu_.streaming;
  const double moving = streaming.bytes / streaming_bandwidth(gpu_, streaming.kind);
  KernelTime result;
  result.time = streaming.launches * spec.kernel_floor.value + to_duration(moving);
  result.memory_bound = moving / to_seconds(result.time);
  return result;
}

KernelTime SlowedKernelModel::time(const Kernel& kernel) const {
  KernelTime result = kernels_.time(kernel);
  if (slowdown_ != 1) result.time = to_duration(to_seconds(result.time) * slowdown_);
  return result;
}

}  // namespace simtrain
