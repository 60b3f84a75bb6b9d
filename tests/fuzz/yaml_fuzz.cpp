// Any bytes at all, read as a hardware file: only InputError may come out.
#include <cstddef>
#include <cstdint>
#include <string>

#include "sim/core/input/yaml_reader.h"
#include "sim/topology/specs/cluster_fields.h"
#include "sim/topology/specs/cluster_spec.h"
#include "sim/topology/specs/gpu_fields.h"
#include "sim/topology/specs/gpu_spec.h"
#include "sim/topology/specs/node_fields.h"

namespace {

template <class Spec>
void read_as(const simtrain::YamlNode& root) {
  try {
    static_cast<void>(simtrain::read_yaml<Spec>(root, ""));
  } catch (const simtrain::InputError&) {  // what a wrong file deserves
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(data, data + size);
  try {
    const simtrain::YamlNode root = simtrain::load_yaml_text(text, "fuzz.yaml");
    read_as<simtrain::GpuSpec>(root);
    read_as<simtrain::NodeSpec>(root);
    read_as<simtrain::FabricSpec>(root);
    read_as<simtrain::ClusterFile>(root);
  } catch (const simtrain::InputError&) {  // what a wrong file deserves
  }
  return 0;
}
