#pragma once

#include <functional>
#include <optional>
#include <set>

#include "sim/output/trace/trace_counter.h"
#include "sim/output/trace/trace_writer.h"
#include "sim/run/step/step_rank.h"

namespace simtrain {

/// What of a step a trace shows.
struct TraceSelection {
  std::set<int> ranks;
  std::set<int> micro_batches;  ///< with their kernels and messages; of others the passes alone
};

/// Writes the process of one rank: a track a stream and its counters.
class RankTrace {
 public:
  RankTrace(const SimulatedStep& simulated, const TraceSelection& selection, int rank,
            TraceWriter& writer);

  void declare(int place);
  /// All streams but those that receive, and the counters.
  void write();
  /// The receives: after what the other ranks send, so that arrows go forward.
  void write_receives();

 private:
  /// What a pass does in all, per second of its time alone.
  struct Work {
    double busy = 0;
    double nvlink = 0;
    double nic = 0;
  };
  struct Counters {
    TraceCounter busy;
    TraceCounter nvlink;
    TraceCounter nic;
  };

  [[nodiscard]] TrackId track(Stream stream) const;
  [[nodiscard]] bool detailed(const Op& op) const;
  [[nodiscard]] std::vector<Span> windows() const;
  [[nodiscard]] FlowEnd flow(const Op& op, std::uint64_t number) const;
  void slice(TrackId track, const Span& span, const TraceSlice& slice);
  void compute(std::uint32_t op, Counters& counters);
  void inside(std::uint32_t op, Counters& counters);
  void piece(std::uint32_t op, const PieceRun& run, Counters& counters);
  void waits(std::uint32_t op, const PieceRun& run);
  void transfer(std::uint32_t op, const FlowEnd& flow);
  void count_transfer(const TransferCost& cost, const Span& span, Counters& counters) const;
  void write_counters(const Counters& counters);
  /// What its allocator holds over the step.
  [[nodiscard]] RankMemory memory() const;
  const Work& work(std::uint32_t op);
  [[nodiscard]] std::set<Stream> streams() const;
  [[nodiscard]] std::string_view name_of_stream(Stream stream) const;
  [[nodiscard]] const LibraryRow& library() const {
    return *simulated_.scenario.recipe.software.library.row;
  }

  const SimulatedStep& simulated_;
  const TraceSelection& selection_;
  StepRank rank_;
  TraceWriter& writer_;
  std::vector<std::optional<Work>> work_;  ///< by compute cost
};

}  // namespace simtrain
