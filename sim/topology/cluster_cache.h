#pragma once

#include <cstddef>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "sim/topology/cluster.h"

namespace simtrain {

/// Clusters that have been built, for simulations that differ in other things than their cluster.
/// Whoever runs them owns one and hands it to each: it is for many threads at a time, and what it
/// gives is what a fresh build would be, digit by digit.
class ClusterCache {
 public:
  /// Keeps the `most` clusters that were asked for last. One of 4,096 GPUs takes about 3 MB.
  explicit ClusterCache(std::size_t most = 16) : most_(most) {}

  /// The cluster of an equal spec: same numbers, names, sources and faults, wherever they were
  /// read. Clusters of a graph of their own are built anew. Throws as Cluster's constructor does.
  std::shared_ptr<const Cluster> get(const ClusterSpec& spec);

 private:
  using Entry = std::pair<std::string, std::shared_ptr<const Cluster>>;
  [[nodiscard]] std::shared_ptr<const Cluster> find(const std::string& key);
  std::shared_ptr<const Cluster> keep(std::string key, std::shared_ptr<const Cluster> cluster);

  std::size_t most_;
  std::mutex mutex_;
  std::list<Entry> entries_;  ///< by key, the most recently used first
};

}  // namespace simtrain
