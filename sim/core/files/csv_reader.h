#pragma once

#include <vector>

#include "sim/core/files/csv_file.h"
#include "sim/core/input/yaml_reader.h"

namespace simtrain {

/// Reads each row into a struct whose fields are listed (fields.h), one field a column.
template <class T>
std::vector<T> read_csv(const std::vector<YamlNode>& rows) {
  std::vector<T> values;
  values.reserve(rows.size());
  for (const YamlNode& row : rows) values.push_back(read_yaml<T>(row, ""));
  return values;
}

}  // namespace simtrain
