#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "sim/core/files/byte_source.h"

namespace simtrain {

/// The text between two line ends. A carriage return, with which progress bars draw over their
/// line, ends a piece too, but only a newline counts lines.
struct LogLine {
  std::string_view
      text;  ///< valid until the next one; `LineReader::kPadding` bytes behind it can be read
  std::int64_t number = 0;
  bool ended = true;      ///< false for the rest of a log that stops within a line
  bool too_long = false;  ///< `text` is empty: more than `LineReader::kLongest` bytes

  /// `text` and the character that ended it: a field at its end is known to be whole.
  [[nodiscard]] std::string_view with_end() const {
    return {text.data(), text.size() + (ended ? 1 : 0)};
  }
};

/// Cuts bytes into lines, in a buffer of fixed size.
class LineReader {
 public:
  static constexpr std::size_t kLongest = 1U << 18U;
  static constexpr std::size_t kPadding = 64;

  explicit LineReader(ByteSource source);

  /// The next piece that is not empty; false at the end.
  bool next(LogLine& line);

  [[nodiscard]] std::int64_t bytes() const { return bytes_; }
  /// Of the line read last; where all are read, of the last one.
  [[nodiscard]] std::int64_t lines() const { return number_; }

 private:
  static constexpr std::size_t kNone = SIZE_MAX;

  [[nodiscard]] std::size_t find(char c, std::size_t from) const;
  bool fill();
  void start_line();
  bool take(std::size_t end, LogLine& line);

  ByteSource source_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;  ///< of the bytes not yet given out
  std::size_t end_ = 0;
  // Where the next of them are in the buffer, so that no byte is searched twice; before `begin_`:
  // not known.
  std::size_t newline_ = kNone;
  std::size_t carriage_return_ = kNone;
  std::int64_t number_ = 0;
  std::int64_t bytes_ = 0;
  bool at_line_start_ = true;
  bool dropping_ = false;  ///< within a line that is too long
};

}  // namespace simtrain
