#include "sim/topology/placement/host_ranges.h"

namespace simtrain {

std::map<std::string, HostRange> host_ranges(const GraphSpec& graph) {
  std::map<std::string, HostRange> ranges;
  int first = 0;
  for (const GraphHosts& entry : graph.hosts) {
    ranges[entry.name] = {first, entry.count};
    for (int number = 0; entry.count > 1 && number < entry.count; ++number)
      ranges[entry.host_name(number)] = {first + number, 1};
    first += entry.count;
  }
  return ranges;
}

}  // namespace simtrain
