#pragma once

#include <string>
#include <vector>

#include "sim/study/what_if/place_next.h"

namespace simtrain {

// The words of text and page of `simtrain share`.

/// "hosts 0-63,96" in order of their numbers, or how many where these are many ranges.
std::string hosts_text(std::vector<int> hosts);

/// "+1.25 %" of a ratio of times.
std::string slower_by(double ratio);

/// Why no job of several meets another; empty where some meet, or there is one.
std::string apart_sentence(const FabricResult& result);

/// Who uses a link, and who holds up whom there.
struct LinkWords {
  std::string link;     ///< "leaf0 to spine1 and 3 alike"
  std::string used;     ///< "a 62.0 %, b 21.5 %"
  std::string held_up;  ///< "a holds up b by 1.2 ms a step; ...", or empty
};
LinkWords link_words(const FabricResult& result, const SharedLink& link);

}  // namespace simtrain
