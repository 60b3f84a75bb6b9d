#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>

namespace simtrain {

/// Simulated time and lengths of time: whole picoseconds, up to 106 days. There is no global "now".
using Duration = std::chrono::duration<std::int64_t, std::pico>;

/// A number of one physical dimension. Quantities of different dimension do not mix; the named
/// operators below are the only crossings. `value()` is for arithmetic cores and printers.
template <class Dimension, class Rep>
class Quantity {
 public:
  using rep = Rep;
  constexpr Quantity() = default;
  constexpr explicit Quantity(Rep value) : value_(value) {}
  [[nodiscard]] constexpr Rep value() const { return value_; }

  friend constexpr auto operator<=>(Quantity, Quantity) = default;
  friend constexpr Quantity operator+(Quantity a, Quantity b) {
    return Quantity(a.value_ + b.value_);
  }
  friend constexpr Quantity operator-(Quantity a, Quantity b) {
    return Quantity(a.value_ - b.value_);
  }
  friend constexpr Quantity operator*(Quantity a, Rep factor) {
    return Quantity(a.value_ * factor);
  }
  friend constexpr Quantity operator/(Quantity a, Rep divisor) {
    return Quantity(a.value_ / divisor);
  }
  constexpr Quantity& operator+=(Quantity other) {
    value_ += other.value_;
    return *this;
  }

 private:
  Rep value_{};
};

/// Amount of data, in bytes.
using Bytes = Quantity<struct BytesDimension, std::int64_t>;
/// Data per time, in bytes per second.
using Bandwidth = Quantity<struct BandwidthDimension, double>;
/// Floating-point work, in floating-point operations (1e25 does not fit an integer).
using Flops = Quantity<struct FlopsDimension, double>;
/// Floating-point work per time, in FLOP/s.
using FlopRate = Quantity<struct FlopRateDimension, double>;

/// Energy per time, in watts.
using Power = Quantity<struct PowerDimension, double>;
/// Money, in US dollars.
using Money = Quantity<struct MoneyDimension, double>;
/// Money per energy, in US dollars per kWh.
using EnergyPrice = Quantity<struct EnergyPriceDimension, double>;
/// CO2 equivalents per energy, in grams per kWh.
using CarbonIntensity = Quantity<struct CarbonIntensityDimension, double>;

inline constexpr double kSecondsPerHour = 3600;
inline constexpr double kSecondsPerDay = 24 * kSecondsPerHour;
inline constexpr double kJoulesPerKilowattHour = 3.6e6;

inline constexpr double kPicosecondsPerSecond = 1e12;

/// The only place where seconds are rounded to whole picoseconds: to nearest, saturating.
inline Duration to_duration(double seconds) {
  constexpr double kLimit = 0x1p62;  // a sum of two still fits
  const double picoseconds = seconds * kPicosecondsPerSecond;
  if (!(picoseconds < kLimit)) return Duration((std::int64_t{1} << 62U) - 1);
  return Duration(std::llround(std::max(picoseconds, -kLimit)));
}

inline double to_seconds(Duration duration) {
  return static_cast<double>(duration.count()) / kPicosecondsPerSecond;
}

/// `sum` + `part` * `times`, saturating like to_duration(); below that exact.
inline Duration add_times(Duration sum, Duration part, int times) {
  constexpr double kFar = 0x1p61 / kPicosecondsPerSecond;
  const double seconds = to_seconds(sum) + to_seconds(part) * times;
  return seconds < kFar ? sum + part * times : to_duration(std::max(seconds, 2 * kFar));
}

inline Duration operator/(Bytes amount, Bandwidth rate) {
  return to_duration(static_cast<double>(amount.value()) / rate.value());
}

inline Duration operator/(Flops work, FlopRate rate) {
  return to_duration(work.value() / rate.value());
}

}  // namespace simtrain
