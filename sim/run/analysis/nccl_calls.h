#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/collectives/libraries/nccl/nccl_names.h"
#include "sim/run/step/step_rank.h"

namespace simtrain {

/// A communicator of a rank, as far as its calls show.
struct NcclGroup {
  std::size_t number = 0;  ///< in the order of their first calls
  std::string_view name;   ///< of its GroupRow
  std::vector<int> ranks;
  std::ptrdiff_t place = 0;  ///< of the rank among them
};

/// One call, in NCCL's own terms.
struct NcclCall {
  const NcclGroup& group;
  NcclFunction function{};
  std::int64_t count =
      0;         ///< elements: what a rank gives to an all-gather, takes of a reduce-scatter
  int type = 0;  ///< ncclDataType_t
  std::ptrdiff_t peer = 0;  ///< place of the other side of a Send or Recv; 0 for others
  bool maximum = false;     ///< reduces to the largest, not to the sum
  Stream stream{};
};

/// Calls `visit` with what a rank calls of NCCL in one step, in the order of its host. User buffers
/// do not pass through NCCL.
void for_each_nccl_call(const SimulatedStep& simulated, int rank,
                        const std::function<void(const NcclCall&)>& visit);

/// One row of the summary: calls of one kind on communicators of one kind.
struct NcclCalls {
  std::string group;  ///< name of its GroupRow
  Collective collective{};
  bool own_exchange = false;  ///< of user buffers or an expert exchange, which NCCL does not see
  std::int64_t calls = 0;
  std::int64_t bytes = 0;  ///< of all calls, as nccl-tests counts them
};

/// The summary of one rank, by group and collective.
std::vector<NcclCalls> nccl_calls(const SimulatedStep& simulated, int rank);

}  // namespace simtrain
