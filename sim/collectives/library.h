#pragma once

#include <any>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/collectives/algorithm.h"
#include "sim/collectives/communication_library.h"

namespace simtrain {

/// What the cost of a call depends on beside the call itself.
struct LibraryEnvironment {
  const ClusterSpec& cluster;
  const CommunicationLibrary& library;
};

/// A setting that is on or off, and the key of a scenario that changes it.
struct LibrarySwitch {
  std::string_view name;
  std::string_view key;
  bool on = false;
};

/// A library of collectives: a folder below `libraries/` and a row of `library_rows()`. Calls are
/// planned by `plan_collective` and `plan_send_receive` (collective.h); nobody asks for a library
/// by name. Contract of `call` and `send_receive`: the request's collective, bytes and bus bytes; a
/// time above zero, no less for sixteen times the bytes (a choice may step back in between); one
/// rank costs nothing; the cost does not depend on what was planned before.
struct LibraryRow {
  std::string_view name;  ///< also the key of its settings in files
  std::string_view meaning;
  /// The algorithms that it runs.
  std::vector<AlgorithmRow> (*algorithms)() = nullptr;
  /// A release as it comes, with no setting changed.
  std::any (*usual_settings)() = nullptr;
  /// Those of its settings that can be switched, for studies that ask what each is worth.
  std::vector<LibrarySwitch> (*switches)(const std::any& settings) = nullptr;
  /// The kernel of a call as profiles name it.
  std::string (*kernel_name)(const TransferCost&) = nullptr;
  /// Algorithm, protocol and cost of any call by the request's collective; send/receive goes over
  /// the farthest neighbours of the layout's ring.
  TransferCost (*call)(const CollectiveRequest&, const LibraryEnvironment&) = nullptr;
  /// A send and receive between two GPUs so far apart, in a communicator of `ranks`.
  TransferCost (*send_receive)(Bytes, Distance, const LibraryEnvironment&, int ranks) = nullptr;
  /// Whether the GPU's file has the library's numbers, without which nothing may be planned; none
  /// where it needs none.
  bool (*knows)(const GpuSpec&) = nullptr;
};

/// `simtrain list libraries` prints them.
std::span<const LibraryRow* const> library_rows();

/// A library as it comes.
CommunicationLibrary usual_library(const LibraryRow& row);

}  // namespace simtrain
