#pragma once

#include <cstddef>
#include <vector>

#include <doctest/doctest.h>

namespace simtrain::testing {

/// Whether this is the build under sanitizers, where everything takes two to three times as long.
#if defined(__has_feature)
inline constexpr bool kSanitized = __has_feature(address_sanitizer);
#else
inline constexpr bool kSanitized = false;
#endif

/// Marks a case of whole studies, whose parts other tests take under sanitizers: it runs without.
inline doctest::skip once() { return doctest::skip(kSanitized); }

/// How many of so many random cases to try: all, under sanitizers a sixth.
inline constexpr int thinned(int all) { return kSanitized ? all / 6 : all; }

/// The cases of a table, many of which take the same code: all, under sanitizers every sixth.
template <class Case>
std::vector<Case> thinned(const std::vector<Case>& all) {
  std::vector<Case> some;
  for (std::size_t i = 0; i < all.size(); i += kSanitized ? 6 : 1) some.push_back(all[i]);
  return some;
}

}  // namespace simtrain::testing
