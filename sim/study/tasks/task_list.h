#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace simtrain {

/// Work in numbered parts that do not depend on each other, each answered with a record, one line
/// of text: the rows of a sweep, the runs of a job. Threads, ranks and journals need no more of it.
struct TaskList {
  std::uint64_t size = 0;  ///< numbers are below
  /// The record of a part: the same whoever asks, in whatever order. Several threads ask.
  std::function<std::string(std::uint64_t)> answer;
  /// Which part a record is of. Throws std::invalid_argument where the text is no record.
  std::function<std::uint64_t(std::string_view)> number_of;
};

}  // namespace simtrain
