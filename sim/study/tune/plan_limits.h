#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim/study/tune/plan_choice.h"

namespace simtrain {

/// Numbers from `first` to `last`: `step` apart, or each `factor` times the one before.
struct ValueRange {
  std::int64_t first = 0;
  std::int64_t last = 0;
  std::int64_t step = 1;
  bool multiplies = false;

  [[nodiscard]] bool holds(std::int64_t number) const;
};

/// "1,2,8:64:8,64:2048:x2": numbers and ranges A:B[:STEP] or A:B:xFACTOR, 1 or more each. Throws
/// InputError at `option` where the text is something else.
std::vector<ValueRange> parse_ranges(std::string_view text, const std::string& option);

/// All numbers of some ranges, sorted, each once. Throws InputError at `option` where they are more
/// than 1000.
std::vector<int> numbers_of(const std::vector<ValueRange>& ranges, const std::string& option);

/// The values that a search may give to each knob; all where nothing is said.
class PlanLimits {
 public:
  /// KEY=VALUES, KEY one of the knobs (tp, pp, vp, cp, dp, mbs, recompute, account), VALUES as for
  /// `parse_ranges`, or names for recompute and account. Throws InputError where it is something
  /// else or the knob has a limit already.
  void add(const std::string& text);

  [[nodiscard]] bool allows(Knob knob, int value) const;

 private:
  std::array<std::vector<ValueRange>, kKnobs> ranges_;
};

}  // namespace simtrain
