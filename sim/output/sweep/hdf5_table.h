#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "sim/output/sweep/sweep_table.h"

namespace H5 {  // NOLINT(readability-identifier-naming): the library's own
class H5File;
}

namespace simtrain {

/// What an HDF5 file says about itself: attributes of its root.
struct TableHead {
  std::vector<std::pair<const char*, std::string>> texts;
  std::vector<std::pair<const char*, std::uint64_t>> numbers;
  std::size_t rows = 0;
};

/// A column of the group `rows`: a data set with its unit and meaning.
struct TableColumn {
  std::string name;
  std::string unit;  ///< empty: a count, a name or a share
  std::string meaning;
  SweepCellKind kind{};
  std::function<std::vector<SweepCell>()> cells;  ///< a cell a row, while the column is written
  std::string key{};                              ///< of the scenario, where a column holds one
};

/// An empty file in memory, so that it can be written whole or not at all.
H5::H5File hdf5_in_memory();

/// Its bytes; behind them follows a seal (core/files/seal.h), which HDF5 does not read.
std::string sealed_hdf5(const H5::H5File& file);

/// The bytes of such a file with a table. Equal tables give equal bytes.
std::string hdf5_table(const TableHead& head, const std::vector<TableColumn>& columns);

}  // namespace simtrain
