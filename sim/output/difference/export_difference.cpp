#include "sim/output/difference/export_difference.h"

#include <fmt/format.h>

#include "sim/core/input/input_error.h"
#include "sim/output/run/recipe_difference.h"

namespace simtrain {

std::vector<std::string> left_out(const ExportTarget& target, const ExportedRecipe& recipe,
                                  const Scenario& scenario, const DataFolder& data) {
  std::vector<std::string> lines = recipe.notes;
  try {
    const Scenario again = reimported(target, recipe, data);
    for (const KeyDifference& key : recipe_difference(scenario, again)) {
      const std::string asked =
          key.first.empty() ? "is not there" : fmt::format("{} is not in it", key.first);
      const std::string known =
          key.second.empty() ? "an import has none" : fmt::format("an import has {}", key.second);
      lines.push_back(fmt::format("{}: {}; {}", key.key, asked, known));
    }
  } catch (const InputError& error) {
    lines.push_back(fmt::format("an import of it needs more: {}", error.what()));
  }
  return lines;
}

}  // namespace simtrain
