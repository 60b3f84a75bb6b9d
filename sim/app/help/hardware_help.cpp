#include "sim/app/help/hardware_help.h"

#include <algorithm>

#include <fmt/format.h>

#include "sim/run/scenario/hardware_keys.h"

namespace simtrain {
namespace {

bool in_other_kind(const HardwareKind& kind, const std::string& key) {
  const std::vector<HardwareKind>& kinds = hardware_kinds();
  return std::any_of(kinds.begin(), kinds.end(), [&](const HardwareKind& other) {
    return other.name != kind.name &&
           std::find(other.keys.begin(), other.keys.end(), key) != other.keys.end();
  });
}

}  // namespace

std::string hardware_help() {
  std::string out =
      "# Values of the hardware\n\n"
      "Keys that `--set`, `--vary`, the `hardware` map and the table of a scenario\n"
      "take, for the GPU, node, fabric and software files that it names. Values are\n"
      "written as in those files, units with them: hardware.nic_bandwidth=200Gb/s.\n"
      "`hardware.node.` and the like may precede any key of that kind. Rows of\n"
      "lists ([]) are named by their fields: hardware.gemm.rates[data_type=fp8].burst.\n"
      "The page of `run --report` shows all values that a scenario reads.\n";
  for (const HardwareKind& kind : hardware_kinds()) {
    out += fmt::format("\n## {} (`hardware/{}/`)\n\n", kind.name, kind.family);
    for (const std::string& key : kind.keys)
      out += fmt::format("- `hardware.{}{}`\n",
                         in_other_kind(kind, key) ? fmt::format("{}.", kind.name) : "", key);
  }
  return out;
}

}  // namespace simtrain
