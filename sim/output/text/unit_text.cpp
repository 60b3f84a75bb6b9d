#include "sim/output/text/unit_text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include <fmt/format.h>

#include "sim/core/quantity.h"

namespace simtrain {

std::string seconds_text(double seconds) {
  const double size = std::abs(seconds);
  if (size >= 1) return fmt::format("{:.3f} s", seconds);
  if (size >= 1e-3) return fmt::format("{:.3f} ms", seconds * 1e3);
  return fmt::format("{:.1f} us", seconds * 1e6);
}

std::string percent_text(double fraction) { return fmt::format("{:.2f} %", fraction * 100); }

std::string gigabytes(double bytes) {
  return bytes >= 1e12 ? fmt::format("{:.2f} TB", bytes / 1e12)
                       : fmt::format("{:.1f} GB", bytes / 1e9);
}

std::string file_size_text(std::uintmax_t bytes) {
  constexpr std::array<std::string_view, 5> kUnits{"B", "kB", "MB", "GB", "TB"};
  auto size = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (; size >= 1000 && unit + 1 < kUnits.size(); ++unit) size /= 1000;
  return fmt::format("{:.{}f} {}", size, unit == 0 ? 0 : 1, kUnits[unit]);
}

std::string call_size(Bytes bytes) {
  const auto value = static_cast<double>(bytes.value());
  if (value >= 1073741824) return fmt::format("{:.1f} GiB", value / 1073741824);
  if (value >= 1048576) return fmt::format("{:.1f} MiB", value / 1048576);
  if (value >= 1024) return fmt::format("{:.1f} KiB", value / 1024);
  return fmt::format("{} B", bytes.value());
}

std::string grouped(double number) {
  std::string digits = fmt::format("{:.0f}", number);
  const std::size_t first = digits.starts_with('-') ? 1 : 0;
  for (std::size_t at = digits.size(); at > first + 3;) digits.insert(at -= 3, 1, ',');
  return digits;
}

std::string in_words(std::string_view name) {
  std::string words(name);
  std::replace(words.begin(), words.end(), '_', ' ');
  return words;
}

std::string long_time(double seconds) {
  if (seconds < 120) return fmt::format("{:.3g} s", seconds);
  if (seconds < 2 * kSecondsPerHour) return fmt::format("{:.1f} min", seconds / 60);
  if (seconds < 3 * kSecondsPerDay) return fmt::format("{:.1f} h", seconds / kSecondsPerHour);
  return fmt::format("{:.2f} days", seconds / kSecondsPerDay);
}

}  // namespace simtrain
