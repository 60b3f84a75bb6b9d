// The event queue against the schedulers of ns-3: take the next event off and schedule another for
// the same subject (hold), and beside that move two others (move), as flows do whose rates change.
#include <array>
#include <cstdint>
#include <ns3/calendar-scheduler.h>
#include <ns3/heap-scheduler.h>
#include <ns3/map-scheduler.h>
#include <ns3/priority-queue-scheduler.h>
#include <ns3/simulator.h>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "sim/core/event_queue.h"

namespace simtrain::testing {
namespace {

/// Pseudorandom numbers, drawn beforehand and taken in turn.
class Draws {
 public:
  Draws() {
    std::mt19937 random(1);
    for (std::uint32_t& value : values_) value = static_cast<std::uint32_t>(random());
  }
  std::uint32_t next() { return values_[taken_++ % values_.size()]; }
  /// Up to a millisecond, in picoseconds.
  std::uint64_t delay() { return 1 + next() % 1'000'000'000; }

 private:
  std::array<std::uint32_t, 65'536> values_{};
  std::size_t taken_ = 0;
};

struct NextEvent {
  std::uint64_t time = 0;
  std::uint32_t subject = 0;
};

class OurQueue {
 public:
  explicit OurQueue(std::uint32_t /*subjects*/) {}
  void schedule(std::uint32_t subject, std::uint64_t time) {
    queue_.schedule(subject, Duration(static_cast<std::int64_t>(time)));
  }
  void move(std::uint32_t subject, std::uint64_t time) { schedule(subject, time); }
  NextEvent pop() {
    const auto time = static_cast<std::uint64_t>(queue_.next_time().count());
    return {time, queue_.pop()};
  }

 private:
  EventQueue queue_;
};

template <class Scheduler>
class Ns3Queue {
 public:
  explicit Ns3Queue(std::uint32_t subjects)
      : queue_(ns3::CreateObject<Scheduler>()), events_(subjects) {}
  void schedule(std::uint32_t subject, std::uint64_t time) {
    ns3::Scheduler::Event& event = events_[subject];
    event.impl = nullptr;  // what would be called; no scheduler asks
    event.key = {time, next_uid_++, subject};
    queue_->Insert(event);
  }
  void move(std::uint32_t subject, std::uint64_t time) {
    queue_->Remove(events_[subject]);
    schedule(subject, time);
  }
  NextEvent pop() {
    const ns3::Scheduler::Event event = queue_->RemoveNext();
    return {event.key.m_ts, event.key.m_context};
  }

 private:
  ns3::Ptr<Scheduler> queue_;
  std::vector<ns3::Scheduler::Event> events_;  ///< by subject
  std::uint32_t next_uid_ = 0;
};

/// A queue at work: so many subjects, an event each.
template <class Queue>
class Work {
 public:
  Work(std::uint32_t subjects, int moves) : queue_(subjects), subjects_(subjects), moves_(moves) {
    for (std::uint32_t subject = 0; subject < subjects; ++subject)
      queue_.schedule(subject, draws_.delay());
  }
  std::uint32_t turn() {
    const NextEvent next = queue_.pop();
    queue_.schedule(next.subject, next.time + draws_.delay());
    for (int i = 0; i < moves_; ++i)
      queue_.move(draws_.next() % subjects_, next.time + draws_.delay());
    return next.subject;
  }

 private:
  Draws draws_;
  Queue queue_;
  std::uint32_t subjects_;
  int moves_;
};

template <class Queue>
void measure(benchmark::State& state, std::uint32_t subjects, int moves) {
  Work<OurQueue> ours(subjects, moves);
  Work<Queue> work(subjects, moves);
  for (int i = 0; i < 10'000; ++i) {
    if (ours.turn() != work.turn()) return state.SkipWithError("another order than ours");
  }
  for ([[maybe_unused]] auto turn : state) benchmark::DoNotOptimize(work.turn());
}

/// The whole loop of ns-3: events that call a function, which schedules another.
class Ns3Loop {
 public:
  explicit Ns3Loop(std::uint32_t subjects) {
    for (std::uint32_t subject = 0; subject < subjects; ++subject) schedule(subject);
  }
  void turns(std::int64_t count) {
    left_ = count;
    ns3::Simulator::Run();
  }

 private:
  void schedule(std::uint32_t subject) {
    ns3::Simulator::Schedule(ns3::TimeStep(draws_.delay()), &Ns3Loop::happen, this, subject);
  }
  void happen(std::uint32_t subject) {
    if (--left_ == 0) ns3::Simulator::Stop();
    schedule(subject);
  }

  Draws draws_;
  std::int64_t left_ = 0;
};

void measure_loop(benchmark::State& state, std::uint32_t subjects) {
  {
    Ns3Loop loop(subjects);
    constexpr std::int64_t kBatch = 10'000;
    while (state.KeepRunningBatch(kBatch)) loop.turns(kBatch);
  }
  ns3::Simulator::Destroy();
}

template <class Queue>
void add(const std::string& work, const char* engine, std::uint32_t subjects, int moves) {
  benchmark::RegisterBenchmark(
      fmt::format("{}/{}", work, engine).c_str(),
      [=](benchmark::State& state) { measure<Queue>(state, subjects, moves); });
}

const bool kAdded = [] {
  for (const std::uint32_t subjects : {100U, 10'000U}) {
    for (const int moves : {0, 2}) {
      const std::string work =
          fmt::format("{} of {} events", moves == 0 ? "hold" : "hold and move 2", subjects);
      add<OurQueue>(work, "simtrain", subjects, moves);
      add<Ns3Queue<ns3::MapScheduler>>(work, "ns-3 MapScheduler", subjects, moves);
      add<Ns3Queue<ns3::CalendarScheduler>>(work, "ns-3 CalendarScheduler", subjects, moves);
      if (moves > 0) continue;  // a heap of ns-3 looks through all for one that is moved
      add<Ns3Queue<ns3::HeapScheduler>>(work, "ns-3 HeapScheduler", subjects, moves);
      add<Ns3Queue<ns3::PriorityQueueScheduler>>(work, "ns-3 PriorityQueueScheduler", subjects,
                                                 moves);
      benchmark::RegisterBenchmark(fmt::format("{}/ns-3 Simulator", work).c_str(),
                                   [=](benchmark::State& state) { measure_loop(state, subjects); });
    }
  }
  return true;
}();

}  // namespace
}  // namespace simtrain::testing
