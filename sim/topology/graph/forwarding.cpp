#include "sim/topology/graph/forwarding.h"

#include <algorithm>
#include <mutex>

#include "sim/topology/graph/cluster_graph.h"

namespace simtrain {
namespace {

/// Of all switches towards one of them.
class ForwardingTable {
 public:
  struct Entry {
    int hops = -1;
    Duration latency{};
    std::vector<NextHop> next;
  };

  ForwardingTable() = default;
  ForwardingTable(const ClusterGraph& graph, const LinksByVertex& links, std::size_t first_switch,
                  std::size_t goal)
      : entries_(graph.devices.size() - first_switch) {
    entries_[goal - first_switch].hops = 0;
    std::vector<std::size_t> reached{goal};  // breadth first: grows while it is walked
    reached.reserve(entries_.size());
    for (std::size_t i = 0; i < reached.size(); ++i) {
      const std::size_t to = reached[i];
      const Entry& after = entries_[to - first_switch];
      for (const int back : links.out(to)) {
        const std::size_t from = graph.to(back);
        const ClusterGraph::Wire& wire = graph.wire_of(back);
        if (from < first_switch || wire.bandwidth.value() <= 0) continue;
        Entry& before = entries_[from - first_switch];
        if (before.hops < 0) {
          before.hops = after.hops + 1;
          reached.push_back(from);
        }
        if (before.hops != after.hops + 1) continue;
        before.latency = std::max(before.latency, after.latency + wire.latency);
        before.next.push_back({back ^ 1, to});
      }
    }
    for (Entry& entry : entries_) {
      std::sort(entry.next.begin(), entry.next.end(),
                [](const NextHop& a, const NextHop& b) { return a.link < b.link; });
    }
  }

  [[nodiscard]] const Entry& operator[](std::size_t place) const { return entries_[place]; }

 private:
  std::vector<Entry> entries_;  ///< by switch
};

class TableForwarding : public Forwarding {
 public:
  TableForwarding(const ClusterGraph& graph, const LinksByVertex& links, std::size_t first_switch)
      : graph_(graph),
        links_(links),
        first_switch_(first_switch),
        tables_(std::make_unique<LazyTable[]>(graph.devices.size() - first_switch)) {}

  [[nodiscard]] bool reaches(std::size_t from, std::size_t leaf) const override {
    return entry(from, leaf).hops >= 0;
  }
  [[nodiscard]] int hops(std::size_t from, std::size_t leaf) const override {
    return entry(from, leaf).hops;
  }
  [[nodiscard]] Duration latency(std::size_t from, std::size_t leaf) const override {
    return entry(from, leaf).latency;
  }
  [[nodiscard]] NextHops next(std::size_t from, std::size_t leaf) const override {
    return NextHops(entry(from, leaf).next);
  }

 private:
  struct LazyTable {
    std::once_flag once;
    ForwardingTable table;
  };

  [[nodiscard]] const ForwardingTable::Entry& entry(std::size_t from, std::size_t leaf) const {
    LazyTable& lazy = tables_[leaf - first_switch_];
    std::call_once(lazy.once,
                   [&] { lazy.table = ForwardingTable(graph_, links_, first_switch_, leaf); });
    return lazy.table[from - first_switch_];
  }

  const ClusterGraph& graph_;
  const LinksByVertex& links_;
  std::size_t first_switch_;
  std::unique_ptr<LazyTable[]> tables_;  ///< by switch
};

}  // namespace

std::unique_ptr<Forwarding> forwarding_tables(const ClusterGraph& graph, const LinksByVertex& links,
                                              std::size_t first_switch) {
  return std::make_unique<TableForwarding>(graph, links, first_switch);
}

}  // namespace simtrain
