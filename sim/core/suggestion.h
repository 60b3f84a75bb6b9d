#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace simtrain {

/// The one of `known` that a word is close to, mistyped; null where none is.
const std::string* closest(std::string_view word, const std::vector<std::string>& known);

/// "did you mean 'x'?" for the closest of `known`, or the list of them where none is close.
std::string suggestion(std::string_view word, const std::vector<std::string>& known);

}  // namespace simtrain
