#include "sim/measured/run/step_window.h"

#include <array>
#include <vector>

#include <fmt/format.h>

#include "sim/core/input/input_error.h"
#include "sim/core/input/number_text.h"
#include "sim/core/input/scalar_text.h"
#include "sim/core/suggestion.h"

namespace simtrain {
namespace {

constexpr StepWindow range(std::int64_t first, std::int64_t last,
                           DeviationKind deviation = DeviationKind::population) {
  return {first, last, 0, deviation};
}

constexpr StepWindow newest(std::int64_t count) {
  return {0, StepWindow::kNoEnd, count, DeviationKind::population};
}

constexpr std::array<NamedWindow, 8> kWindows{{
    {"training-metrics", range(10, 30), "10:30, the gpu-recipes training_metrics tool"},
    {"parse-train-timing", range(11, 44), "11:44, DGX Cloud's script of that name, 25.05 to 25.07"},
    {"parse-train-timing-25.08", range(35, 44), "35:44, the same from 25.08 on"},
    {"parse-train-timing-mbridge", range(35, 44, DeviationKind::sample),
     "35:44, DGX Cloud's script for Megatron-Bridge, 25.10 on; std of the sample"},
    {"llmb-run", range(35, 44), "35:44, DGX Cloud's parser of 26.05 on"},
    {"finetune-2025", newest(20), "last:20, DGX Cloud's Llama 3 fine-tuning, 25.02 to 25.04"},
    {"last", newest(1), "the last step, DGX Cloud's READMEs up to 25.04"},
    {"all", range(0, StepWindow::kNoEnd), "every step"},
}};

/// A step number; `empty` where there is none.
bool read_number(std::string_view text, std::int64_t empty, std::int64_t& value) {
  constexpr std::int64_t kMost = 1'000'000'000'000;
  value = text.empty() ? empty : number_as<std::int64_t>(text).value_or(-1);
  return text.empty() || (value >= 0 && value <= kMost);
}

InputError no_window(const std::string& text, const std::string& key) {
  std::vector<std::string> known{"11:44", "last:20"};
  for (const NamedWindow& row : kWindows) known.emplace_back(row.name);
  return {{}, key, fmt::format("'{}' is no window of steps; {}", text, suggestion(text, known))};
}

}  // namespace

std::span<const NamedWindow> named_windows() { return kWindows; }

StepWindow parse_window(const std::string& text, const std::string& key) {
  for (const NamedWindow& row : kWindows) {
    if (row.name == text) return row.window;
  }
  const std::size_t colon = text.find(':');
  if (colon == std::string::npos) throw no_window(text, key);
  const std::string_view front = std::string_view(text).substr(0, colon);
  const std::string_view back = std::string_view(text).substr(colon + 1);
  StepWindow window;
  if (front == "last") {
    if (!read_number(back, 0, window.newest) || window.newest == 0) throw no_window(text, key);
    if (window.newest <= StepWindow::kMostNewest) return window;
    throw InputError({}, key,
                     fmt::format("'{}' asks for more than the last {} steps; 'FIRST:' would do",
                                 text, StepWindow::kMostNewest));
  }
  if (!read_number(front, 0, window.first) || !read_number(back, StepWindow::kNoEnd, window.last) ||
      text == ":") {
    throw no_window(text, key);
  }
  if (window.first > window.last) {
    throw InputError({}, key,
                     fmt::format("'{}' ends before it starts; the first step comes first", text));
  }
  return window;
}

std::string describe(const StepWindow& window) {
  if (window.newest == 1) return "the last step";
  if (window.newest > 1) return fmt::format("the last {} steps", window.newest);
  if (window.first == window.last) return fmt::format("step {}", window.first);
  if (window.last != StepWindow::kNoEnd)
    return fmt::format("steps {} to {}", window.first, window.last);
  return window.first == 0 ? "all steps" : fmt::format("steps from {} on", window.first);
}

}  // namespace simtrain
