#pragma once

#include <vector>

#include "sim/output/sweep/hdf5_table.h"
#include "sim/study/front/front.h"

namespace simtrain {

/// The columns of the table of a front, which outlives them: the same whatever the plans.
std::vector<TableColumn> front_columns(const Front& front);

}  // namespace simtrain
