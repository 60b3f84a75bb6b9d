#include "sim/output/nccl/nccl_table.h"

#include <fmt/format.h>

#include "sim/output/text/json_parts.h"

namespace simtrain {
namespace {

constexpr std::int64_t kFloat = 4;

bool has_root(Collective collective) { return collective == Collective::broadcast; }

std::string_view reduction(Collective collective) {
  const bool reduces =
      collective == Collective::all_reduce || collective == Collective::reduce_scatter;
  return reduces ? "sum" : "none";
}

/// Elements as nccl-tests counts them: those of a rank's own part where the buffer is in parts.
std::int64_t elements(const NcclSweepRow& row, std::size_t ranks) {
  const std::int64_t all = row.cost.bytes.value() / kFloat;
  switch (row.cost.collective) {
    case Collective::all_gather:
    case Collective::reduce_scatter:
    case Collective::all_to_all:
      return all / static_cast<std::int64_t>(ranks);
    default:
      return all;
  }
}

/// nccl-tests prints at most seven characters.
std::string microseconds(Duration time) {
  const double us = to_seconds(time) * 1e6;
  return us >= 10000 ? fmt::format("{:.0f}", us)
         : us >= 100 ? fmt::format("{:.1f}", us)
                     : fmt::format("{:.2f}", us);
}

std::string choice(const TransferCost& cost) {
  return fmt::format("{} {}, {} channels", name_of(cost.algorithm), name_of(cost.protocol),
                     cost.sms);
}

double mean_bus_bandwidth(const std::vector<NcclSweepRow>& rows) {
  double sum = 0;
  for (const NcclSweepRow& row : rows) sum += row.bus_bandwidth();
  return sum / static_cast<double>(rows.size());
}

std::string headline(const NcclTableHead& head) {
  const NcclSweepRequest& request = head.request;
  std::string out = fmt::format(
      "# nThread 1 nGpus 1 minBytes {} maxBytes {} step: {}(factor) warmup iters: 0 iters: 1 agg "
      "iters: 1 validation: 0 graph: 0\n#\n",
      request.least.value(), request.most.value(), request.factor);
  out += fmt::format("# Predicted by simtrain: {} on {} GPUs ({}) of {} nodes\n",
                     name_of(request.collective), request.gpus.size(), head.gpu, head.nodes);
  out += fmt::format("# Cluster {}\n# NCCL version {}, NVLS {}\n#\n", head.cluster,
                     head.settings.version.value.text(), head.settings.nvls.value ? "on" : "off");
  out += fmt::format("#{:>61}{:>38}\n", "out-of-place", "in-place");
  out +=
      fmt::format("#{:>11}  {:>12}  {:>8}  {:>6}  {:>6}", "size", "count", "type", "redop", "root");
  for (int i = 0; i < 2; ++i)
    out += fmt::format("  {:>7}  {:>6}  {:>6}  {:>5}", "time", "algbw", "busbw", "#wrong");
  out += fmt::format("\n#{:>11}  {:>12}  {:>8}  {:>6}  {:>6}", "(B)", "(elements)", "", "", "");
  for (int i = 0; i < 2; ++i)
    out += fmt::format("  {:>7}  {:>6}  {:>6}  {:>5}", "(us)", "(GB/s)", "(GB/s)", "");
  return out + "\n";
}

std::string choices(const std::vector<NcclSweepRow>& rows) {
  std::string out;
  for (std::size_t first = 0; first < rows.size();) {
    std::size_t last = first;
    while (last + 1 < rows.size() && choice(rows[last + 1].cost) == choice(rows[first].cost))
      ++last;
    out += fmt::format("# {} to {} B: {}\n", rows[first].cost.bytes.value(),
                       rows[last].cost.bytes.value(), choice(rows[first].cost));
    first = last + 1;
  }
  return out;
}

}  // namespace

std::string nccl_table(const NcclTableHead& head, const std::vector<NcclSweepRow>& rows) {
  std::string out = headline(head);
  for (const NcclSweepRow& row : rows) {
    const Collective collective = row.cost.collective;
    out += fmt::format("{:>12}  {:>12}  {:>8}  {:>6}  {:>6}", row.cost.bytes.value(),
                       elements(row, head.request.gpus.size()), "float", reduction(collective),
                       has_root(collective) ? 0 : -1);
    for (int i = 0; i < 2; ++i)
      out += fmt::format("  {:>7}  {:>6.2f}  {:>6.2f}  {:>5}", microseconds(row.time),
                         row.algorithm_bandwidth() / 1e9, row.bus_bandwidth() / 1e9, "N/A");
    out += "\n";
  }
  out += "# Out of bounds values : 0 OK\n";
  out += fmt::format("# Avg bus bandwidth    : {:g}\n#\n", mean_bus_bandwidth(rows) / 1e9);
  return out + choices(rows);
}

std::string nccl_json(const NcclTableHead& head, const std::vector<NcclSweepRow>& rows) {
  nlohmann::ordered_json sizes = nlohmann::ordered_json::array();
  for (const NcclSweepRow& row : rows) {
    sizes.push_back({{"bytes", row.cost.bytes.value()},
                     {"count", elements(row, head.request.gpus.size())},
                     {"time_s", to_seconds(row.time)},
                     {"algorithm_bandwidth_bytes_per_s", row.algorithm_bandwidth()},
                     {"bus_bandwidth_bytes_per_s", row.bus_bandwidth()},
                     {"algorithm", name_of(row.cost.algorithm)},
                     {"protocol", name_of(row.cost.protocol)},
                     {"channels", row.cost.sms}});
  }
  return json_text({{"schema", "simtrain.nccl/1"},
                    {"cluster", head.cluster},
                    {"collective", name_of(head.request.collective)},
                    {"gpus", head.request.gpus.size()},
                    {"nodes", head.nodes},
                    {"nccl_version", head.settings.version.value.text()},
                    {"nvls", head.settings.nvls.value},
                    {"mean_bus_bandwidth_bytes_per_s", mean_bus_bandwidth(rows)},
                    {"sizes", sizes}});
}

}  // namespace simtrain
