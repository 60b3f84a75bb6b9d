#pragma once

#include <array>
#include <optional>
#include <string>

#include "sim/core/enum_names.h"
#include "sim/core/fields.h"
#include "sim/core/quantity.h"
#include "sim/core/source_place.h"
#include "sim/core/sourced.h"
#include "sim/job/specs/failure_spec.h"

namespace simtrain {

class DataFolder;

/// Whose a storage is: one for all nodes, or each node's own, which is lost with the node.
enum class StorageScope { shared, node };

template <>
struct EnumNames<StorageScope> {
  static constexpr std::array rows{std::pair{std::string_view("shared"), StorageScope::shared},
                                   std::pair{std::string_view("node"), StorageScope::node}};
};

/// Where checkpoints go: `hardware/storage/NAME.yaml`. Bytes move at the least of three rates:
/// that of the processes that write or read, that of their nodes, and that of the whole system,
/// where it is shared.
struct StorageSpec {
  std::string name;
  std::string description;
  StorageScope scope{};
  std::optional<Sourced<Bandwidth>> read;  ///< of the whole system; required where it is shared
  std::optional<Sourced<Bandwidth>> write;
  Sourced<Bandwidth> node_read;  ///< of one node
  Sourced<Bandwidth> node_write;
  Sourced<Bandwidth> process_read;  ///< of one process, a GPU's
  Sourced<Bandwidth> process_write;
  Sourced<Duration> save_start;  ///< before the first byte and after the last: plan, files, commit
  Sourced<Duration> load_start;
  /// Its traffic takes NICs and links of training instead of others.
  std::optional<Sourced<bool>> over_compute_network;
  /// Of a node's: a copy is on the next node.
  std::optional<Sourced<bool>> replicated;
  std::optional<Sourced<bool>> in_host_memory;  ///< it takes memory of the hosts
  /// Checkpoints are copied on to this storage beside training, and safe when they are there.
  std::optional<std::string> drains_to;
  SourcePlace where;

  [[nodiscard]] bool shares_nics() const {
    return over_compute_network && over_compute_network->value;
  }
  [[nodiscard]] bool is_replicated() const { return replicated && replicated->value; }
  /// The most that failures may take without what it holds: copies on the next node are lost where
  /// a unit is.
  [[nodiscard]] FailureReach outlives() const {
    if (scope == StorageScope::shared) return FailureReach::unit;
    return is_replicated() ? FailureReach::node : FailureReach::none;
  }
};
template <>
struct Fields<StorageSpec>;

/// Reads a storage by name. Throws InputError where it is unknown, where a shared one lacks its
/// bandwidths, and where it drains to one that drains on.
StorageSpec load_storage(const DataFolder& data, const std::string& name, const SourcePlace& where,
                         const std::string& key);

}  // namespace simtrain
