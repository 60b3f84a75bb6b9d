#pragma once

#include <cstdint>
#include <queue>
#include <vector>

#include "sim/core/quantity.h"

namespace simtrain {

/// Events in total order: by time, then by the order in which they were scheduled. Nothing else,
/// so that the same program gives the same run everywhere.
template <class Payload>
class EventQueue {
 public:
  struct Event {
    Duration time;
    std::uint64_t number;
    Payload payload;
  };

  void schedule(Duration time, Payload payload) { heap_.push({time, next_number_++, payload}); }
  [[nodiscard]] bool empty() const { return heap_.empty(); }
  [[nodiscard]] Duration next_time() const { return heap_.top().time; }

  Event pop() {
    Event event = heap_.top();
    heap_.pop();
    return event;
  }

 private:
  struct Later {
    bool operator()(const Event& a, const Event& b) const {
      return a.time != b.time ? a.time > b.time : a.number > b.number;
    }
  };
  std::priority_queue<Event, std::vector<Event>, Later> heap_;
  std::uint64_t next_number_ = 0;
};

}  // namespace simtrain
