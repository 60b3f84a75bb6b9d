#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <simtrain/scenario.h>

/// Recipes of other frameworks: their files as scenarios, and scenarios as their files.
namespace simtrain::api {

/// What the file of a recipe does not say. Empty: as it says, or not known.
struct ImportOptions {
  std::string name;      ///< of what is made
  std::string cluster;   ///< a name in hardware/clusters
  int nodes = 0;         ///< servers of the job; 0: as the recipe says
  std::string software;  ///< a name in hardware/software
  std::string model;     ///< a name in scenarios/models to start from
  /// Of a script, as on its command line: `MODEL=8B 1 8` is a variable and two arguments.
  std::string arguments;
  std::vector<std::string> overrides;  ///< KEY=VALUE of the recipe, as Hydra has them
  std::vector<std::string> settings;   ///< KEY=VALUE of the scenario, whatever the recipe has
  bool defaults = false;  ///< what only a run gives is the framework's default, or usual
};

/// What an import makes.
struct Imported {
  std::string format;              ///< of `simtrain list import-formats`
  std::string yaml;                ///< a scenario, or of a config.json a model, with comments
  std::size_t taken = 0;           ///< keys of the recipe that are in it
  std::size_t assumed = 0;         ///< values that the recipe is silent about
  std::size_t ignored = 0;         ///< keys of the recipe without effect on it
  std::vector<std::string> notes;  ///< what the user must know, each a sentence
};

/// Makes a scenario of a training recipe (Megatron-LM, Megatron-Bridge, NeMo, torchtitan, ...), or
/// a model of a Hugging Face config.json. Throws InputError at a line of the file, or with what is
/// missing.
[[nodiscard]] Imported import_recipe(const DataFolder& data, const std::string& path,
                                     const ImportOptions& options = {});

/// What an export makes.
struct Exported {
  std::string text;                   ///< the whole file
  std::vector<std::string> left_out;  ///< each key of the plan that is not in it, a sentence
};

/// Frameworks that export_recipe() knows: "megatron", "nemo", "bridge", "torchtitan".
[[nodiscard]] std::vector<std::string> export_targets();

/// Writes what a framework needs to run the scenario's plan; an import of it makes the same
/// scenario, but for what is left out. Throws InputError where the scenario is wrong or the target
/// is not known.
[[nodiscard]] Exported export_recipe(const Scenario& scenario, const std::string& target);

}  // namespace simtrain::api
