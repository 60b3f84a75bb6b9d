#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace simtrain {

/// How a standard deviation divides: by n (population) or by n - 1 (sample).
enum class DeviationKind { population, sample };

/// Which steps of a log count: those with numbers from `first` to `last`, both included, as the log
/// numbers them; or, where `newest` is not 0, so many at the end of the log.
struct StepWindow {
  static constexpr std::int64_t kNoEnd = INT64_MAX;
  static constexpr std::int64_t kMostNewest = 1000;

  std::int64_t first = 0;
  std::int64_t last = kNoEnd;
  std::int64_t newest = 0;
  DeviationKind deviation = DeviationKind::population;

  [[nodiscard]] bool holds(std::int64_t number) const {
    return newest > 0 || (first <= number && number <= last);
  }
};

/// The window of a tool that benchmarks take their figures with.
struct NamedWindow {
  std::string_view name;
  StepWindow window;
  std::string_view help;
};
std::span<const NamedWindow> named_windows();

/// A name of `named_windows()`, `11:44`, `11:`, `:44`, `all`, `last` or `last:20`. Throws
/// InputError at anything else; `key` is the option that gave it.
StepWindow parse_window(const std::string& text, const std::string& key);

/// "steps 11 to 44", "step 49", "the last step".
std::string describe(const StepWindow& window);

}  // namespace simtrain
