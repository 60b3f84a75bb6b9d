#include "sim/run/scenario/checks/checks.h"

namespace simtrain {

void refuse(const YamlNode& tree, std::string_view key, std::string_view sentence) {
  const std::string at(key);
  throw InputError(place_of(tree, at), at, std::string(sentence));
}

void divides(std::int64_t divisor, std::int64_t number, const YamlNode& tree, std::string_view key,
             std::string_view what) {
  require(number % divisor == 0, tree, key, "{} does not divide {} ({})", divisor, what, number);
}

}  // namespace simtrain
