#include "sim/measured/json_events.h"

#include <utility>

namespace simtrain {

JsonEvents::JsonEvents(ByteSource source) : source_(std::move(source)), buffer_(1U << 18U) {
  event_.reserve(kLongest + kPadding);
}

bool JsonEvents::fill() {
  begin_ = 0;
  end_ = source_(std::span<char>(buffer_));
  bytes_ += static_cast<std::int64_t>(end_);
  return end_ > 0;
}

bool JsonEvents::next(JsonEvent& event) {
  while (begin_ < end_ || fill()) {
    const char c = buffer_[begin_++];
    const bool ended = take(c);
    if (c == '\n') ++line_;
    if (!ended) continue;
    event.text = too_long_ ? std::string_view() : std::string_view(event_);
    event.line = event_line_;
    event.too_long = too_long_;
    return true;
  }
  return false;
}

/// Whether the byte ends an event.
bool JsonEvents::take(char c) {
  if (in_event_) {
    too_long_ = too_long_ || event_.size() >= kLongest;
    if (!too_long_) event_ += c;
  }
  if (!listed_ && head_.size() < kLongestHead) head_ += c;
  if (in_string_) {
    string_byte(c);
  } else if (c == '"') {
    in_string_ = true;
    key_.clear();
  } else if (c == '{' || c == '[') {
    open(c);
  } else if ((c == '}' || c == ']') && depth_ > 0) {
    return close();
  }
  return false;
}

void JsonEvents::string_byte(char c) {
  constexpr std::size_t kLongestKey = 64;
  if (escaped_) {
    escaped_ = false;
  } else if (c == '\\') {
    escaped_ = true;
  } else if (c == '"') {
    in_string_ = false;
    return;
  }
  if (depth_ == 1 && key_.size() < kLongestKey) key_ += c;
}

void JsonEvents::open(char c) {
  ++depth_;
  if (!listed_ && c == '[' && (depth_ == 1 || (depth_ == 2 && key_ == "traceEvents"))) {
    listed_ = true;
    list_depth_ = depth_;
  } else if (list_depth_ > 0 && c == '{' && depth_ == list_depth_ + 1) {
    in_event_ = true;
    too_long_ = false;
    event_.assign(1, c);
    event_line_ = line_;
  }
}

/// Whether that ends an event.
bool JsonEvents::close() {
  --depth_;
  if (depth_ < list_depth_) list_depth_ = 0;
  const bool ended = in_event_ && depth_ == list_depth_;
  if (ended) in_event_ = false;
  return ended;
}

}  // namespace simtrain
