#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "sim/core/quantity.h"

namespace simtrain {

struct ClusterGraph;
class LinksByVertex;

/// One entry of a switch's forwarding table.
struct NextHop {
  int link;
  std::size_t to;  ///< vertex
};

/// Equally short next steps from a switch, in order of links: as a table lists them, or every
/// `link_step`-th link from the first on, to `ring` switches in turn.
class NextHops {
 public:
  explicit NextHops(const std::vector<NextHop>& listed)
      : listed_(listed.data()), size_(listed.size()) {}
  NextHops(NextHop first, std::size_t size, int link_step, std::size_t ring)
      : size_(size), first_(first), link_step_(link_step), ring_(ring) {}

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] NextHop operator[](std::size_t i) const {
    if (listed_ != nullptr) return listed_[i];
    return {first_.link + static_cast<int>(i) * link_step_, first_.to + i % ring_};
  }

 private:
  const NextHop* listed_ = nullptr;
  std::size_t size_ = 0;
  NextHop first_{};
  int link_step_ = 0;
  std::size_t ring_ = 1;
};

/// How the switches of a fabric forward towards a leaf: over all ways of fewest hops, as minimal
/// InfiniBand routing and Ethernet ECMP do. Many threads may ask at a time.
class Forwarding {
 public:
  Forwarding() = default;
  Forwarding(const Forwarding&) = delete;
  Forwarding& operator=(const Forwarding&) = delete;
  virtual ~Forwarding() = default;

  [[nodiscard]] virtual bool reaches(std::size_t from, std::size_t leaf) const = 0;
  /// Links between switches on the way from here to the leaf.
  [[nodiscard]] virtual int hops(std::size_t from, std::size_t leaf) const = 0;
  /// Latency of these links, of the slowest way where ways differ.
  [[nodiscard]] virtual Duration latency(std::size_t from, std::size_t leaf) const = 0;
  /// Towards a leaf that is reached from here, and is not here.
  [[nodiscard]] virtual NextHops next(std::size_t from, std::size_t leaf) const = 0;
};

/// Forwarding of any graph: breadth first from each leaf when it is first asked for. Links without
/// bandwidth are not used. `first_switch`: the fabric's switches are this vertex and all behind it.
std::unique_ptr<Forwarding> forwarding_tables(const ClusterGraph& graph, const LinksByVertex& links,
                                              std::size_t first_switch);

}  // namespace simtrain
