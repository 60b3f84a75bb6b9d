#include "sim/collectives/expert_exchange.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "sim/core/invariant.h"

namespace simtrain {
namespace {

/// Tokens that a queue of DeepEP has room for, from a GPU of the node; by its tables of
/// configurations.
double deepep_queue(int ranks) {
  if (ranks <= 8) return 256;
  if (ranks <= 64) return 288;
  return ranks <= 128 ? 560 : 720;
}

/// Config::get_nvl_buffer_size_hint and get_rdma_buffer_size_hint of DeepEP, as remembered: a queue
/// of tokens for each of its channels, of which two SMs serve one, from each GPU of a node and from
/// and to each node. A place in it has the token, where it is from, and room for 128 choices,
/// probabilities and scales.
double deepep_buffer_bytes(const ExpertExchange& exchange, int sms, int ranks) {
  constexpr int kPeers = 8;  // NUM_MAX_NVL_PEERS
  constexpr double kChoices = 128;
  constexpr double kFrom = 8;
  constexpr double kFromNodes = 128;
  const double place = exchange.row_bytes + kFrom + kChoices * (8 + 4 + 4);
  const double channels = std::floor(sms / 2.0);
  const double by_nvlink = channels * std::min(ranks, kPeers) * deepep_queue(ranks) * place;
  if (ranks <= kPeers) return by_nvlink;
  const double nodes = std::ceil(static_cast<double>(ranks) / kPeers);
  return by_nvlink + 2 * channels * nodes * kFromNodes * place;
}

/// HybridEPBuffer of DeepEP's branch hybrid-ep, as remembered: room for all tokens of the group, if
/// they all came to one rank, once for dispatch and once for combine, each with FP32 probabilities
/// of the domain's experts. The whole group counts as one NVLink domain; beyond it there are
/// buffers of the NICs too, which are left out.
double hybridep_buffer_bytes(const ExpertExchange& exchange, int /*sms*/, int ranks) {
  const double probabilities = 4 * static_cast<double>(exchange.choice.experts);
  return 2 * exchange.tokens * ranks * (exchange.row_bytes + probabilities);
}

}  // namespace

/// DeepEP: least squares over 2,200 calls of one node of H100, B200 or GB200
/// (ai-dynamo/aiconfigurator 095f58a, DeepEP v1 by SGLang: 256 to 65,536 tokens of 2,048 to 7,168
/// columns to 1 to 22 experts by 4 to 24 SMs; `validation/experts/exchange.csv`), which it meets
/// within 9 % in the mean. HybridEP: deepseek-ai/DeepEP, branch hybrid-ep 94a9f8f, at 7,168 columns
/// in BF16; calls by torch take 40 to 60 us more than their kernels and the copies of rows. NICs:
/// README of dd758ca.
std::span<const ExchangeLibraryRow> exchange_library_rows() {
  static constexpr std::array kRows{
      ExchangeLibraryRow{ExchangeLibrary::deepep, Algorithm::deepep,
                         "DeepSeek's: a kernel for the layout, then copies by SMs and RDMA", 20,
                         ExchangeWork{0.43e-6, 0, 0.076e-6, 1 / 28.4e9, 37e-6},
                         ExchangeWork{0.57e-6, 1 / 22.3e9, 0, 1 / 30.1e9, 47e-6}, 0.76, 0.86,
                         deepep_buffer_bytes},
      ExchangeLibraryRow{ExchangeLibrary::hybridep, Algorithm::hybridep,
                         "NVIDIA's: copies by TMA, few SMs, all of an NVL72 domain", 16,
                         ExchangeWork{0, 0, 0, 1 / 46e9, 50e-6},
                         ExchangeWork{0, 0, 0, 1 / 40e9, 50e-6}, 0.75, 0.86,
                         hybridep_buffer_bytes}};
  return kRows;
}

const ExchangeLibraryRow& row_of(ExchangeLibrary library) {
  const ExchangeLibraryRow& row = exchange_library_rows()[static_cast<std::size_t>(library)];
  invariant(row.library == library, "exchange_library_rows are in the order of ExchangeLibrary");
  return row;
}

double exchange_buffer_bytes(const ExchangeLibraryRow& library, const ExpertExchange& exchange,
                             int ranks) {
  return library.buffer_bytes(exchange, exchange.sms > 0 ? exchange.sms : library.sms, ranks);
}

TransferCost plan_expert_exchange(const ExchangeLibraryRow& library, const ExpertExchange& exchange,
                                  const GroupLayout& layout, const ClusterSpec& cluster) {
  TransferCost cost;
  cost.collective = Collective::all_to_all;
  cost.algorithm = library.algorithm;
  cost.protocol = Protocol::simple;
  const ExchangeWork& work = exchange.back ? library.combine : library.dispatch;
  cost.latency = to_duration(work.overhead);
  cost.sms = exchange.sms > 0 ? exchange.sms : library.sms;
  cost.memory_traffic = 2;
  const double rows = exchange.tokens * exchange.imbalance;
  const double copies = distinct_places(exchange.choice, layout.ranks);
  const double by_nvlink = rows * exchange.row_bytes * copies;
  const double by_nic = layout.domains == 1 ? 0
                                            : rows * exchange.row_bytes *
                                                  distinct_places(exchange.choice, layout.domains) *
                                                  (layout.domains - 1) / layout.domains;
  cost.bytes = Bytes(std::llround(exchange.tokens * exchange.row_bytes));
  const double nvlink_s =
      std::max(work.of(rows, exchange.row_bytes, copies) / cost.sms,
               by_nvlink / (library.nvlink_share * cluster.gpu.nvlink.bandwidth.value.value()));
  const double others = 1 - 1.0 / layout.ranks;
  if (by_nic == 0) {
    cost.wire = Bytes(std::llround(by_nvlink));
    cost.limit = by_nvlink / nvlink_s;
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
