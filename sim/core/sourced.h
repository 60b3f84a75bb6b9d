#pragma once

#include <string>

namespace simtrain {

/// A value and where it comes from; in YAML `{value: 3.35 TB/s, source: "..."}`.
template <class T>
struct Sourced {
  T value{};
  std::string source;
};

}  // namespace simtrain
