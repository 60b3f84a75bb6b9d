#include "sim/topology/import/xml_limits.h"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>

#include "sim/core/input/input_error.h"

namespace simtrain {
namespace {

/// What is passed over as a whole, from its mark to its end.
struct Passage {
  std::string_view mark;
  std::string_view end;
};
constexpr std::array<Passage, 4> kPassages{
    {{"<!--", "-->"}, {"<![CDATA[", "]]>"}, {"<?", "?>"}, {"<!", ">"}}};

/// Behind the next `end`, or the end of the text.
std::size_t behind(std::string_view text, std::string_view end, std::size_t from) {
  const std::size_t at = text.find(end, from);
  return at == std::string_view::npos ? text.size() : at + end.size();
}

/// A start tag: where it ends, and how many values in quotes it holds.
struct Tag {
  std::size_t end = 0;
  int attributes = 0;
};

Tag tag_at(std::string_view text, std::size_t at) {
  Tag tag;
  while (at < text.size() && text[at] != '>') {
    const char c = text[at++];
    if (c != '"' && c != '\'') continue;
    ++tag.attributes;
    at = behind(text, std::string_view(&c, 1), at);
  }
  tag.end = std::min(at + 1, text.size());
  return tag;
}

}  // namespace

void check_attributes(const ImportFile& file) {
  const std::string_view text = file.text;
  for (std::size_t at = text.find('<'); at < text.size(); at = text.find('<', at)) {
    const auto* const passage =
        std::find_if(kPassages.begin(), kPassages.end(),
                     [&](const Passage& one) { return text.substr(at).starts_with(one.mark); });
    if (passage != kPassages.end()) {
      at = behind(text, passage->end, at + passage->mark.size());
      continue;
    }
    const Tag tag = tag_at(text, at);
    if (tag.attributes > kMostAttributes) {
      const auto line =
          std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n');
      throw InputError({file.path, static_cast<int>(line) + 1, 0}, "",
                       fmt::format("an element with {} attributes; at most {} are read",
                                   tag.attributes, kMostAttributes));
    }
    at = tag.end;
  }
}

}  // namespace simtrain
