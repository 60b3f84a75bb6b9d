#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <typeindex>
#include <utility>

namespace simtrain {

/// Immutable values by type and name, each made once. For many threads at a time; where two make
/// the same value at once, the first one stays.
class ValueStore {
 public:
  /// The value of this type and name, else what `make` returns. What it throws goes on, and nothing
  /// is kept.
  template <class T, class Make>
  std::shared_ptr<const T> get(const std::string& name, Make make) {
    const Key key{typeid(T), name};
    if (const auto known = find(key)) return std::static_pointer_cast<const T>(known);
    return std::static_pointer_cast<const T>(keep(key, std::make_shared<const T>(make())));
  }

 private:
  using Key = std::pair<std::type_index, std::string>;
  [[nodiscard]] std::shared_ptr<const void> find(const Key& key);
  std::shared_ptr<const void> keep(const Key& key, const std::shared_ptr<const void>& value);

  std::mutex mutex_;
  std::map<Key, std::shared_ptr<const void>> values_;
};

}  // namespace simtrain
