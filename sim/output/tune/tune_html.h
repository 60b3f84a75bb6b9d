#pragma once

#include <string>

#include "sim/output/tune/tune_report.h"

namespace simtrain {

/// The page of a search (html.h): the best plans, where the step of each goes, the first against
/// the second share by share, what each knob is worth; or which constraint leaves no plan.
std::string tune_html(const TuneHead& head, const TuneResult& result);

}  // namespace simtrain
