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
      "Printed by `simtrain help hardware`: keys that `--set`, `--vary`, the\n"
      "`hardware` map and the table of a scenario take, for the GPU, node, fabric and\n"
      "software files that it names. Values are written as in those files, units with\n"
      "them: `hardware.nic_bandwidth=200Gb/s`. `hardware.node.` and the like may\n"
      "precede any key of that kind. Rows of lists ([]) are named by their fields:\n"
      "`hardware.gemm.rates[data_type=fp8].burst`. The page of `run --report` shows all\n"
      "values that a scenario reads.\n";
  for (const HardwareKind& kind : hardware_kinds()) {
    out += fmt::format("\n## {} (`hardware/{}/`)\n\n", kind.name, kind.family);
    for (const std::string& key : kind.keys)
      out += fmt::format("- `hardware.{}{}`\n",
                         in_other_kind(kind, key) ? fmt::format("{}.", kind.name) : "", key);
  }
  return out;
}

}  // namespace simtrain
