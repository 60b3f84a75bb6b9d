#pragma once

#include "sim/topology/import/import_format.h"

namespace simtrain {

/// More attributes than an element of NCCL's dumps has: some ten.
inline constexpr int kMostAttributes = 256;

/// Throws InputError at the line of an element that has more than kMostAttributes. tinyxml2
/// compares each attribute with all before it, so that a MiB of them takes half a minute. What is
/// no XML is left to tinyxml2.
void check_attributes(const ImportFile& file);

}  // namespace simtrain
