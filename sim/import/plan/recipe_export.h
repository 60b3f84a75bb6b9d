#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/import/formats/recipe_format.h"
#include "sim/import/terms/recipe_terms.h"
#include "sim/run/scenario/scenario.h"

namespace simtrain {

/// What is exported: a scenario, the same in the terms of all formats, and what its settings of
/// NCCL are as variables of the environment.
struct PlanToExport {
  const Scenario& scenario;
  RecipeTerms terms;
  std::vector<std::pair<std::string, std::string>> environment;
};

/// What an export makes: a whole file, the options with which an import of it makes the scenario
/// again, and what of the plan is beside the file.
struct ExportedRecipe {
  std::string text;
  RecipeRequest request;
  std::vector<std::string> notes;  ///< each `KEY: a sentence`, by the scenario's key
};

/// A framework that a plan can be exported to. `write` makes the file of a plan by the same table
/// of keys by which `format` reads it, `comment` at its head; it may add to the request and notes.
struct ExportTarget {
  std::string_view name;
  std::string_view help;
  const RecipeFormat& format;
  void (*write)(const PlanToExport&, const std::string& comment, ExportedRecipe&);
  /// Whether it has a word for a model; null where its recipes say shapes. An import is given the
  /// name of one that it has not.
  bool (*has_model)(const std::string& model) = nullptr;
};

extern const ExportTarget kMegatronTarget;
extern const ExportTarget kNemoTarget;
extern const ExportTarget kBridgeTarget;
extern const ExportTarget kTorchtitanTarget;

/// All of them.
const std::vector<const ExportTarget*>& export_targets();

/// Their names.
std::vector<std::string> export_target_names();

/// One by name. Throws InputError at `key` where there is none.
const ExportTarget& export_target(const std::string& name, const std::string& key);

/// A scenario in the words of a framework. `keys` are those of its file, by which settings of NCCL
/// that it changes are known from those of its software. What the target has no word for is not in
/// the file: the import of it tells (`reimported`).
ExportedRecipe export_recipe(const ExportTarget& target, const Scenario& scenario,
                             const YamlNode& keys);

/// The scenario that an import of an exported recipe makes. Throws InputError where it makes none.
Scenario reimported(const ExportTarget& target, const ExportedRecipe& recipe,
                    const DataFolder& data);

}  // namespace simtrain
