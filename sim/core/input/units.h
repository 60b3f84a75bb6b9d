#pragma once

#include <array>
#include <span>
#include <string_view>

#include "sim/core/quantity.h"

namespace simtrain {

/// A word behind a number, and what it stands for in bytes, bytes per second, FLOP/s, seconds,
/// watts, USD, USD/kWh or g/kWh.
struct Unit {
  std::string_view name;
  double factor;
};

inline constexpr std::array<Unit, 9> kByteUnits{{{"B", 1},
                                                 {"KiB", 1024.0},
                                                 {"MiB", 1048576.0},
                                                 {"GiB", 1073741824.0},
                                                 {"TiB", 1099511627776.0},
                                                 {"KB", 1e3},
                                                 {"MB", 1e6},
                                                 {"GB", 1e9},
                                                 {"TB", 1e12}}};
inline constexpr std::array<Unit, 5> kBandwidthUnits{
    {{"MB/s", 1e6}, {"GB/s", 1e9}, {"TB/s", 1e12}, {"Gb/s", 1e9 / 8}, {"Tb/s", 1e12 / 8}}};
inline constexpr std::array<Unit, 3> kFlopRateUnits{
    {{"GFLOP/s", 1e9}, {"TFLOP/s", 1e12}, {"PFLOP/s", 1e15}}};
inline constexpr std::array<Unit, 7> kDurationUnits{{{"ps", 1e-12},
                                                     {"ns", 1e-9},
                                                     {"us", 1e-6},
                                                     {"ms", 1e-3},
                                                     {"s", 1.0},
                                                     {"min", 60.0},
                                                     {"h", 3600.0}}};
inline constexpr std::array<Unit, 3> kPowerUnits{{{"W", 1}, {"kW", 1e3}, {"MW", 1e6}}};
inline constexpr std::array<Unit, 1> kMoneyUnits{{{"USD", 1}}};
inline constexpr std::array<Unit, 2> kEnergyPriceUnits{{{"USD/kWh", 1}, {"USD/MWh", 1e-3}}};
inline constexpr std::array<Unit, 3> kCarbonUnits{{{"g/kWh", 1}, {"kg/kWh", 1e3}, {"kg/MWh", 1}}};

// The units in which a quantity of a type may be written.
constexpr std::span<const Unit> units_of(const Bytes& /*value*/) { return kByteUnits; }
constexpr std::span<const Unit> units_of(const Bandwidth& /*value*/) { return kBandwidthUnits; }
constexpr std::span<const Unit> units_of(const FlopRate& /*value*/) { return kFlopRateUnits; }
constexpr std::span<const Unit> units_of(const Duration& /*value*/) { return kDurationUnits; }
constexpr std::span<const Unit> units_of(const Power& /*value*/) { return kPowerUnits; }
constexpr std::span<const Unit> units_of(const Money& /*value*/) { return kMoneyUnits; }
constexpr std::span<const Unit> units_of(const EnergyPrice& /*value*/) { return kEnergyPriceUnits; }
constexpr std::span<const Unit> units_of(const CarbonIntensity& /*value*/) { return kCarbonUnits; }

}  // namespace simtrain
