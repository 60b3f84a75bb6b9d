#include "sim/measured/profiles/json_events.h"

#include <array>
#include <utility>

namespace simtrain {

namespace {

/// Whether a byte can begin or end something, by its value.
constexpr std::array<bool, 256> kMeans = [] {
  std::array<bool, 256> means{};
  for (const char c : std::string_view("\"\\{}[]\n")) means[static_cast<unsigned char>(c)] = true;
  return means;
}();

}  // namespace

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
  while (!too_deep() && (begin_ < end_ || fill())) {
    pass_plain();
    if (begin_ == end_) continue;
    const char c = buffer_[begin_++];
    const bool ended = take(c);
    if (c == '\n') ++line_;
    if (!ended) continue;
    ++events_;
    event.text = too_long_ ? std::string_view() : std::string_view(event_);
    event.line = event_line_;
    event.too_long = too_long_;
    return true;
  }
  return false;
}

/// Passes over bytes that are of no meaning, which most are.
void JsonEvents::pass_plain() {
  if (escaped_) return;
  std::size_t stop = begin_;
  while (stop < end_ && !kMeans[static_cast<unsigned char>(buffer_[stop])]) ++stop;
  keep(std::string_view(buffer_.data() + begin_, stop - begin_));
  begin_ = stop;
}

void JsonEvents::keep(std::string_view bytes) {
  constexpr std::size_t kLongestKey = 64;
  if (in_event_) {
    too_long_ = too_long_ || event_.size() + bytes.size() > kLongest;
    if (!too_long_) event_ += bytes;
  }
  if (listed_) return;
  head_ += bytes.substr(0, kLongestHead - head_.size());
  if (in_string_ && depth_ == 1) key_ += bytes.substr(0, kLongestKey - key_.size());
}

/// Whether the byte ends an event.
bool JsonEvents::take(char c) {
  keep(std::string_view(&c, 1));
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
  if (escaped_)
    escaped_ = false;
  else if (c == '\\')
    escaped_ = true;
  else if (c == '"')
    in_string_ = false;
}

void JsonEvents::open(char c) {
  ++depth_;
  if (!listed_ && c == '[' && (depth_ == 1 || (depth_ == 2 && key_ == "traceEvents\""))) {
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
