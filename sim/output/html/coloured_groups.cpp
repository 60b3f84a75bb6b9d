#include "sim/output/html/coloured_groups.h"

#include <algorithm>

#include "sim/output/html/html_colours.h"

namespace simtrain {

nlohmann::ordered_json group_colour(std::size_t place) {
  const PageColour& colour = kGroupColours[place % kGroupColours.size()];
  return {colour.light, colour.dark};
}

std::size_t ColouredGroups::place_of(const std::string& name) {
  const auto known = std::find(names_.begin(), names_.end(), name);
  const auto place = static_cast<std::size_t>(known - names_.begin());
  if (known == names_.end()) names_.push_back(name);
  return place;
}

nlohmann::ordered_json ColouredGroups::json() const {
  auto groups = nlohmann::ordered_json::array();
  for (const std::string& name : names_)
    groups.push_back({{"name", name}, {"colour", group_colour(groups.size())}});
  return groups;
}

}  // namespace simtrain
