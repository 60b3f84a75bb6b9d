#pragma once

#include <array>
#include <string_view>

#include "sim/core/enum_names.h"

namespace simtrain {

enum class Collective {
  all_reduce,
  all_gather,
  reduce_scatter,
  broadcast,
  all_to_all,
  send_receive,
  none
};
enum class Algorithm {
  ring,
  tree,
  collnet_direct,
  collnet_chain,
  nvls,
  nvls_tree,
  pat,
  direct,
  mesh,
  user_buffers,
  deepep,
  hybridep,
  to_host,
  from_host,
  cpu_adam
};
enum class Protocol { ll, ll128, simple, copy_engine };

template <>
struct EnumNames<Collective> {
  static constexpr std::array rows{
      std::pair{std::string_view("all_reduce"), Collective::all_reduce},
      std::pair{std::string_view("all_gather"), Collective::all_gather},
      std::pair{std::string_view("reduce_scatter"), Collective::reduce_scatter},
      std::pair{std::string_view("broadcast"), Collective::broadcast},
      std::pair{std::string_view("alltoall"), Collective::all_to_all},
      std::pair{std::string_view("send_receive"), Collective::send_receive},
      std::pair{std::string_view("none"), Collective::none}};
};
/// Those that a communication library chooses among come first; the others are exchanges that it
/// does not see: Transformer Engine's user buffers and PyTorch's symmetric memory, the libraries of
/// expert_exchange.h, and what moves between a GPU and its host.
constexpr bool chosen_by_library(Algorithm algorithm) {
  return algorithm < Algorithm::user_buffers;
}
/// Over which links of shared switches a call goes from domain to domain: from each rank to its
/// like in the next domain, along both trees over the domains, or over none, as the switches
/// reduce. An all-to-all goes between all pairs, whatever runs it.
enum class BetweenDomains { next, trees, switches };
constexpr BetweenDomains between_domains(Algorithm algorithm) {
  switch (algorithm) {
    case Algorithm::ring:
    case Algorithm::pat:
    case Algorithm::user_buffers:
      return BetweenDomains::next;
    case Algorithm::collnet_direct:
    case Algorithm::collnet_chain:
      return BetweenDomains::switches;
    case Algorithm::tree:
    case Algorithm::nvls:
    case Algorithm::nvls_tree:
    case Algorithm::direct:
    case Algorithm::mesh:
    case Algorithm::deepep:
    case Algorithm::hybridep:
    case Algorithm::to_host:
    case Algorithm::from_host:
    case Algorithm::cpu_adam:
      break;
  }
  return BetweenDomains::trees;
}
/// Whether it is between a GPU and its host, or on the host alone.
constexpr bool of_host(Algorithm algorithm) { return algorithm >= Algorithm::to_host; }

/// The words of all libraries. `direct` is point to point, `mesh` every rank with each by links of
/// their own, `user-buffers` Transformer Engine's own exchange, or PyTorch's symmetric memory.
template <>
struct EnumNames<Algorithm> {
  static constexpr std::array rows{
      std::pair{std::string_view("ring"), Algorithm::ring},
      std::pair{std::string_view("tree"), Algorithm::tree},
      std::pair{std::string_view("collnet-direct"), Algorithm::collnet_direct},
      std::pair{std::string_view("collnet-chain"), Algorithm::collnet_chain},
      std::pair{std::string_view("nvls"), Algorithm::nvls},
      std::pair{std::string_view("nvls-tree"), Algorithm::nvls_tree},
      std::pair{std::string_view("pat"), Algorithm::pat},
      std::pair{std::string_view("direct"), Algorithm::direct},
      std::pair{std::string_view("mesh"), Algorithm::mesh},
      std::pair{std::string_view("user-buffers"), Algorithm::user_buffers},
      std::pair{std::string_view("deepep"), Algorithm::deepep},
      std::pair{std::string_view("hybridep"), Algorithm::hybridep},
      std::pair{std::string_view("to-host"), Algorithm::to_host},
      std::pair{std::string_view("from-host"), Algorithm::from_host},
      std::pair{std::string_view("cpu-adam"), Algorithm::cpu_adam}};
};
template <>
struct EnumNames<Protocol> {
  static constexpr std::array rows{std::pair{std::string_view("ll"), Protocol::ll},
                                   std::pair{std::string_view("ll128"), Protocol::ll128},
                                   std::pair{std::string_view("simple"), Protocol::simple},
                                   std::pair{std::string_view("ce"), Protocol::copy_engine}};
};

}  // namespace simtrain
