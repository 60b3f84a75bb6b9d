#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "sim/measured/profiles/profile_comparison.h"

namespace simtrain {

// Rows and cells that the text, the JSON and the page of a profile share.

/// A row of the tables of kernels under its name.
struct NamedRow {
  std::string name;
  KernelRow row;
  bool summed = false;  ///< of the kinds below it, or of all
};

/// Groups of kinds, each before its kinds, and their sum.
std::vector<NamedRow> named_kernel_rows(const ProfileComparison& comparison);

/// Predicted less measured, where both are there.
std::string difference_text(double predicted, double measured);

/// Predicted over measured, less one. A dash where the two are a hundredfold apart.
std::string error_text(double predicted, double measured);

/// Calls in a step, which need not be whole where a profile holds several.
std::string step_calls_text(double count);

/// "missing", "extra", "fewer", "more", or nothing.
std::string_view call_verdict(const CallRow& row);

/// What a call of NCCL is, as an object; how often it is made is for the caller to add.
nlohmann::ordered_json call_shape_json(const CallShape& shape);

struct CallSums {
  std::int64_t predicted = 0;
  std::int64_t logged = 0;
  double predicted_bytes = 0;
  double logged_bytes = 0;
  std::size_t alike = 0;
};

CallSums call_sums(const std::vector<CallRow>& rows);

/// Whether two processes of a log have the same tables.
bool same_calls(const ProfileComparison& one, const ProfileComparison& other);

/// How much of a step any kernel is on the GPU, predicted and, where the profile says it, measured.
std::string busy_text(const ProfileComparison& comparison);

}  // namespace simtrain
