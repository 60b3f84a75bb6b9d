#pragma once

#include <string>
#include <vector>

#include "sim/study/sweep/sweep_row.h"

namespace simtrain {

/// The rows of a finished sweep as its HDF5, CSV or JSON file holds them; bytes are whole there.
/// `question` is the one that the file answers (SweepFileHead). Throws InputError where the file
/// does not hold a row of each candidate, in order.
std::vector<SweepRow> sweep_rows(const std::string& path, const SweepQuestion& question);

}  // namespace simtrain
