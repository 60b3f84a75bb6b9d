#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sim/core/files/byte_source.h"

namespace simtrain {

/// One event of a Chrome trace, as written.
struct JsonEvent {
  std::string_view
      text;  ///< until the next one; `JsonEvents::kPadding` bytes behind it can be read
  std::int64_t line = 0;  ///< that it starts in
  bool too_long = false;  ///< `text` is empty: more than `JsonEvents::kLongest` bytes
};

/// Cuts the events out of a Chrome trace, `{"traceEvents": [{...}, ...], ...}` or `[{...}, ...]`,
/// in memory that does not grow with it.
class JsonEvents {
 public:
  static constexpr std::size_t kLongest = 1U << 18U;
  static constexpr std::size_t kPadding = 64;
  static constexpr int kDeepest = 1'000'000;

  explicit JsonEvents(ByteSource source);

  /// The next event; false at the end of the trace.
  bool next(JsonEvent& event);

  /// The text before the events, up to a MiB.
  [[nodiscard]] const std::string& head() const { return head_; }
  /// Whether the bytes ended within the trace.
  [[nodiscard]] bool cut_off() const { return depth_ > 0; }
  /// Whether it nests deeper than `kDeepest`; no events come from there on.
  [[nodiscard]] bool too_deep() const { return depth_ > kDeepest; }
  [[nodiscard]] std::int64_t lines() const { return line_; }
  /// That were given out.
  [[nodiscard]] std::int64_t events() const { return events_; }
  [[nodiscard]] std::int64_t bytes() const { return bytes_; }

 private:
  static constexpr std::size_t kLongestHead = 1U << 20U;

  bool fill();
  void pass_plain();
  void keep(std::string_view bytes);
  bool take(char c);
  void string_byte(char c);
  void open(char c);
  bool close();

  ByteSource source_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::int64_t line_ = 1;
  std::int64_t bytes_ = 0;
  std::int64_t events_ = 0;
  int depth_ = 0;
  int list_depth_ = 0;   ///< of the list of events; 0 before and behind it
  bool listed_ = false;  ///< it has begun
  bool in_string_ = false;
  bool escaped_ = false;
  std::string key_;  ///< before the list: the string read last at the top, with its closing quote
  std::string head_;
  std::string event_;
  std::int64_t event_line_ = 0;
  bool in_event_ = false;
  bool too_long_ = false;
};

}  // namespace simtrain
