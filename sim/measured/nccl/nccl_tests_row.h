#pragma once

#include <string>
#include <string_view>

#include "sim/measured/nccl/nccl_tests_log.h"

namespace simtrain {

/// Whether a line is a row of a table of nccl-tests: size, count and type, behind whatever a
/// launcher put before them. `why`: the reason why it cannot be read; empty where `row` holds it.
bool nccl_tests_row(std::string_view text, NcclTestRow& row, std::string& why);

/// The bytes of an element of a type as nccl-tests names it; 0 for an unknown one.
int nccl_tests_element(std::string_view type);

}  // namespace simtrain
