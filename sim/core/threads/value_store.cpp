#include "sim/core/threads/value_store.h"

namespace simtrain {

std::shared_ptr<const void> ValueStore::find(const Key& key) {
  const std::lock_guard lock(mutex_);
  const auto known = values_.find(key);
  return known == values_.end() ? nullptr : known->second;
}

std::shared_ptr<const void> ValueStore::keep(const Key& key,
                                             const std::shared_ptr<const void>& value) {
  const std::lock_guard lock(mutex_);
  return values_.try_emplace(key, value).first->second;
}

}  // namespace simtrain
