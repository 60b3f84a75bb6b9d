#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "sim/collectives/group_layout.h"
#include "sim/collectives/transfer_cost.h"
#include "sim/core/enum_names.h"

namespace simtrain {

/// Libraries that bring tokens to experts and back without NCCL.
enum class ExchangeLibrary { deepep, hybridep };

template <>
struct EnumNames<ExchangeLibrary> {
  static constexpr std::array rows{
      std::pair{std::string_view("deepep"), ExchangeLibrary::deepep},
      std::pair{std::string_view("hybridep"), ExchangeLibrary::hybridep}};
};

/// What simtrain knows of one.
struct ExchangeLibraryRow {
  ExchangeLibrary library{};
  Algorithm algorithm{};
  std::string_view meaning;  ///< one line
  int sms = 0;               ///< taken where the recipe does not say
  double sm_bandwidth = 0;   ///< bytes per second that one SM brings over NVLink
  double nvlink_share = 0;   ///< of the NVLink line rate that it reaches with enough of them
  double nic_share = 0;      ///< of the NIC's line rate
  Duration overhead{};       ///< before data moves: layout and notification
};
std::span<const ExchangeLibraryRow> exchange_library_rows();
const ExchangeLibraryRow& row_of(ExchangeLibrary library);

/// How many of `places` equal parts of the experts a token finds among its `topk` distinct ones,
/// when every choice is as likely: places (1 - C(experts - experts/places, topk) / C(experts,
/// topk)).
double distinct_places(std::int64_t experts, std::int64_t topk, std::int64_t places);

/// The tokens of one rank on their way to experts of its group, or back.
struct ExpertExchange {
  double tokens = 0;     ///< of the rank
  double row_bytes = 0;  ///< of one token
  std::int64_t experts = 0;
  std::int64_t topk = 0;
  int sms = 0;           ///< 0: the library's own
  double imbalance = 1;  ///< rows of the busiest rank over the mean
};

/// A token goes once to each NVLink domain that holds some of its experts, by the NIC, and there
/// once to each of their ranks, by NVLink; both go on at the same time. `wire` counts the bytes of
/// the way that takes longer.
TransferCost plan_expert_exchange(const ExchangeLibraryRow& library, const ExpertExchange& exchange,
                                  const GroupLayout& layout, const ClusterSpec& cluster);

}  // namespace simtrain
