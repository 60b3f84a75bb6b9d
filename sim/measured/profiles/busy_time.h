#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace simtrain {

/// How long at least one of many spans was under way, and the time from the first start to the last
/// end. Spans come in any order, in whatever unit; memory does not grow without bound.
class BusyTime {
 public:
  void add(std::int64_t start, std::int64_t end);

  struct Sums {
    std::int64_t busy = 0;
    std::int64_t whole = 0;
  };
  /// Nothing where there were no spans, or more gaps between them than are kept.
  [[nodiscard]] std::optional<Sums> sums();

 private:
  void join();

  static constexpr std::size_t kMostSpans = std::size_t{1} << 22U;

  std::vector<std::pair<std::int64_t, std::int64_t>> spans_;
  std::size_t joined_ = 0;  ///< of them, after the last time that they were
  bool too_many_ = false;
};

}  // namespace simtrain
