#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "sim/core/quantity.h"

namespace simtrain {

/// What happens next, in total order: by time, then by the order in which it was scheduled. Nothing
/// else, so that the same program gives the same run everywhere.
///
/// Each subject (a small number) has one event at most: to schedule it anew moves it. A binary heap
/// that knows the place of each subject, so that nothing outdated is ever in it.
class EventQueue {
 public:
  /// At `time` something happens to `subject`, and not when it was due before.
  void schedule(std::uint32_t subject, Duration time) {
    if (subject >= place_.size()) place_.resize(subject + std::size_t{1}, kNowhere);
    const Event event{time, next_number_++, subject};
    std::size_t place = place_[subject];
    if (place == kNowhere) {
      place = heap_.size();
      heap_.push_back(event);
    }
    rise(sink(place, event), event);
  }
  /// All that is due happens so much later.
  void shift(Duration by) {
    for (Event& event : heap_) event.time += by;
  }
  /// Calls `visit` with each subject and its time, in the order in which they come.
  template <class Visit>
  void for_each_in_order(const Visit& visit) const {
    std::vector<Event> events = heap_;
    std::sort(events.begin(), events.end(),
              [](const Event& one, const Event& other) { return one.before(other); });
    for (const Event& event : events) visit(event.subject, event.time);
  }
  [[nodiscard]] bool empty() const { return heap_.empty(); }
  [[nodiscard]] Duration next_time() const { return heap_.front().time; }

  /// Takes the next event off and returns its subject.
  std::uint32_t pop() {
    const std::uint32_t subject = heap_.front().subject;
    place_[subject] = kNowhere;
    const Event last = heap_.back();
    heap_.pop_back();
    if (!heap_.empty()) put(sink(0, last), last);
    return subject;
  }

 private:
  struct Event {
    Duration time;
    std::uint64_t number;
    std::uint32_t subject;
    [[nodiscard]] bool before(const Event& other) const {
      return time != other.time ? time < other.time : number < other.number;
    }
  };
  static constexpr std::uint32_t kNowhere = 0xffffffffU;

  void put(std::size_t place, const Event& event) {
    heap_[place] = event;
    place_[event.subject] = static_cast<std::uint32_t>(place);
  }

  /// Where `event` belongs below `place`; what is earlier moves up. The place is left for the
  /// event.
  std::size_t sink(std::size_t place, const Event& event) {
    while (true) {
      std::size_t child = 2 * place + 1;
      if (child >= heap_.size()) return place;
      if (child + 1 < heap_.size() && heap_[child + 1].before(heap_[child])) ++child;
      if (!heap_[child].before(event)) return place;
      put(place, heap_[child]);
      place = child;
    }
  }

  /// Puts `event` at `place` or above; what is later moves down.
  void rise(std::size_t place, const Event& event) {
    while (place > 0) {
      const std::size_t parent = (place - 1) / 2;
      if (!event.before(heap_[parent])) break;
      put(place, heap_[parent]);
      place = parent;
    }
    put(place, event);
  }

  std::vector<Event> heap_;
  std::vector<std::uint32_t> place_;  ///< by subject
  std::uint64_t next_number_ = 0;
};

}  // namespace simtrain
