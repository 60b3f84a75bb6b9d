#pragma once

#include <array>
#include <string_view>
#include <utility>
#include <vector>

namespace simtrain {

/// The names of an enumeration, in the order in which they are listed to the user. Specialize with
/// `static constexpr std::array rows{std::pair{std::string_view("name"), E::value}, ...}`.
template <class E>
struct EnumNames;

template <class E>
concept Named = requires {
  EnumNames<E>::rows;
};

template <Named E>
std::string_view name_of(E value) {
  for (const auto& [name, row] : EnumNames<E>::rows) {
    if (row == value) return name;
  }
  return "?";
}

/// All names of an enumeration, in their order.
template <Named E, class Text = std::string_view>
std::vector<Text> all_names() {
  std::vector<Text> names;
  names.reserve(EnumNames<E>::rows.size());
  for (const auto& row : EnumNames<E>::rows) names.emplace_back(row.first);
  return names;
}

}  // namespace simtrain
