#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "sim/core/enum_names.h"
#include "sim/core/fields.h"
#include "sim/core/quantity.h"
#include "sim/core/source_place.h"
#include "sim/core/sourced.h"

namespace simtrain {

class DataFolder;

/// What there is one or more of, each failing as often as the next. `unit`: the nodes below one set
/// of leaf switches (a scalable unit, a rack's switch).
enum class FailureUnit { gpu, nic, node, unit, job };

/// What a failure does: ends the job; slows it down until somebody notices, or for a while; makes
/// its results wrong until somebody notices; or is announced, so that the job saves before it ends.
enum class FailureEffect { stops, slows, corrupts, planned };

/// Whose nodes it takes out for repair: none, so that the same nodes go on; one; or all of a unit.
enum class FailureReach { none, node, unit };

template <>
struct EnumNames<FailureUnit> {
  static constexpr std::array rows{std::pair{std::string_view("gpu"), FailureUnit::gpu},
                                   std::pair{std::string_view("nic"), FailureUnit::nic},
                                   std::pair{std::string_view("node"), FailureUnit::node},
                                   std::pair{std::string_view("unit"), FailureUnit::unit},
                                   std::pair{std::string_view("job"), FailureUnit::job}};
};
template <>
struct EnumNames<FailureEffect> {
  static constexpr std::array rows{std::pair{std::string_view("stops"), FailureEffect::stops},
                                   std::pair{std::string_view("slows"), FailureEffect::slows},
                                   std::pair{std::string_view("corrupts"), FailureEffect::corrupts},
                                   std::pair{std::string_view("planned"), FailureEffect::planned}};
};
template <>
struct EnumNames<FailureReach> {
  static constexpr std::array rows{std::pair{std::string_view("none"), FailureReach::none},
                                   std::pair{std::string_view("node"), FailureReach::node},
                                   std::pair{std::string_view("unit"), FailureReach::unit}};
};

/// The machine and time that failures were counted on.
struct FailureExposure {
  double days = 0;
  double gpus = 0;
  double nics = 0;
  double nodes = 0;
  double units = 0;
  std::string source;
};
template <>
struct Fields<FailureExposure>;

/// One kind of failure.
struct FailureRow {
  std::string component;  ///< gpu, hbm, nic, link, switch, host, power, software, ...
  FailureUnit per{};
  double events = 0;  ///< counted over the exposure
  std::string source;
  FailureEffect effect{};
  FailureReach takes{};
  /// Until it is known. Of those that stop a job always so long; of others, and of how long one
  /// without repair slows, the mean of an exponential distribution.
  Sourced<Duration> detection;
  std::optional<Sourced<Duration>> repair;  ///< mean, until the nodes are back; where it takes some
  std::optional<Sourced<double>> gpu_slowdown;         ///< of what slows: as cluster.faults.gpus
  std::optional<Sourced<double>> nic_bandwidth_share;  ///< as cluster.faults.nics
  SourcePlace where;
};
template <>
struct Fields<FailureRow>;

/// The way from a known failure to the steps, but for communicators and the first step (StepEvents)
/// and for loading.
struct RestartSpec {
  Sourced<Duration> scheduler;  ///< nodes are found and the job is started on them
  Sourced<Duration> launch;     ///< containers, imports, data loaders
  /// Restarts that wait for a person, and how long (mean).
  Sourced<double> manual_share;
  Sourced<Duration> manual_delay;
};
template <>
struct Fields<RestartSpec>;

/// How often what fails, and how the job comes back: `hardware/failures/NAME.yaml`.
struct FailureSpec {
  std::string name;
  std::string description;
  FailureExposure observed;
  std::vector<FailureRow> components;
  RestartSpec restart;
  SourcePlace where;
};
template <>
struct Fields<FailureSpec>;

/// Reads one by name. Throws InputError where it is unknown, a row counts events of units that the
/// exposure has none of, and where a row lacks what its effect needs.
FailureSpec load_failures(const DataFolder& data, const std::string& name, const SourcePlace& where,
                          const std::string& key);

/// Events of one unit in a second.
double rate_per_unit(const FailureExposure& observed, const FailureRow& row);

}  // namespace simtrain
