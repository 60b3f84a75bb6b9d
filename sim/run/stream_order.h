#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sim/workload/plan.h"

namespace simtrain {

/// A program sorted by stream: the ops of each stream in order, and each op's place in its stream.
struct StreamOrder {
  std::array<std::vector<std::uint32_t>, kStreams> ops;
  std::vector<std::uint32_t> place;
};

inline std::vector<StreamOrder> stream_orders(const Plan& plan) {
  std::vector<StreamOrder> orders;
  for (const Program& program : plan.programs) {
    StreamOrder order;
    for (std::uint32_t op = 0; op < program.ops.size(); ++op) {
      auto& stream = order.ops[static_cast<std::size_t>(program.ops[op].stream)];
      order.place.push_back(static_cast<std::uint32_t>(stream.size()));
      stream.push_back(op);
    }
    orders.push_back(std::move(order));
  }
  return orders;
}

}  // namespace simtrain
