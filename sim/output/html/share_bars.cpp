#include "sim/output/html/share_bars.h"

#include <algorithm>

#include "sim/output/html/html_colours.h"
#include "sim/output/text/unit_text.h"

namespace simtrain {

using Json = nlohmann::ordered_json;

Json share_bars_json(const std::vector<ShareBar>& bars, std::string_view unit) {
  Json shares = Json::array();
  for (std::size_t i = 0; i < kShares; ++i) {
    const bool any = std::any_of(bars.begin(), bars.end(),
                                 [&](const ShareBar& bar) { return bar.report.breakdown[i] > 0; });
    if (!any) continue;
    Json values = Json::array();
    for (const ShareBar& bar : bars) values.push_back(bar.report.breakdown[i] * bar.scale);
    shares.push_back({{"name", in_words(EnumNames<Share>::rows[i].first)},
                      {"colour", {kShareColours[i].light, kShareColours[i].dark}},
                      {"values", std::move(values)}});
  }
  Json names = Json::array();
  for (const ShareBar& bar : bars) names.push_back(bar.name);
  return {{"unit", unit}, {"names", std::move(names)}, {"shares", std::move(shares)}};
}

}  // namespace simtrain
