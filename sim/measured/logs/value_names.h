#pragma once

#include <optional>
#include <string_view>

#include "sim/measured/run/run_builder.h"

namespace simtrain {

/// What a logged value is: a step number, its time (or how many steps a second, or when it was
/// logged), and what else is read of a step.
enum class LoggedValue { number, seconds, milliseconds, rate, clock, tflops, loss, samples, batch };

/// By its name, as frameworks and their TensorBoard and Weights & Biases exports name it; nothing
/// where it is none of these.
std::optional<LoggedValue> logged_value(std::string_view name);

/// Whether it is the time of a step.
bool is_step_time(LoggedValue value);

/// Puts a value into the record of its step; numbers and clocks are the caller's.
void set_value(LoggedValue meaning, double value, StepRecord& record);

}  // namespace simtrain
