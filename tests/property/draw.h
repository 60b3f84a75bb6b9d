#pragma once

#include <cstdint>
#include <initializer_list>
#include <random>
#include <vector>

namespace simtrain::testing {

/// Numbers drawn by seed, the same on every machine.
class Draw {
 public:
  explicit Draw(std::uint64_t seed) : random_(seed) {}

  /// From 0 to `end` - 1.
  int below(int end) { return static_cast<int>(random_() % static_cast<std::uint64_t>(end)); }
  int between(int first, int last) { return first + below(last - first + 1); }
  /// True once in so many times.
  bool once_in(int times) { return below(times) == 0; }
  template <class Value>
  Value one_of(std::initializer_list<Value> values) {
    return values.begin()[below(static_cast<int>(values.size()))];
  }
  template <class Value>
  const Value& one_of(const std::vector<Value>& values) {
    return values[static_cast<std::size_t>(below(static_cast<int>(values.size())))];
  }

 private:
  std::mt19937_64 random_;
};

}  // namespace simtrain::testing
