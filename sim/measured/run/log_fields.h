#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "sim/measured/run/measured_run.h"

namespace simtrain {

/// Where `word` first occurs in `text`; npos where it does not.
std::size_t find_word(std::string_view text, std::string_view word);

/// Whether `word` occurs in `text` twice or more often.
bool occurs_twice(std::string_view text, std::string_view word);

/// The text behind a label, up to one of `stops`, without blanks around it; nothing where the label
/// is missing or where nothing ends the text: it may be cut.
std::optional<std::string_view> field_after(std::string_view text, std::string_view label,
                                            std::string_view stops);

/// A number alone, as logs write them: `12`, `99.00`, `1.0E-05`, `nan`.
std::optional<double> number_in(std::string_view text);

/// A whole number of 0 or more, also written as a real one: `99`, `99.00`.
std::optional<std::int64_t> whole_number_in(std::string_view text);

/// `field_after` as a number; NaN where there is none.
double number_after(std::string_view text, std::string_view label, std::string_view stops);

// Why a line that is a step is skipped.
inline constexpr std::string_view kTwoSteps = "holds two steps: another line was written into it";
inline constexpr std::string_view kNoStepTime = "its step time is cut off or no number";
inline constexpr std::string_view kNoStepNumber =
    "its step number is missing, cut off or no number";

/// Loss and gradient norm of a step, where a log has them.
void set_loss(MeasuredStep& step, std::optional<std::string_view> loss,
              std::optional<std::string_view> gradient_norm);

}  // namespace simtrain
