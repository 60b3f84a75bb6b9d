// Any bytes at all, imported as a node: only InputError may come out, and what is accepted is a
// node file that can be read.
#include <cstddef>
#include <cstdint>
#include <string>

#include "sim/topology/import/import_format.h"
#include "sim/topology/specs/cluster_spec.h"
#include "sim/topology/specs/node_fields.h"
#include "tests/core/checkout.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const simtrain::DataFolder folder(simtrain::testing::source_dir());
  const simtrain::ImportFile file{"fuzz.txt", std::string(data, data + size)};
  for (const simtrain::ImportFormat& format : simtrain::node_formats()) {
    static_cast<void>(format.recognizes(file.text));
    std::string yaml;
    try {
      yaml = format.read(file, {"fuzzed", "b200-sxm", {}}, folder);
    } catch (const simtrain::InputError&) {  // what a wrong file deserves
      continue;
    }
    static_cast<void>(simtrain::read_yaml<simtrain::NodeSpec>(
        simtrain::load_yaml_text(yaml, "imported.yaml"), ""));
  }
  return 0;
}
