#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "sim/study/sweep/sweep_row.h"
#include "tests/core/checkout.h"
#include "tests/core/data_folder.h"

namespace simtrain::testing {

/// A question about eight GPUs: cheap to answer.
inline SweepQuestion small_question(const std::vector<std::string>& varied,
                                    const std::vector<std::string>& settings = {}) {
  SweepRequest request{source_dir() + "/scenarios/llama31_8b_h100.yaml", "bf16-8", {}, {}};
  for (const std::string& text : settings) request.settings.push_back(parse_setting(text));
  for (const std::string& text : varied) request.varied.push_back(parse_axis(text));
  return sweep_question(data_folder(), request);
}

}  // namespace simtrain::testing
