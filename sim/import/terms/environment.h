#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/import/terms/key_table.h"

namespace simtrain {

/// Whether a variable is one of NCCL, CUDA, PyTorch or Transformer Engine, as recipes set them.
bool is_environment(std::string_view name);

/// Takes a variable of a job's environment into a reading: one of NCCL that a scenario has a key
/// for becomes that key, of others it is noted why they are left aside. `origin` is how the recipe
/// writes it. Throws InputError where a value has no meaning for NCCL.
void read_variable(const std::string& name, const YamlNode& value, RecipeReading& reading);

/// The variables that make the settings of a scenario's keys (`nccl.nvls: false` is
/// NCCL_NVLS_ENABLE=0), as names and values. Keys without a variable are left out.
std::vector<std::pair<std::string, std::string>> variables_of(const YamlNode& scenario);

}  // namespace simtrain
