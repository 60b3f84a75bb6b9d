#pragma once

#include <optional>
#include <string>

#include "sim/core/files/data_folder.h"
#include "sim/workload/model/model_spec.h"

namespace simtrain {

/// What the key `model` of a scenario says: the name of a file of scenarios/models; the path of a
/// model file, which has a slash or ends in .yaml; or a map with the keys of one, whose `source`
/// may be left out for the scenario's. A path starts from the folder of the scenario where the
/// scenario's file says it, from the current one where the command line does.
struct ModelChoice {
  YamlNode written;
};

/// Throws InputError where a scenario says neither a text nor a map.
void read_value(const YamlNode& node, const std::string& key, ModelChoice& model);

/// The model file that a scenario names by path, none where it says a name or the keys.
std::optional<std::string> model_path(const YamlNode& scenario);

/// The keys of a scenario's model, before its model_overrides. Throws InputError where there is no
/// such name or file.
YamlNode model_tree(const DataFolder& data, const YamlNode& scenario);

/// The model with the scenario's overrides in it; `tree` becomes what was read. Throws InputError.
ModelSpec load_model(const DataFolder& data, const YamlNode& scenario,
                     const std::optional<YamlNode>& overrides, YamlNode& tree);

/// Rewrites the path of the model, if the scenario has one, so that it leads to the same file from
/// a scenario written to `file`.
void keep_model_path(YamlNode& scenario, const std::string& file);

}  // namespace simtrain
