#include "sim/measured/logs/line_reader.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace simtrain {

LineReader::LineReader(ByteSource source)
    : source_(std::move(source)), buffer_(2 * kLongest + kPadding) {}

std::size_t LineReader::find(char c, std::size_t from) const {
  const char* start = buffer_.data();
  const void* found = std::memchr(start + from, c, end_ - from);
  return found == nullptr ? kNone
                          : static_cast<std::size_t>(static_cast<const char*>(found) - start);
}

/// Moves what is left to the front of the buffer and reads behind it; false at the end.
bool LineReader::fill() {
  const std::size_t left = end_ - begin_;
  if (begin_ > 0) std::memmove(buffer_.data(), buffer_.data() + begin_, left);
  begin_ = 0;
  end_ = left;
  const std::size_t count =
      source_(std::span<char>(buffer_).subspan(left, buffer_.size() - kPadding - left));
  end_ += count;
  bytes_ += static_cast<std::int64_t>(count);
  newline_ = find('\n', left);
  carriage_return_ = find('\r', left);
  return count > 0;
}

void LineReader::start_line() {
  if (at_line_start_) ++number_;
  at_line_start_ = false;
}

/// Gives out the bytes up to `end`; false where there are none to give out.
bool LineReader::take(std::size_t end, LogLine& line) {
  const std::string_view text(buffer_.data() + begin_, end - begin_);
  const bool too_long = std::exchange(dropping_, false) || text.size() > kLongest;
  if (text.empty() && !too_long) return false;
  line.text = too_long ? std::string_view() : text;
  line.number = number_;
  line.ended = end < end_;
  line.too_long = too_long;
  return true;
}

bool LineReader::next(LogLine& line) {
  while (true) {
    if (newline_ < begin_) newline_ = find('\n', begin_);
    if (carriage_return_ < begin_) carriage_return_ = find('\r', begin_);
    const std::size_t stop = std::min(newline_, carriage_return_);
    if (stop != kNone) {
      start_line();
      const bool given = take(stop, line);
      at_line_start_ = stop == newline_;
      begin_ = stop + 1;
      if (given) return true;
      continue;
    }
    if (end_ - begin_ > kLongest) {
      dropping_ = true;
      begin_ = end_;
    }
    if (begin_ < end_ || dropping_) start_line();
    if (fill()) continue;
    const bool given = take(end_, line);
    begin_ = end_;
    return given;
  }
}

}  // namespace simtrain
