// What the event loop does where one period of the plan is as the one before: it goes on at the end
// of the last that is alike. All that it knows is equal at both checkpoints but for the time,
// places in programs and counts of groups, and the ops in between are alike, so that what follows
// is too.
#include <algorithm>
#include <limits>

#include "sim/run/engine/loop/event_loop.h"

namespace simtrain::execution {
namespace {

/// In a word, a place in a period counted from the periods that have passed; else one in a program.
constexpr std::uint64_t kCounted = std::uint64_t{1} << 63U;

}  // namespace

std::uint64_t Executor::place_word(std::uint32_t rank, std::uint32_t op) const {
  const ProgramPeriod& period = periods_.of(plan_->ranks[rank].program);
  if (op == kNoOp || !period.holds(op)) return op;
  const auto passed = static_cast<std::int64_t>(periods_.passed()) * period.ops;
  return kCounted ^ static_cast<std::uint64_t>(static_cast<std::int64_t>(op) - passed);
}

/// The activities that have not ended, in the order of their first members; their numbers, by
/// activity.
std::vector<std::uint32_t> Executor::live_activities(std::vector<std::uint32_t>& number) const {
  std::vector<std::uint32_t> live;
  activities_.for_each_live([&](std::uint32_t id) {
    number.resize(id + std::size_t{1}, kNone);
    if (!activities_[id].members.empty()) live.push_back(id);
  });
  std::sort(live.begin(), live.end(), [this](std::uint32_t one, std::uint32_t other) {
    const Member& first = activities_[one].members.front();
    const Member& second = activities_[other].members.front();
    return std::pair(first.rank, first.op) < std::pair(second.rank, second.op);
  });
  for (std::uint32_t i = 0; i < live.size(); ++i) number[live[i]] = i;
  return live;
}

void Executor::describe(const Activity& activity, StateWords& words,
                        std::vector<FlowNetwork::FlowId>& flows) const {
  words.add(activity.group);
  words.add(activity.members.size());
  for (const Member& member : activity.members) {
    words.add(member.rank);
    words.add(place_word(member.rank, member.op));
  }
  if (!groups_.runs(activity)) return;
  words.add(now_ - activity.started);
  words.add(now_ - activity.updated);
  words.add(activity.left);
  words.add(activity.speed);
  words.add(activity.traffic);
  if (activity.flow != kNone) flows.push_back(activity.flow);
  pass_flows_.describe(activity.inner, words, flows);
  if (activity.stretch != kNone) stretch_flows_.describe(activity.stretch, words);
}

StateWords Executor::state_words() const {
  StateWords words;
  std::vector<std::uint32_t> number;
  std::vector<FlowNetwork::FlowId> flows;
  const std::vector<std::uint32_t> live = live_activities(number);
  for (std::uint32_t rank = 0; rank < ranks_.size(); ++rank) {
    const RankState& state = ranks_[rank];
    for (const std::uint32_t op : state.next) words.add(place_word(rank, op));
    words.add(std::uint64_t{state.waiting} << 16U | state.woken);
    for (const std::uint16_t blocked : state.blocks) words.add(blocked);
  }
  for (const std::uint32_t id : live) describe(activities_[id], words, flows);
  groups_.describe(number, words);
  loads_.describe(number, words);
  queue_.for_each_in_order([&](std::uint32_t id, Duration time) {
    words.add(number[id]);
    words.add(time - now_);
  });
  stretch_flows_.describe(number, now_, words, flows);
  network_.describe(flows, words);
  return words;
}

Checkpoint Executor::checkpoint() const {
  Checkpoint here{state_words(), {}, groups_.counts(), now_, timeline_.events, ended_};
  here.next.reserve(ranks_.size());
  for (const RankState& rank : ranks_) here.next.push_back(rank.next);
  return here;
}

void Executor::look_for_period() {
  Checkpoint here = checkpoint();
  const std::optional<Checkpoint>& last = periods_.last();
  const bool alike = last && last->state == here.state;
  const std::uint32_t times = alike ? std::min(periods_ahead(*last), periods_in_time(last->at)) : 0;
  if (times == 0) return periods_.keep(std::move(here));
  repeat_period(*last, times);
  periods_.stop();
}

/// How many of a period that began then end before a step is refused, and one more.
std::uint32_t Executor::periods_in_time(Duration began) const {
  constexpr Duration::rep kMany = std::numeric_limits<std::uint32_t>::max();
  const Duration::rep length = (now_ - began).count();
  if (length == 0) return static_cast<std::uint32_t>(kMany);
  return static_cast<std::uint32_t>(std::min(kMany, (kLongestStep - now_).count() / length + 1));
}

/// How often the period since a checkpoint can follow: its ops, and those that are next, have as
/// many periods ahead, and what waits for a later op is still left waiting.
std::uint32_t Executor::periods_ahead(const Checkpoint& before) const {
  std::uint32_t times = std::numeric_limits<std::uint32_t>::max();
  for (std::uint32_t rank = 0; rank < ranks_.size(); ++rank) {
    const RankState& state = ranks_[rank];
    const ProgramPeriod& period = periods_.of(plan_->ranks[rank].program);
    for (std::size_t stream = 0; stream < kStreams; ++stream) {
      const std::uint32_t next = state.next[stream];
      if (next == kNoOp) continue;
      if (next == before.next[rank][stream]) {
        times = std::min(times, periods_waiting(state, period, next, before.next[rank]));
        continue;
      }
      if (!period.holds(next) || !depends_within(state, period, before.next[rank][stream], next))
        return 0;
      times = std::min(times, (period.end - 1 - next) / period.ops);
    }
  }
  return times == std::numeric_limits<std::uint32_t>::max() ? 0 : times;
}

/// How many periods an op that did not move waits for the first op that keeps it waiting.
std::uint32_t Executor::periods_waiting(const RankState& state, const ProgramPeriod& period,
                                        std::uint32_t op,
                                        const std::array<std::uint32_t, kStreams>& before) {
  for (std::size_t i = 0; i < state.at(op).after.size(); ++i) {
    const std::uint32_t awaited = state.at(op).after[i];
    const std::size_t stream = state.link(op).after_stream[i];
    if (awaited == kNoOp || state.next[stream] > awaited) continue;
    if (state.next[stream] == before[stream]) break;
    return (awaited - state.next[stream]) / period.ops;
  }
  return std::numeric_limits<std::uint32_t>::max();
}

/// Whether the ops of a stream from one on, and that behind them, wait for ops of the period alone.
bool Executor::depends_within(const RankState& state, const ProgramPeriod& period,
                              std::uint32_t first, std::uint32_t last) {
  for (std::uint32_t op = first;; op = state.link(op).next) {
    for (const std::uint32_t awaited : state.at(op).after) {
      if (awaited != kNoOp && !period.holds(awaited)) return false;
    }
    if (op == last) return period.holds(first);
  }
}

void Executor::repeat_period(const Checkpoint& before, std::uint32_t times) {
  const Duration length = now_ - before.at;
  const Duration ahead = length * static_cast<Duration::rep>(times);
  for (std::uint32_t rank = 0; rank < ranks_.size(); ++rank) {
    const std::uint32_t ops = periods_.of(plan_->ranks[rank].program).ops;
    for (std::size_t stream = 0; stream < kStreams; ++stream) {
      std::uint32_t& next = ranks_[rank].next[stream];
      const std::uint32_t first = before.next[rank][stream];
      if (next == first) continue;
      repeat_spans(ranks_[rank], {first, next, ops}, length, times);
      next += times * ops;
    }
  }
  activities_.for_each_live([&](std::uint32_t id) {
    Activity& activity = activities_[id];
    activity.started += ahead;
    activity.updated += ahead;
    for (Member& member : activity.members) {
      const ProgramPeriod& period = periods_.of(plan_->ranks[member.rank].program);
      if (period.holds(member.op)) member.op += times * period.ops;
    }
  });
  groups_.repeat(before.counts, times);
  queue_.shift(ahead);
  stretch_flows_.shift(ahead);
  timeline_.repeated = times * (timeline_.events - before.events);
  timeline_.events += timeline_.repeated;
  timeline_.end += ahead;
  ended_ += times * (ended_ - before.ended);
  now_ += ahead;
}

/// Writes the spans of a stream's ops from `first` on and before `next` once more, for later ones.
void Executor::repeat_spans(RankState& state, const RepeatedOps& ops, Duration length,
                            std::uint32_t times) {
  for (std::uint32_t op = ops.first; op != ops.next; op = state.link(op).next) {
    Span span = state.spans[op];
    for (std::uint32_t i = 1; i <= times; ++i) {
      span.start += length;
      span.end += length;
      state.spans[op + i * ops.period] = span;
    }
  }
}

}  // namespace simtrain::execution
