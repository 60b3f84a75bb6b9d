#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace simtrain {

/// The colour of the group of a chart that appears `place`th, for light and dark pages; after the
/// last they begin anew.
nlohmann::ordered_json group_colour(std::size_t place);

/// The groups of a chart's points, by their first appearance.
class ColouredGroups {
 public:
  /// The place of a group, which is new where nobody has asked for it.
  std::size_t place_of(const std::string& name);

  /// Name and colour of each, as charts and legends take them.
  [[nodiscard]] nlohmann::ordered_json json() const;

 private:
  std::vector<std::string> names_;
};

}  // namespace simtrain
