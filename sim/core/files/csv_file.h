#pragma once

#include <string>
#include <vector>

#include "sim/core/input/yaml_tree.h"

namespace simtrain {

/// The rows of a CSV file as maps from column to text, each with its place. The first line must
/// name `columns` in their order. Commas and quotes are allowed only within "..."; a quote in it is
/// doubled. An empty cell is a missing key. Throws InputError at anything else, and at a row with
/// too few or too many cells.
std::vector<YamlNode> load_csv_file(const std::string& path,
                                    const std::vector<std::string>& columns);

/// The same from text; `name` is the file's in messages.
std::vector<YamlNode> load_csv_text(const std::string& text, const std::string& name,
                                    const std::vector<std::string>& columns);

}  // namespace simtrain
