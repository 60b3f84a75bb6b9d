#pragma once

#include <array>
#include <string_view>

#include "sim/workload/plan/plan.h"

namespace simtrain {

// The colours of marks on all pages.

/// For a light and for a dark page.
struct PageColour {
  std::string_view light;
  std::string_view dark;
};

/// Of the groups of a chart, in order of appearance.
inline constexpr auto kGroupColours = std::to_array<PageColour>({{"#2f6fd6", "#6ea0f0"},
                                                                 {"#0f8a7c", "#3fbfae"},
                                                                 {"#b7790a", "#e0b24a"},
                                                                 {"#c2384f", "#ef7f91"},
                                                                 {"#8e3fb5", "#c58ae0"},
                                                                 {"#4c8a14", "#8cc152"},
                                                                 {"#c85a12", "#f0955c"},
                                                                 {"#5a6575", "#a3afbf"}});

/// Of the shares, as EnumNames<Share> lists them: blue is compute, warm is communication, grey is
/// waiting.
inline constexpr auto kShareColours = std::to_array<PageColour>({{"#2b5fb8", "#5b8fe6"},
                                                                 {"#5b93e0", "#8db6f2"},
                                                                 {"#12887c", "#3cb5a8"},
                                                                 {"#56b8ac", "#86d6cc"},
                                                                 {"#7a63c7", "#a893ea"},
                                                                 {"#8d98a8", "#74808f"},
                                                                 {"#c2410c", "#f08c55"},
                                                                 {"#e0812f", "#f5b27a"},
                                                                 {"#a8452f", "#dd8f7c"},
                                                                 {"#d6a400", "#e8c95a"},
                                                                 {"#b91c4a", "#ee7a9b"},
                                                                 {"#7d1f6b", "#d06bbd"},
                                                                 {"#b9c1cc", "#4d5866"},
                                                                 {"#4f6b2f", "#9dbd76"},
                                                                 {"#a16a8a", "#d3a2be"},
                                                                 {"#8a7a4a", "#c2b280"},
                                                                 {"#6f7f96", "#8fa0b8"}});
static_assert(kShareColours.size() == kShares);

}  // namespace simtrain
