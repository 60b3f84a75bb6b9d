#pragma once

#include <string>

namespace simtrain {

/// The scenario reference in Markdown, printed from the same field lists that read scenarios:
/// key, type, required or its default, and a line of meaning. docs/scenario.md is this text.
std::string scenario_help();

}  // namespace simtrain
