#include "sim/topology/specs/gpu_changes.h"

#include <cmath>

#include <fmt/format.h>

#include "sim/core/input/input_error.h"

namespace simtrain {
namespace {

constexpr std::string_view kPowerLimit = "hardware.gpu.power.limit";
constexpr std::string_view kSmCount = "hardware.gpu.sm_count";

void set_power_limit(const GpuSpec& own, const std::string& key, const SourcePlace& where,
                     PowerSpec& power) {
  const double idle = own.power.limit.value.value() * own.power.idle.value;
  if (power.limit.value.value() <= idle)
    throw InputError(where, key,
                     fmt::format("{:g} W is no more than the {:g} W that a GPU draws while "
                                 "nothing runs",
                                 power.limit.value.value(), idle));
  power.capped = power.limit.value.value() / own.power.limit.value.value();
  power.limit.value = own.power.limit.value;
}

/// So many SMs more draw as many times more at full clock: of a GEMM (burst / sustained)^exponent.
void set_sm_count(const GpuSpec& own, GpuSpec& gpu) {
  const double more =
      static_cast<double>(gpu.sm_count.value) / static_cast<double>(own.sm_count.value);
  const double held = std::pow(more, 1 - 1 / gpu.power.exponent.value);
  for (GemmRate& rate : gpu.gemm.rates) {
    rate.burst = FlopRate(rate.burst.value() * more);
    rate.sustained = FlopRate(rate.sustained.value() * held);
  }
  for (AttentionSpec& kernel : gpu.attention) kernel.rate = FlopRate(kernel.rate.value() * more);
  gpu.power.attention.value *= more;
}

}  // namespace

bool takes_others_along(std::string_view key) { return key == kPowerLimit || key == kSmCount; }

void settle_gpu(const GpuSpec& own, const std::string& key, const SourcePlace& where,
                GpuSpec& gpu) {
  if (key == kPowerLimit) set_power_limit(own, key, where, gpu.power);
  if (key == kSmCount) set_sm_count(own, gpu);
}

}  // namespace simtrain
