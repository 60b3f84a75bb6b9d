#pragma once

#include <array>
#include <string_view>
#include <utility>

namespace simtrain {

/// The families of files of a data folder by name, with their folders.
inline constexpr std::array<std::pair<std::string_view, std::string_view>, 12> kDataFamilies{{
    {"gpus", "hardware/gpus"},
    {"nodes", "hardware/nodes"},
    {"fabrics", "hardware/fabrics"},
    {"clusters", "hardware/clusters"},
    {"machines", "hardware/machines"},
    {"software", "hardware/software"},
    {"storage", "hardware/storage"},
    {"failures", "hardware/failures"},
    {"fault-tolerance", "hardware/fault_tolerance"},
    {"tp-overlap", "hardware/tp_overlap"},
    {"models", "scenarios/models"},
    {"scenarios", "scenarios"},
}};

}  // namespace simtrain
