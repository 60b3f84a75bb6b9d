#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/core/files/data_folder.h"
#include "sim/topology/import/import_format.h"

namespace simtrain {

/// How many nodes or GPUs a script starts that names a configuration.
struct LaunchedJob {
  std::int64_t count = 0;
  bool gpus = false;   ///< else nodes
  std::string origin;  ///< what of the script says so
};

/// The user's options beside a recipe file.
struct RecipeRequest {
  std::optional<std::string> name;      ///< of the scenario or model
  std::optional<std::string> cluster;   ///< a name in hardware/clusters
  std::optional<int> nodes;             ///< servers of the job
  std::optional<std::string> software;  ///< a name in hardware/software
  std::optional<std::string> model;     ///< a name in scenarios/models: what the shape is based on
  std::vector<std::string> overrides;   ///< KEY=VALUE of the recipe, as Hydra has them
  std::vector<std::string> settings;    ///< KEY=VALUE of the scenario, as `simtrain run --set`
  /// Of a script, as on its command line: `MODEL=8B 1 8` is a variable and two arguments.
  std::optional<std::string> arguments;
  /// Of the script that starts this configuration; what the configuration says counts.
  std::optional<LaunchedJob> launched;
  /// What only a run gives is the framework's default, and where it has none what is usual.
  bool defaults = false;
};

/// What an import leaves: a whole YAML file, and how much of it came from where.
struct ImportedRecipe {
  std::string yaml;
  std::size_t taken = 0;           ///< keys of the recipe that are in it
  std::size_t assumed = 0;         ///< values that the recipe is silent about
  std::size_t ignored = 0;         ///< keys of the recipe without effect on it
  std::vector<std::string> notes;  ///< what the user must know, each a sentence
};

/// One kind of recipe that can be imported: a file in this folder with its row. `read` returns a
/// scenario that loads and can be simulated, or a file for scenarios/models, with comments that
/// name the origin of each value, what was assumed and what was ignored. It throws InputError at a
/// line of the file, or with the option that would help.
struct RecipeFormat {
  std::string_view name;
  std::string_view help;
  bool (*recognizes)(std::string_view text);
  ImportedRecipe (*read)(const ImportFile&, const RecipeRequest&, const DataFolder&);
};

extern const RecipeFormat kBridgeLaunch;
extern const RecipeFormat kConfigurationLaunch;
extern const RecipeFormat kDeepSpeed;
extern const RecipeFormat kDlloggerHeader;
extern const RecipeFormat kGptNeox;
extern const RecipeFormat kHuggingFaceConfig;
extern const RecipeFormat kLlmFoundry;
extern const RecipeFormat kMaxText;
extern const RecipeFormat kMegatronArguments;
extern const RecipeFormat kMegatronBridge;
extern const RecipeFormat kMegatronLaunch;
extern const RecipeFormat kMegatronModelConfig;
extern const RecipeFormat kMegatronYamlConfig;
extern const RecipeFormat kNanotron;
extern const RecipeFormat kNemo2;
extern const RecipeFormat kNemo2Launch;
extern const RecipeFormat kNemo1;
extern const RecipeFormat kNemo1Hparams;
extern const RecipeFormat kPerformanceLaunch;
extern const RecipeFormat kPrimus;
extern const RecipeFormat kTorchtitan;
extern const RecipeFormat kTorchtitanLaunch;

/// All of them. A text is of the first that recognizes it.
const std::vector<RecipeFormat>& recipe_formats();

}  // namespace simtrain
