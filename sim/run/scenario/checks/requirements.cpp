#include <fmt/format.h>

#include "sim/run/scenario/checks/checks.h"

namespace simtrain {

void require(bool holds, const YamlNode& tree, const std::string& key,
             const std::string& sentence) {
  if (!holds) throw InputError(place_of(tree, key), key, sentence);
}

void divides(std::int64_t divisor, std::int64_t number, const YamlNode& tree,
             const std::string& key, std::string_view what) {
  if (number % divisor == 0) return;
  require(false, tree, key, fmt::format("{} does not divide {} ({})", divisor, what, number));
}

}  // namespace simtrain
