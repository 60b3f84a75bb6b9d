#include "sim/output/trace/trace.h"

#include <algorithm>
#include <memory>
#include <set>

#include <fmt/format.h>

#include "sim/core/input/input_error.h"
#include "sim/output/trace/chrome_trace.h"
#include "sim/output/trace/perfetto_trace.h"
#include "sim/output/trace/trace_rank.h"

namespace simtrain {
namespace {

constexpr std::size_t kMostRanks = 64;  ///< that are shown without being asked for
constexpr TrackId kStepTrack{1, 1};
constexpr std::string_view kJob = "job";  ///< the first process of every trace

enum class Format { perfetto, chrome };

Format format_of(const std::string& path) {
  std::string_view name = path;
  if (name.ends_with(".gz")) name.remove_suffix(3);
  if (name.ends_with(".pftrace") || name.ends_with(".perfetto-trace")) return Format::perfetto;
  if (name.ends_with(".json")) return Format::chrome;
  throw InputError({path}, "",
                   "its name gives no format; .pftrace, .perfetto-trace or .json (.gz behind it "
                   "packs it) would do");
}

std::unique_ptr<TraceWriter> opened(const std::string& path) {
  if (format_of(path) == Format::perfetto) return std::make_unique<PerfettoTrace>(path);
  return std::make_unique<ChromeTrace>(path);
}

/// One rank of each class of programs, in order of ranks.
std::set<int> rank_of_each_class(const SimulatedStep& simulated) {
  std::set<int> ranks;
  std::set<std::uint32_t> programs;
  for (const SimulatedRank& rank : simulated.plan.ranks) {
    if (ranks.size() < kMostRanks && programs.insert(rank.program).second) ranks.insert(rank.rank);
  }
  return ranks;
}

TraceSelection selection_of(const SimulatedStep& simulated, const TraceRequest& request) {
  TraceSelection selection;
  selection.ranks = request.ranks
                        ? numbers_of(*request.ranks, simulated.grid.ranks(), "--trace-ranks")
                        : rank_of_each_class(simulated);
  const int count = simulated.grid.micro_batches();
  selection.micro_batches = request.micro_batches
                                ? numbers_of(*request.micro_batches, count, "--trace-microbatches")
                                : std::set<int>{0, count / 2};
  return selection;
}

std::string left_out(const SimulatedStep& simulated, const TraceSelection& selection) {
  std::string text;
  const std::size_t ranks =
      static_cast<std::size_t>(simulated.grid.ranks()) - selection.ranks.size();
  if (ranks > 0) text += fmt::format("{} of {} ranks", ranks, simulated.grid.ranks());
  const std::size_t batches =
      static_cast<std::size_t>(simulated.grid.micro_batches()) - selection.micro_batches.size();
  if (batches > 0) {
    text += fmt::format("{}kernels and messages of {} of {} micro-batches",
                        text.empty() ? "" : "; ", batches, simulated.grid.micro_batches());
  }
  return text;
}

void write_step(const SimulatedStep& simulated, const std::string& missing, TraceWriter& writer) {
  writer.process(kStepTrack.process, kJob, 0);
  writer.track(kStepTrack, "step");
  const Duration end = simulated.timeline.end;
  writer.begin(kStepTrack, Duration(0),
               {"step",
                "step",
                {{"scenario", simulated.scenario.name},
                 {"step_time_s", to_seconds(end)},
                 {"ranks", std::int64_t{simulated.grid.ranks()}},
                 {"micro_batches", std::int64_t{simulated.grid.micro_batches()}},
                 {"left_out", missing.empty() ? std::string("nothing") : missing}}});
  writer.end(kStepTrack, end);
}

}  // namespace

void check_trace(const TraceRequest& request) { format_of(request.path); }

bool is_own_trace(std::string_view start) {
  return starts_as_chrome_trace(start, kJob) || starts_as_perfetto_trace(start, kJob);
}

std::string write_trace(const SimulatedStep& simulated, const TraceRequest& request) {
  const TraceSelection selection = selection_of(simulated, request);
  std::string missing = left_out(simulated, selection);
  const std::unique_ptr<TraceWriter> writer = opened(request.path);
  write_step(simulated, missing, *writer);
  int place = 1;
  for (const int rank : selection.ranks) {
    RankTrace trace(simulated, selection, rank, *writer);
    trace.declare(place++);
    trace.write();
  }
  for (const int rank : selection.ranks)
    RankTrace(simulated, selection, rank, *writer).write_receives();
  writer->finish();
  return missing;
}

}  // namespace simtrain
