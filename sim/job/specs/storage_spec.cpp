#include "sim/job/specs/storage_spec.h"

#include <fmt/format.h>

#include "sim/core/files/data_folder.h"
#include "sim/job/specs/storage_fields.h"

namespace simtrain {

StorageSpec load_storage(const DataFolder& data, const std::string& name, const SourcePlace& where,
                         const std::string& key) {
  auto storage = data.load<StorageSpec>("hardware/storage", name, where, key);
  if (storage.scope == StorageScope::shared && (!storage.read || !storage.write))
    throw InputError(storage.where, storage.read ? "write" : "read",
                     "is missing; a shared storage says how fast all of it is");
  if (storage.scope == StorageScope::node && (storage.read || storage.write))
    throw InputError(storage.where, storage.read ? "read" : "write",
                     "is of a shared storage; node_read and node_write would do for one of nodes");
  if (storage.drains_to) {
    const auto next =
        data.load<StorageSpec>("hardware/storage", *storage.drains_to, storage.where, "drains_to");
    if (next.drains_to)
      throw InputError(storage.where, "drains_to",
                       fmt::format("'{}' drains to a third storage itself; '{}' would do",
                                   *storage.drains_to, *next.drains_to));
  }
  return storage;
}

}  // namespace simtrain
