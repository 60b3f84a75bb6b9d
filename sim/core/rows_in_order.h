#pragma once

#include <cstddef>

namespace simtrain {

/// Whether the n-th row of a family's table is of the n-th value of the family's enumeration, so
/// that the value finds its row. `kind` is the row's member that names it.
template <class Rows, class Row, class Kind>
constexpr bool rows_in_order(const Rows& rows, Kind Row::*kind) {
  std::size_t place = 0;
  for (const Row& row : rows) {
    if (static_cast<std::size_t>(row.*kind) != place++) return false;
  }
  return true;
}

}  // namespace simtrain
