#include "sim/job/specs/failure_spec.h"

#include <fmt/format.h>

#include "sim/core/files/data_folder.h"
#include "sim/core/quantity.h"
#include "sim/job/specs/failure_fields.h"

namespace simtrain {
namespace {

double units_of(const FailureExposure& observed, FailureUnit unit) {
  switch (unit) {
    case FailureUnit::gpu:
      return observed.gpus;
    case FailureUnit::nic:
      return observed.nics;
    case FailureUnit::node:
      return observed.nodes;
    case FailureUnit::unit:
      return observed.units;
    case FailureUnit::job:
      return 1;
  }
  return 1;
}

void check_failure(const FailureExposure& observed, const FailureRow& row, const std::string& key) {
  const auto refuse = [&](const char* field, const std::string& reason) {
    throw InputError(row.where, fmt::format("{}.{}", key, field), reason);
  };
  if (units_of(observed, row.per) <= 0)
    refuse("per",
           fmt::format("'{0}' needs observed.{0}s, what they were counted on", name_of(row.per)));
  if ((row.takes != FailureReach::none) != row.repair.has_value())
    refuse("repair", row.repair ? "is of nodes, and the row takes none"
                                : "is missing; the row takes nodes out");
  const int slowed = (row.gpu_slowdown ? 1 : 0) + (row.nic_bandwidth_share ? 1 : 0);
  if (row.effect == FailureEffect::slows && slowed != 1)
    refuse("effect", "'slows' needs one of gpu_slowdown and nic_bandwidth_share");
  if (row.effect != FailureEffect::slows && slowed != 0)
    refuse("effect", fmt::format("'{}' has no use for gpu_slowdown or nic_bandwidth_share",
                                 name_of(row.effect)));
}

}  // namespace

FailureSpec load_failures(const DataFolder& data, const std::string& name, const SourcePlace& where,
                          const std::string& key) {
  auto spec = data.load<FailureSpec>("hardware/failures", name, where, key);
  for (std::size_t i = 0; i < spec.components.size(); ++i)
    check_failure(spec.observed, spec.components[i], fmt::format("components[{}]", i));
  return spec;
}

double rate_per_unit(const FailureExposure& observed, const FailureRow& row) {
  return row.events / (units_of(observed, row.per) * observed.days * kSecondsPerDay);
}

}  // namespace simtrain
