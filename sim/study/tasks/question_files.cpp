#include "sim/study/tasks/question_files.h"

#include <bit>
#include <cstdint>

#include "sim/core/input/yaml_text.h"
#include "sim/run/scenario/routing_file.h"

namespace simtrain {

void add_own_files(Fingerprint& fingerprint, const DataFolder& data, const ScenarioSource& source,
                   const std::string& row, const std::vector<Setting>& settings) {
  const YamlNode tree = source.tree(row, settings);
  if (model_path(tree)) fingerprint.add(flow_text(model_tree(data, tree)));
  if (!routing_path(tree)) return;
  for (const std::vector<double>& layer : load_routing_file(tree))
    for (const double load : layer) fingerprint.add(std::bit_cast<std::uint64_t>(load));
}

}  // namespace simtrain
