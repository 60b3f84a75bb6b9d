#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "sim/core/enum_names.h"

namespace simtrain {

/// What a GPU draws its power for: GEMMs by the type whose rate they run at (in the order of
/// DataType), other kernels, collectives that nothing hides or that come on top of the kernels
/// beside them, and waiting: exposed waits, pipeline bubbles, the host.
enum class DrawKind : std::uint8_t {
  gemm_bf16,
  gemm_fp8,
  gemm_fp8_block,
  gemm_mxfp8,
  gemm_nvfp4,
  gemm_fp32,
  attention,
  memory_bound,
  communication,
  idle
};
inline constexpr std::size_t kDrawKinds = 10;
template <>
struct EnumNames<DrawKind> {
  static constexpr std::array rows{
      std::pair{std::string_view("gemm_bf16"), DrawKind::gemm_bf16},
      std::pair{std::string_view("gemm_fp8"), DrawKind::gemm_fp8},
      std::pair{std::string_view("gemm_fp8_block"), DrawKind::gemm_fp8_block},
      std::pair{std::string_view("gemm_mxfp8"), DrawKind::gemm_mxfp8},
      std::pair{std::string_view("gemm_nvfp4"), DrawKind::gemm_nvfp4},
      std::pair{std::string_view("gemm_fp32"), DrawKind::gemm_fp32},
      std::pair{std::string_view("attention"), DrawKind::attention},
      std::pair{std::string_view("memory_bound_kernels"), DrawKind::memory_bound},
      std::pair{std::string_view("communication"), DrawKind::communication},
      std::pair{std::string_view("idle"), DrawKind::idle}};
};
/// Joules (or watts) by kind.
using ByDrawKind = std::array<double, kDrawKinds>;

/// What draws it.
enum class PowerPart : std::uint8_t {
  gpus,
  hosts,
  nics,
  nvswitches,
  power_supplies,
  switches,
  transceivers,
  site
};
inline constexpr std::size_t kPowerParts = 8;
template <>
struct EnumNames<PowerPart> {
  static constexpr std::array rows{
      std::pair{std::string_view("gpus"), PowerPart::gpus},
      std::pair{std::string_view("hosts"), PowerPart::hosts},
      std::pair{std::string_view("nics"), PowerPart::nics},
      std::pair{std::string_view("nvswitches"), PowerPart::nvswitches},
      std::pair{std::string_view("power_supplies"), PowerPart::power_supplies},
      std::pair{std::string_view("switches"), PowerPart::switches},
      std::pair{std::string_view("transceivers"), PowerPart::transceivers},
      std::pair{std::string_view("site"), PowerPart::site}};
};
/// Joules (or watts) by part. The first five are of the nodes: what their sockets give.
using ByPowerPart = std::array<double, kPowerParts>;
inline constexpr std::size_t kPartsOfNodes = 5;

/// Mean power of a GPU in equal parts of a step: of all GPUs, and of those of each pipeline stage.
struct PowerTrace {
  double interval_s = 0;
  std::vector<double> mean_w;
  std::vector<std::vector<double>> stage_w;  ///< by stage

  [[nodiscard]] double least_w() const;
  [[nodiscard]] double most_w() const;
  /// `mean_w` as means over that many parts, which divides the number that there are.
  [[nodiscard]] std::vector<double> means(std::size_t parts) const;
};
inline constexpr std::size_t kTraceParts = 1000;

/// What energy (or a part of it) costs; nothing where the scenario gives no price for it.
struct EnergyCost {
  double gpu_usd = 0;          ///< at the price of a GPU hour
  double electricity_usd = 0;  ///< at the price of a kWh, site included
  double carbon_kg = 0;        ///< CO2 equivalents, site included
  [[nodiscard]] EnergyCost times(double factor) const {
    return {gpu_usd * factor, electricity_usd * factor, carbon_kg * factor};
  }
};

/// The energy of one step of a whole job.
struct StepEnergy {
  double step_s = 0;
  double tokens = 0;  ///< of a step
  int gpus = 0;
  int nodes = 0;
  double limit_w = 0;       ///< power limit of a GPU
  ByDrawKind gpu_joules{};  ///< of all GPUs; sums to joules[gpus]
  ByPowerPart joules{};     ///< sums to the whole
  PowerTrace trace;
  double pue = 1;
  EnergyCost cost;         ///< of a step
  bool gpu_price = false;  ///< whether the scenario gives each
  bool electricity_price = false;
  bool grid = false;
  /// Facts that no file of the cluster gives, in words, with the rule that they follow.
  std::vector<std::string> by_rule;

  [[nodiscard]] double part(PowerPart part) const { return joules[static_cast<std::size_t>(part)]; }
  [[nodiscard]] double total_joules() const;
  /// At the sockets of the nodes.
  [[nodiscard]] double node_joules() const;
  [[nodiscard]] double gpu_w() const { return part(PowerPart::gpus) / step_s / gpus; }
  [[nodiscard]] double node_w() const { return node_joules() / step_s / nodes; }
  /// With switches and site.
  [[nodiscard]] double cluster_w() const { return total_joules() / step_s; }
  [[nodiscard]] double joules_per_token() const { return total_joules() / tokens; }
  [[nodiscard]] double mwh_per_1t_tokens() const;
  [[nodiscard]] EnergyCost cost_per_1t_tokens() const { return cost.times(1e12 / tokens); }
  /// GPU hours and electricity together, as far as they have prices.
  [[nodiscard]] double usd_per_1t_tokens() const {
    return (cost.gpu_usd + cost.electricity_usd) * 1e12 / tokens;
  }
  [[nodiscard]] bool priced() const { return gpu_price || electricity_price; }
};

struct SimulatedStep;

/// The energy of a simulated step, from the draws of the kernels at the clock of the step. A kernel
/// draws, of the power limit, at clock c
///     sm_bound draw c^exponent + (1 - sm_bound) streaming
/// as the power balance that gave c has it (step_clock.h). A GPU draws `communication` while a
/// collective moves and no kernel runs, `idle` while neither does. Beside a kernel a collective
/// adds what it draws above idle, as far as the limit has room; a pass that transfers slow down
/// draws as much as alone, for longer. No pass draws more than the limit on average.
///
/// Hosts, NICs and switches draw what their files say, all the time; network switches by the job's
/// share of the cluster's nodes.
StepEnergy step_energy(const SimulatedStep& simulated);

}  // namespace simtrain
