#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/collectives/libraries/nccl/nccl_settings.h"
#include "sim/core/fields.h"
#include "sim/core/source_place.h"
#include "sim/study/nccl/nccl_validation.h"

namespace simtrain {

/// Times of one collective by size, as a table of nccl-tests.
struct CurveSpec {
  std::string machine;
  std::string cluster;
  int nodes = 1;
  int gpus = 1;
  Collective collective{};
  NcclOverrides nccl;
  std::string source;
  CurveUse use{};
  std::vector<std::int64_t> bytes;
  std::vector<double> us;
  SourcePlace where;
};
template <>
struct Fields<CurveSpec>;

/// A file of measured NCCL curves, `validation/nccl/*.yaml`.
struct CurveFile {
  std::string name;
  std::string data;
  std::vector<CurveSpec> curves;
};
template <>
struct Fields<CurveFile>;

}  // namespace simtrain
