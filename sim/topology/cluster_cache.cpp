#include "sim/topology/cluster_cache.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <type_traits>
#include <vector>

#include "sim/topology/specs/cluster_fields.h"
#include "sim/topology/specs/fault_fields.h"
#include "sim/topology/specs/gpu_fields.h"
#include "sim/topology/specs/node_fields.h"

namespace simtrain {
namespace {

/// Visitor that writes all values of a struct one behind another, so that equal texts are equal
/// values.
class KeyWriter {
 public:
  template <class T, class... Limit>
  void operator()(std::string_view /*key*/, T& field, Limit... /*limits*/) {
    write(field);
  }
  template <class T, class... Limit>
  void optional(std::string_view /*key*/, T& field, Limit... /*limits*/) {
    write(field);
  }
  std::string take() { return std::move(text_); }

  template <class T>
  void write(T& value) {
    if constexpr (std::is_trivially_copyable_v<T> && std::has_unique_object_representations_v<T>) {
      bytes(&value, sizeof value);
    } else {
      visit_fields(*this, value);
    }
  }
  void write(double& value) { bytes(&value, sizeof value); }
  void write(std::string& value) {
    count(value.size());
    text_ += value;
  }
  template <class Dimension, class Rep>
  void write(Quantity<Dimension, Rep>& value) {
    const Rep number = value.value();
    bytes(&number, sizeof number);
  }
  template <class T>
  void write(Sourced<T>& value) {
    write(value.value);
    write(value.source);
  }
  template <class T>
  void write(std::optional<T>& value) {
    count(value ? 1 : 0);
    if (value) write(*value);
  }
  template <class T>
  void write(std::vector<T>& values) {
    count(values.size());
    for (T& value : values) write(value);
  }
  template <class T, std::size_t N>
  void write(std::array<T, N>& values) {
    for (T& value : values) write(value);
  }

 private:
  void count(std::uint64_t number) { bytes(&number, sizeof number); }
  void bytes(const void* data, std::size_t size) {
    text_.append(static_cast<const char*>(data), size);
  }

  std::string text_;
};

std::string key_of(ClusterSpec spec) {
  KeyWriter writer;
  writer.write(spec.name);
  writer.write(spec.nodes);
  writer.write(spec.node);
  writer.write(spec.gpu);
  writer.write(spec.fabric);
  writer.write(spec.faults);
  writer.write(spec.pue);
  writer.write(spec.host_links);
  return writer.take();
}

}  // namespace

std::shared_ptr<const Cluster> ClusterCache::get(const ClusterSpec& spec) {
  if (spec.graph) return std::make_shared<const Cluster>(spec);
  std::string key = key_of(spec);
  if (auto known = find(key)) return known;
  return keep(std::move(key), std::make_shared<const Cluster>(spec));
}

std::shared_ptr<const Cluster> ClusterCache::find(const std::string& key) {
  const std::lock_guard lock(mutex_);
  const auto entry = std::find_if(entries_.begin(), entries_.end(),
                                  [&](const Entry& known) { return known.first == key; });
  if (entry == entries_.end()) return nullptr;
  entries_.splice(entries_.begin(), entries_, entry);
  return entry->second;
}

/// Where another thread built the same one meanwhile, both stay; the older one goes first.
std::shared_ptr<const Cluster> ClusterCache::keep(std::string key,
                                                  std::shared_ptr<const Cluster> cluster) {
  const std::lock_guard lock(mutex_);
  entries_.emplace_front(std::move(key), cluster);
  if (entries_.size() > most_) entries_.pop_back();
  return cluster;
}

}  // namespace simtrain
