#include "sim/run/pieces/critical_path.h"

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "sim/core/invariant.h"

namespace simtrain {
namespace {

/// The ops of one program on each kind of group, in order: listed by kind when first asked for.
class OpsOnGroups {
 public:
  explicit OpsOnGroups(const Program& program) : program_(&program) {}

  [[nodiscard]] std::uint32_t number_of(std::uint32_t op) {
    const std::vector<std::uint32_t>& ops = on(program_->ops[op].group);
    return static_cast<std::uint32_t>(std::lower_bound(ops.begin(), ops.end(), op) - ops.begin());
  }
  [[nodiscard]] std::uint32_t at(GroupKind kind, std::uint32_t number) { return on(kind)[number]; }

 private:
  const std::vector<std::uint32_t>& on(GroupKind kind) {
    std::vector<std::uint32_t>& ops = ops_[static_cast<std::size_t>(kind)];
    if (!ops.empty()) return ops;
    for (std::uint32_t op = 0; op < program_->ops.size(); ++op) {
      if (program_->ops[op].group == kind) ops.push_back(op);
    }
    return ops;
  }

  const Program* program_;
  std::array<std::vector<std::uint32_t>, kGroupKinds> ops_;
};

/// The op before one in its stream, or kNoOp: a few ops back but for streams of few ops, of which a
/// path has few.
std::uint32_t before_in_stream(const Program& program, std::uint32_t op) {
  const Stream stream = program.ops[op].stream;
  while (op-- > 0) {
    if (program.ops[op].stream == stream) return op;
  }
  return kNoOp;
}

class PathFinder {
 public:
  PathFinder(const Plan& plan, const Timeline& timeline)
      : plan_(plan), timeline_(timeline), on_groups_(plan.programs.begin(), plan.programs.end()) {}

  std::vector<PathStep> find() {
    std::vector<PathStep> path;
    std::optional<PathStep> step = last();
    while (step) {
      path.push_back(*step);
      step = before(*step);
    }
    std::reverse(path.begin(), path.end());
    return path;
  }

 private:
  [[nodiscard]] const Program& program(std::uint32_t rank) const {
    return plan_.programs[plan_.ranks[rank].program];
  }

  [[nodiscard]] std::optional<PathStep> last() const {
    for (std::uint32_t rank = 0; rank < plan_.ranks.size(); ++rank) {
      for (auto op = static_cast<std::uint32_t>(program(rank).ops.size()); op-- > 0;) {
        if (timeline_.span(rank, op).end == timeline_.end) return PathStep{rank, op};
      }
    }
    return std::nullopt;
  }

  [[nodiscard]] std::optional<PathStep> before(const PathStep& step) {
    const Duration start = timeline_.span(step.rank, step.op).start;
    if (start == Duration(0)) return std::nullopt;
    if (const auto own = ended_at(step, start)) return own;
    const Op& op = program(step.rank).ops[step.op];
    const SimulatedRank& rank = plan_.ranks[step.rank];
    const std::uint32_t number = on_groups_[rank.program].number_of(step.op);
    std::optional<PathStep> first;  // of several alike which, does not matter
    for (const std::uint32_t member :
         plan_.groups[rank.groups[static_cast<std::size_t>(op.group)]].members) {
      if (member == step.rank) continue;
      if (first && plan_.ranks[member].like >= plan_.ranks[first->rank].like) continue;
      const PathStep partner{member, matching_op(member, op.group, number)};
      if (const auto found = ended_at(partner, start)) first = found;
    }
    invariant(first.has_value(), "an op starts when another ends");
    return first;
  }

  /// The op of `member` that took part in the same collective.
  [[nodiscard]] std::uint32_t matching_op(std::uint32_t member, GroupKind kind,
                                          std::uint32_t number) {
    return on_groups_[plan_.ranks[member].program].at(row_of(kind).partner, number);
  }

  /// An op that `step` comes after and that ended at `time`; its own stream's first.
  [[nodiscard]] std::optional<PathStep> ended_at(const PathStep& step, Duration time) const {
    const Op& op = program(step.rank).ops[step.op];
    const std::uint32_t previous = before_in_stream(program(step.rank), step.op);
    if (previous != kNoOp && timeline_.span(step.rank, previous).end == time)
      return PathStep{step.rank, previous};
    for (const std::uint32_t other : op.after) {
      if (other != kNoOp && timeline_.span(step.rank, other).end == time)
        return PathStep{step.rank, other};
    }
    return std::nullopt;
  }

  const Plan& plan_;
  const Timeline& timeline_;
  std::vector<OpsOnGroups> on_groups_;  ///< by program
};

/// Whether an op is a pass of the pipeline or what passes hand on, for which other stages wait as
/// its schedule has it.
bool of_pipeline(const Op& op) {
  return op.compute || row_of(op.group).share == Share::pipeline_parallel;
}

/// Answers how much of an interval a rank's compute stream is idle.
class IdleTime {
 public:
  IdleTime(const Plan& plan, const Timeline& timeline, std::uint32_t rank) {
    const auto& ops = plan.programs[plan.ranks[rank].program].ops;
    for (std::uint32_t op = 0; op < ops.size(); ++op) {
      if (ops[op].compute) busy_.push_back(timeline.span(rank, op));
    }
  }
  [[nodiscard]] Duration in(const Span& interval) const {
    Duration idle = interval.end - interval.start;
    auto span = std::partition_point(busy_.begin(), busy_.end(),
                                     [&](const Span& b) { return b.end <= interval.start; });
    for (; span != busy_.end() && span->start < interval.end; ++span) {
      idle -= std::min(span->end, interval.end) - std::max(span->start, interval.start);
    }
    return idle;
  }

 private:
  std::vector<Span> busy_;
};

}  // namespace

std::vector<PathStep> critical_path(const Plan& plan, const Timeline& timeline) {
  return PathFinder(plan, timeline).find();
}

std::uint32_t busiest_rank(const Plan& plan, const Timeline& timeline) {
  std::uint32_t busiest = 0;
  Duration most{-1};
  for (std::uint32_t rank = 0; rank < plan.ranks.size(); ++rank) {
    Duration busy{};
    const auto& ops = plan.programs[plan.ranks[rank].program].ops;
    for (std::uint32_t op = 0; op < ops.size(); ++op) {
      if (ops[op].compute) busy += timeline.span(rank, op).end - timeline.span(rank, op).start;
    }
    if (busy > most) {
      most = busy;
      busiest = rank;
    }
  }
  return busiest;
}

std::vector<double> counted_shares(const Plan& plan, const Timeline& timeline,
                                   const std::vector<PathStep>& path, std::uint32_t busiest) {
  const IdleTime idle(plan, timeline, busiest);
  std::vector<double> shares;
  shares.reserve(path.size());
  for (const PathStep& step : path) {
    const Span& span = timeline.span(step.rank, step.op);
    const double length = to_seconds(span.end - span.start);
    const SimulatedRank& rank = plan.ranks[step.rank];
    const bool waits = rank.stage != plan.ranks[busiest].stage && length > 0 &&
                       of_pipeline(plan.programs[rank.program].ops[step.op]);
    shares.push_back(waits ? 1 - to_seconds(idle.in(span)) / length : 1);
  }
  return shares;
}

Breakdown path_breakdown(const Plan& plan, const Timeline& timeline,
                         const std::vector<PathStep>& path, std::uint32_t busiest) {
  Breakdown result{};
  const std::vector<double> shares = counted_shares(plan, timeline, path, busiest);
  for (std::size_t i = 0; i < path.size(); ++i) {
    const PathStep& step = path[i];
    const double counted = shares[i];
    const Program& program = plan.programs[plan.ranks[step.rank].program];
    const Op& op = program.ops[step.op];
    const Span& span = timeline.span(step.rank, step.op);
    const double length = to_seconds(span.end - span.start);
    if (length <= 0) continue;
    part(result, Share::bubble) += length * (1 - counted);
    if (!op.compute) {
      part(result, row_of(op.group).share) += length * counted;
      continue;
    }
    const ComputeCost& cost = program.compute_costs[op.cost];
    for (std::size_t share = 0; share < kShares; ++share)
      result[share] += cost.parts[share] * counted;
    part(result, Share::interference) += (length - to_seconds(cost.time)) * counted;
  }
  return result;
}

}  // namespace simtrain
