#include "sim/core/printable.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include <fmt/format.h>

namespace simtrain {
namespace {

struct Range {
  char32_t first;
  char32_t last;
};

/// What a terminal acts on instead of showing it.
constexpr std::array<Range, 9> kHidden{{{0x00, 0x1f},
                                        {0x7f, 0x9f},
                                        {0x61c, 0x61c},
                                        {0x200e, 0x200f},
                                        {0x2028, 0x202e},
                                        {0x2060, 0x2060},
                                        {0x2066, 0x2069},
                                        {0xfeff, 0xfeff},
                                        {0xfff9, 0xfffb}}};

struct Character {
  char32_t code = 0;
  std::size_t bytes = 1;
  bool valid = false;
};

/// The character that a text starts with; one byte that is not valid where it is no UTF-8.
Character first_character(std::string_view text) {
  struct Form {
    unsigned mask;
    unsigned mark;
    char32_t least;
  };
  constexpr std::array<Form, 4> kForms{
      {{0x80, 0x00, 0}, {0xe0, 0xc0, 0x80}, {0xf0, 0xe0, 0x800}, {0xf8, 0xf0, 0x10000}}};
  constexpr unsigned kTailMask = 0xc0;
  constexpr unsigned kTailMark = 0x80;
  constexpr char32_t kMost = 0x10ffff;
  const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
  for (std::size_t tail = 0; tail < kForms.size(); ++tail) {
    const Form& form = kForms[tail];
    if ((byte(0) & form.mask) != form.mark) continue;
    if (text.size() <= tail) return {};
    char32_t code = byte(0) & ~form.mask & 0xffU;
    for (std::size_t i = 1; i <= tail; ++i) {
      if ((byte(i) & kTailMask) != kTailMark) return {};
      code = code << 6U | (byte(i) & ~kTailMask & 0xffU);
    }
    const bool surrogate = code >= 0xd800 && code <= 0xdfff;
    return {code, tail + 1, code >= form.least && code <= kMost && !surrogate};
  }
  return {};
}

/// The first and the last of a printable text.
std::string without_middle(std::string_view text, std::size_t most) {
  if (text.size() <= most) return std::string(text);
  constexpr std::size_t kPart = 4;  // a quarter is the end's
  const std::size_t front = cut_before(text, most - most / kPart);
  const std::size_t back = cut_before(text, text.size() - most / kPart);
  return fmt::format("{}...({} bytes left out)...{}", text.substr(0, front), back - front,
                     text.substr(back));
}

}  // namespace

std::size_t cut_before(std::string_view text, std::size_t at) {
  while (at > 0 && at < text.size() && (static_cast<unsigned char>(text[at]) & 0xc0U) == 0x80U)
    --at;
  return at;
}

std::string printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const Character next = first_character(text);
    const bool hidden =
        !next.valid || std::any_of(kHidden.begin(), kHidden.end(), [&](const Range& range) {
          return next.code >= range.first && next.code <= range.last;
        });
    if (hidden)
      out += '?';
    else
      out += text.substr(0, next.bytes);
    text.remove_prefix(next.valid ? next.bytes : 1);
  }
  return out;
}

std::string echoed(std::string_view text, std::size_t most) {
  constexpr std::size_t kLongestWord = 300;
  const std::string line = printable(text);
  std::string out;
  std::string_view rest = line;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(' '), rest.size());
    out += without_middle(rest.substr(0, end), kLongestWord);
    if (end < rest.size()) out += ' ';
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return without_middle(out, most);
}

}  // namespace simtrain
