#include "sim/output/nccl/nccl_trace.h"

#include <set>

#include <fmt/format.h>

#include "sim/core/files/packed_file.h"
#include "sim/core/fingerprint.h"
#include "sim/run/pieces/critical_path.h"

namespace simtrain {
namespace {

constexpr std::string_view kNoBus = " busId 0 ";  ///< where NCCL prints that of a GPU
constexpr std::string_view kSums = ": calls and bytes of one step, by group and kind";

/// Writes the log of one rank.
class RankLog {
 public:
  RankLog(const SimulatedStep& simulated, int rank, PackedFile& file)
      : simulated_(simulated), rank_(rank), file_(file) {
    const int gpu = simulated.placement.gpu(rank);
    const Host& host =
        simulated.cluster.hosts()[static_cast<std::size_t>(simulated.cluster.host_of(gpu))];
    device_ = gpu - host.first_gpu;
    prefix_ = fmt::format("{}:{}:{} [{}] NCCL INFO", host.name, kFirstProcess + device_,
                          kFirstProcess + device_, device_);
  }

  void write() {
    for_each_nccl_call(simulated_, rank_, [this](const NcclCall& call) { log(call); });
    summary();
  }

 private:
  static constexpr int kFirstProcess = 1000;

  struct Communicator {
    std::uint64_t id = 0;
    std::uint64_t calls = 0;  ///< NCCL's opCount
  };

  void line(const std::string& text) { file_.write(fmt::format("{} {}\n", prefix_, text)); }

  /// Set up, with the line that NCCL writes then, at its first call.
  Communicator& communicator(const NcclGroup& group) {
    if (group.number < communicators_.size()) return communicators_[group.number];
    Fingerprint identity;
    for (const int member : group.ranks) identity.add(static_cast<std::uint64_t>(member));
    identity.add(group.name);
    Communicator& made = communicators_.emplace_back();
    made.id = identity.value();
    line(
        fmt::format("ncclCommInitRank comm {:#x} rank {} nranks {} cudaDev {} nvmlDev {}{}"
                    "commId {:#x} - Init COMPLETE",
                    made.id, group.place, group.ranks.size(), device_, device_, kNoBus, made.id));
    return made;
  }

  void log(const NcclCall& call) {
    constexpr int kMax = 2;  // ncclRedOp_t; 0 is the sum
    Communicator& on = communicator(call.group);
    line(fmt::format(
        "{}: opCount {:x} sendbuff (nil) recvbuff (nil) count {} datatype {} op {} "
        "root {} comm {:#x} [nranks={}] stream {:#x}",
        name_of(call.function), on.calls, call.count, call.type, call.maximum ? kMax : 0, call.peer,
        on.id, call.group.ranks.size(), static_cast<int>(call.stream) + 1));
    if (!is_message(call.function)) ++on.calls;
  }

  void summary() {
    file_.write(fmt::format("# rank {}{}\n", rank_, kSums));
    file_.write(fmt::format("# {:<6} {:<14} {:>10} {:>18}\n", "group", "kind", "calls", "bytes"));
    for (const NcclCalls& row : nccl_calls(simulated_, rank_)) {
      file_.write(fmt::format("# {:<6} {:<14} {:>10} {:>18}{}\n", row.group,
                              nccl_function(row.collective), row.calls, row.bytes,
                              row.own_exchange ? "  user buffers, not seen by NCCL" : ""));
    }
  }

  const SimulatedStep& simulated_;
  int rank_;
  PackedFile& file_;
  std::string prefix_;
  int device_ = 0;
  std::vector<Communicator> communicators_;  ///< by number of the group
};

}  // namespace

bool is_own_nccl_trace(std::string_view start) {
  const std::string_view line = start.substr(0, start.find('\n'));
  const bool calls =
      line.find(" NCCL INFO ncclCommInitRank ") != line.npos && line.find(kNoBus) != line.npos;
  return calls || (line.starts_with("# rank ") && line.ends_with(kSums));
}

void write_nccl_trace(const SimulatedStep& simulated, const std::string& path,
                      const std::optional<std::vector<NumberRange>>& ranks) {
  std::set<int> chosen;
  if (ranks) {
    chosen = numbers_of(*ranks, simulated.grid.ranks(), "--trace-ranks");
  } else {
    chosen.insert(simulated.plan.ranks[busiest_rank(simulated.plan, simulated.timeline)].rank);
  }
  PackedFile file(path);
  for (const int rank : chosen) RankLog(simulated, rank, file).write();
  file.commit();
}

}  // namespace simtrain
