#include "sim/collectives/libraries/nccl/nccl_version.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "sim/core/input/number_text.h"
#include "sim/core/input/scalar_text.h"
#include "sim/core/input/text_parts.h"

namespace simtrain {

std::string NcclVersion::text() const { return fmt::format("{}.{}.{}", major, minor, patch); }

void scalar_quantity(const YamlNode& node, const std::string& key, NcclVersion& version) {
  const std::string text = scalar_text(node, key);
  const std::vector<std::string_view> parts = split(text, '.');
  std::vector<int> numbers;
  numbers.reserve(parts.size());
  for (const std::string_view part : parts) numbers.push_back(number_as<int>(part).value_or(-1));
  if (numbers.size() < 2 || numbers.size() > 3 ||
      *std::min_element(numbers.begin(), numbers.end()) < 0) {
    throw InputError(node.place, key, "'" + text + "' is no NCCL version; 2.25.1 would do");
  }
  version = {numbers[0], numbers[1], numbers.size() == 3 ? numbers[2] : 0};
  if (version.major != 2 || version.minor < 18 || version.minor > 30) {
    throw InputError(node.place, key,
                     "'" + text + "' is an NCCL whose rules are not known here; 2.18 to 2.30 are");
  }
}

}  // namespace simtrain
