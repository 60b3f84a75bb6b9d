#include "sim/collectives/expert_exchange.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>

#include "sim/core/invariant.h"

namespace simtrain {

/// Rates by SM and shares of line rates: deepseek-ai/DeepEP dd758ca README and its branch hybrid-ep
/// 94a9f8f; ai-dynamo/aiconfigurator 095f58a51, times of one node by SMs (H100: 19 GB/s an SM up to
/// 330 GB/s of 450; B200: 20 GB/s an SM); overhead: the 10 to 40 us of layout and notification.
std::span<const ExchangeLibraryRow> exchange_library_rows() {
  static constexpr std::array kRows{
      ExchangeLibraryRow{ExchangeLibrary::deepep, Algorithm::deepep,
                         "DeepSeek's: a kernel for the layout, then copies by SMs and RDMA", 20,
                         19e9, 0.73, 0.86, std::chrono::microseconds(30)},
      ExchangeLibraryRow{ExchangeLibrary::hybridep, Algorithm::hybridep,
                         "NVIDIA's: copies by TMA, few SMs, all of an NVL72 domain", 16, 40e9, 0.75,
                         0.86, std::chrono::microseconds(15)}};
  return kRows;
}

const ExchangeLibraryRow& row_of(ExchangeLibrary library) {
  const ExchangeLibraryRow& row = exchange_library_rows()[static_cast<std::size_t>(library)];
  invariant(row.library == library, "exchange_library_rows are in the order of ExchangeLibrary");
  return row;
}

double distinct_places(std::int64_t experts, std::int64_t topk, std::int64_t places) {
  const double elsewhere =
      static_cast<double>(experts) - static_cast<double>(experts) / static_cast<double>(places);
  double missed = 1;  // all choices fall outside of one place
  for (std::int64_t choice = 0; choice < topk; ++choice) {
    const auto taken = static_cast<double>(choice);
    missed *= std::max(0.0, elsewhere - taken) / (static_cast<double>(experts) - taken);
  }
  return static_cast<double>(places) * (1 - missed);
}

TransferCost plan_expert_exchange(const ExchangeLibraryRow& library, const ExpertExchange& exchange,
                                  const GroupLayout& layout, const ClusterSpec& cluster) {
  TransferCost cost;
  cost.collective = Collective::all_to_all;
  cost.algorithm = library.algorithm;
  cost.protocol = Protocol::simple;
  cost.latency = library.overhead;
  cost.sms = exchange.sms > 0 ? exchange.sms : library.sms;
  cost.memory_traffic = 2;
  const double rows = exchange.tokens * exchange.imbalance;
  const double by_nvlink =
      rows * exchange.row_bytes * distinct_places(exchange.experts, exchange.topk, layout.ranks);
  const double by_nic = layout.domains == 1
                            ? 0
                            : rows * exchange.row_bytes *
                                  distinct_places(exchange.experts, exchange.topk, layout.domains) *
                                  (layout.domains - 1) / layout.domains;
  cost.bytes = Bytes(std::llround(exchange.tokens * exchange.row_bytes));
  const double nvlink_rate =
      std::min(cost.sms * library.sm_bandwidth,
               library.nvlink_share * cluster.gpu.nvlink.bandwidth.value.value());
  const double nvlink_s = by_nvlink / nvlink_rate;
  const double others = 1 - 1.0 / layout.ranks;
  if (by_nic == 0) {
    cost.wire = Bytes(std::llround(by_nvlink));
    cost.limit = nvlink_rate;
    cost.load = {others, 0};
    return cost;
  }
  const double nic_rate = library.nic_share * cluster.node.nic_bandwidth.value.value();
  cost.wire = Bytes(std::llround(by_nic));
  cost.limit = by_nic / std::max(nvlink_s, by_nic / nic_rate);
  cost.load = {others * by_nvlink / by_nic, 1};
  return cost;
}

}  // namespace simtrain
