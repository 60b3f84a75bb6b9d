#pragma once

#include <span>
#include <string_view>

#include "sim/collectives/expert_choice.h"
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

/// Time that one SM spends on the tokens of a rank: on each token and each byte of it, and on each
/// copy and each byte of it that goes to a rank with some of the token's experts. Seconds.
struct ExchangeWork {
  double token = 0;
  double token_byte = 0;
  double copy = 0;
  double copy_byte = 0;
  double overhead = 0;  ///< of a call, before data moves: layout, notification, launches

  /// Of one SM for so many tokens, each with so many copies.
  [[nodiscard]] double of(double tokens, double row_bytes, double copies) const {
    return tokens * (token + token_byte * row_bytes + copies * (copy + copy_byte * row_bytes));
  }
};

/// The tokens of one rank on their way to experts of its group, or back.
struct ExpertExchange {
  double tokens = 0;     ///< of the rank
  double row_bytes = 0;  ///< of one token
  ExpertChoice choice;
  int sms = 0;           ///< 0: the library's own
  double imbalance = 1;  ///< rows of the busiest rank over the mean
  bool back = false;     ///< from experts, to be summed up
};

/// What simtrain knows of one.
struct ExchangeLibraryRow {
  ExchangeLibrary library{};
  Algorithm algorithm{};
  std::string_view meaning;  ///< one line
  int sms = 0;               ///< taken where the recipe does not say
  ExchangeWork dispatch;     ///< to experts
  ExchangeWork combine;      ///< back, summed up by token
  double nvlink_share = 0;   ///< of the NVLink line rate that it reaches with enough of them
  double nic_share = 0;      ///< of the NIC's line rate
  /// Buffers that a rank opens for a group of `ranks`, with so many SMs.
  double (*buffer_bytes)(const ExpertExchange& exchange, int sms, int ranks) = nullptr;
};
std::span<const ExchangeLibraryRow> exchange_library_rows();
const ExchangeLibraryRow& row_of(ExchangeLibrary library);

/// Bytes of the buffers that a rank keeps for exchanges within a group of `ranks`, beside its
/// tensors.
double exchange_buffer_bytes(const ExchangeLibraryRow& library, const ExpertExchange& exchange,
                             int ranks);

/// A token goes once to each NVLink domain that holds some of its experts, by the NIC, and there
/// once to each of their ranks, by NVLink; both go on at the same time. `wire` counts the bytes of
/// the way that takes longer.
TransferCost plan_expert_exchange(const ExchangeLibraryRow& library, const ExpertExchange& exchange,
                                  const GroupLayout& layout, const ClusterSpec& cluster);

}  // namespace simtrain
