#pragma once

#include <optional>
#include <string>

#include "sim/output/text/changes.h"
#include "sim/study/tune/tune.h"

namespace simtrain {

/// What a search is printed with beside its result.
struct TuneHead {
  std::string scenario;
  double tokens = 0;  ///< of the training run whose cost is given
  std::optional<double> usd_per_gpu_hour;
  std::optional<Report>
      given;  ///< the scenario with the plan that its file has, where that is legal
  std::string given_refusal{};  ///< why there is none
  Changes changes{};
};

/// The best plans, tight ones marked, and those that would be better if tight ones ranked with the
/// safe ones; the first against the second share by share, what each knob is worth around the
/// first, and how many plans there were; or which constraint leaves none.
std::string tune_text(const TuneHead& head, const TuneResult& result);

/// The same as schema simtrain.tune/1.
std::string tune_json(const TuneHead& head, const TuneResult& result);

}  // namespace simtrain
