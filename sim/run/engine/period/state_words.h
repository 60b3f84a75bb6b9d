#pragma once

#include <bit>
#include <concepts>
#include <cstdint>
#include <vector>

#include "sim/core/quantity.h"

namespace simtrain {

/// The state of a running plan in words, to be compared: two that are equal go on alike.
class StateWords {
 public:
  void add(std::integral auto word) { words_.push_back(static_cast<std::uint64_t>(word)); }
  void add(double number) { words_.push_back(std::bit_cast<std::uint64_t>(number)); }
  void add(Duration time) { add(time.count()); }
  bool operator==(const StateWords&) const = default;

 private:
  std::vector<std::uint64_t> words_;
};

}  // namespace simtrain
