// Any bytes at all, imported as a recipe of each format: only InputError may come out, and what is
// accepted is a scenario or a model that can be read.
#include <cstddef>
#include <cstdint>
#include <string>

#include "sim/import/formats/recipe_format.h"
#include "sim/run/scenario/scenario.h"
#include "sim/workload/model/fields/model_fields.h"
#include "sim/workload/model/model_spec.h"
#include "tests/core/checkout.h"

namespace {

simtrain::RecipeRequest request_for(const simtrain::RecipeFormat& format) {
  simtrain::RecipeRequest request;
  request.name = "fuzzed";
  if (format.name == simtrain::kHuggingFaceConfig.name) return request;  // a model has no job
  request.cluster = "dgx-superpod-h100";
  request.software = "nemo-25.02.01";
  request.nodes = 8;
  return request;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const simtrain::DataFolder folder(simtrain::testing::source_dir());
  const simtrain::ImportFile file{"/nowhere/fuzz.txt", std::string(data, data + size)};
  for (const simtrain::RecipeFormat& format : simtrain::recipe_formats()) {
    static_cast<void>(format.recognizes(file.text));
    std::string yaml;
    try {
      yaml = format.read(file, request_for(format), folder).yaml;
    } catch (const simtrain::InputError&) {  // what a wrong file deserves
      continue;
    }
    if (format.name == simtrain::kHuggingFaceConfig.name) {
      static_cast<void>(simtrain::read_yaml<simtrain::ModelSpec>(
          simtrain::load_yaml_text(yaml, "imported.yaml"), ""));
    } else {
      static_cast<void>(
          simtrain::ScenarioSource::from_text(yaml, "imported.yaml").scenario(folder, "", {}));
    }
  }
  return 0;
}
