#include "sim/output/text/unit_text.h"

#include <cmath>

#include <fmt/format.h>

namespace simtrain {

std::string seconds_text(double seconds) {
  const double size = std::abs(seconds);
  if (size >= 1) return fmt::format("{:.3f} s", seconds);
  if (size >= 1e-3) return fmt::format("{:.3f} ms", seconds * 1e3);
  return fmt::format("{:.1f} us", seconds * 1e6);
}

std::string percent_text(double fraction) { return fmt::format("{:.2f} %", fraction * 100); }

std::string gigabytes(double bytes) { return fmt::format("{:.1f} GB", bytes / 1e9); }

std::string call_size(Bytes bytes) {
  const auto value = static_cast<double>(bytes.value());
  if (value >= 1048576) return fmt::format("{:.1f} MiB", value / 1048576);
  if (value >= 1024) return fmt::format("{:.1f} KiB", value / 1024);
  return fmt::format("{} B", bytes.value());
}

}  // namespace simtrain
