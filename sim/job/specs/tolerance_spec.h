#pragma once

#include <string>

#include "sim/core/fields.h"
#include "sim/core/quantity.h"
#include "sim/core/source_place.h"
#include "sim/core/sourced.h"

namespace simtrain {

class DataFolder;

/// How replicas leave a job that goes on without them, and come back:
/// `hardware/fault_tolerance/NAME.yaml`. All other replicas wait meanwhile.
struct ToleranceSpec {
  std::string name;
  std::string description;
  Sourced<Duration> notice;  ///< from a failure until the others know that a replica is gone
  Sourced<Duration> leave;   ///< until they go on without it: agreement, communicators
  Sourced<Duration> join;    ///< where one that has started again is taken in
  SourcePlace where;
};
template <>
struct Fields<ToleranceSpec>;

/// Reads one by name. Throws InputError where it is unknown.
ToleranceSpec load_tolerance(const DataFolder& data, const std::string& name,
                             const SourcePlace& where, const std::string& key);

}  // namespace simtrain
