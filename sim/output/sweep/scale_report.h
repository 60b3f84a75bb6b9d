#pragma once

#include <string>
#include <vector>

#include "sim/output/text/changes.h"
#include "sim/study/what_if/scale.h"

namespace simtrain {

/// What a scaling study is printed with beside its rows.
struct ScaleHead {
  std::string scenario;
  Scaling mode{};
  double tokens = 0;  ///< of the training run
  std::optional<double> usd_per_gpu_hour;
  Changes changes{};
};

/// A line a size; `json` is schema simtrain.scale/1.
std::string scale_text(const ScaleHead& head, const std::vector<ScaleRow>& rows);
std::string scale_json(const ScaleHead& head, const std::vector<ScaleRow>& rows);

/// A number of tokens or parameters in short, of four digits: "15T", "2.5T", "405.9B".
std::string token_text(double tokens);
/// Dollars: "$ 12.3 k", "$ 4.56 M".
std::string usd_text(double usd);

}  // namespace simtrain
