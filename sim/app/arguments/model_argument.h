#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/app/command.h"
#include "sim/import/terms/finding.h"

namespace simtrain {

/// What `--model` of the command line names, as keys of a scenario.
struct ModelArgument {
  std::string name;
  std::vector<Finding> keys;            ///< `model`, or `model.KEY` for each key of a shape
  std::optional<std::int64_t> longest;  ///< sequence that it is made for, in tokens
};

/// A name in scenarios/models, the path of a model file, or that of the config.json of a Hugging
/// Face model, whose vocabulary is padded as Megatron does where it would not split. A note states
/// what of a config.json was assumed and ignored. Throws InputError at anything else.
ModelArgument model_argument(const CommandCall& call, const std::string& model);

}  // namespace simtrain
