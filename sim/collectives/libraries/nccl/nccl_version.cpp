#include "sim/collectives/libraries/nccl/nccl_version.h"

#include <array>
#include <charconv>

#include <fmt/format.h>

#include "sim/core/input/scalar_text.h"

namespace simtrain {

std::string NcclVersion::text() const { return fmt::format("{}.{}.{}", major, minor, patch); }

void scalar_quantity(const YamlNode& node, const std::string& key, NcclVersion& version) {
  const std::string text = scalar_text(node, key);
  std::array<int, 3> parts{};
  std::size_t count = 0;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (count < parts.size()) {
    const auto [next, error] = std::from_chars(at, end, parts[count]);
    if (error != std::errc() || next == at || parts[count] < 0) break;
    ++count;
    at = next;
    if (end - at < 2 || *at != '.') break;
    ++at;
  }
  if (count < 2 || at != end) {
    throw InputError(node.place, key, "'" + text + "' is no NCCL version; 2.25.1 would do");
  }
  version = {parts[0], parts[1], parts[2]};
  if (version.major != 2 || version.minor < 18) {
    throw InputError(
        node.place, key,
        "'" + text + "' is an NCCL whose rules are not known here; 2.18 and later are");
  }
}

}  // namespace simtrain
