#include "sim/output/schema/meanings/meanings.h"

#include <algorithm>
#include <array>

namespace simtrain {
namespace {

constexpr std::string_view kScenarioPrefix = "scenario.";
constexpr std::string_view kJobsPrefix = "jobs.";
constexpr std::string_view kCurvePrefix = "nccl-curves.curves[].";

/// The same wherever they are, unless a longer key says more.
constexpr auto kCommonMeanings = std::to_array<Meaning>(
    {{"name", "the name of the file, by which others refer to it"},
     {"description", "what it is, for people"},
     {"source", "where the values are from: a datasheet, a measurement, or assumed or fitted"},
     {"based_on", "a file of the same folder whose keys hold where this one has none"},
     {"method", "how the GEMM and its transfer overlap"},
     {"sms", "streaming multiprocessors that the transfer takes"},
     {"splits", "parts into which the GEMM is cut"},
     {"set_sm_margin", "the whole GEMM leaves these SMs free, not only while data move"},
     {"mean", "of absolute errors, at most"},
     {"max", "the largest absolute error, at most"}});

std::string_view find(std::span<const Meaning> rows, std::string_view key) {
  const auto found =
      std::find_if(rows.begin(), rows.end(), [&](const Meaning& row) { return row.key == key; });
  return found == rows.end() ? std::string_view() : found->text;
}

}  // namespace

std::string_view meaning_of(std::string_view key) {
  if (key.starts_with(kScenarioPrefix)) {
    const std::string_view found = find(scenario_meanings(), key.substr(kScenarioPrefix.size()));
    if (!found.empty()) return found;
  }
  if (key.starts_with(kJobsPrefix)) {
    const std::string_view own = key.substr(kJobsPrefix.size());
    const std::string_view found = find(jobs_meanings(), own);
    return found.empty() ? find(scenario_meanings(), own) : found;
  }
  for (const std::span<const Meaning> rows :
       {hardware_meanings(), model_meanings(), software_meanings(), job_meanings(),
        study_meanings()}) {
    const std::string_view found = find(rows, key);
    if (!found.empty()) return found;
  }
  if (key.starts_with(kCurvePrefix)) {
    const std::string_view found = find(scenario_meanings(), key.substr(kCurvePrefix.size()));
    if (!found.empty()) return found;
  }
  const std::size_t dot = key.rfind('.');
  return find(kCommonMeanings, dot == std::string_view::npos ? key : key.substr(dot + 1));
}

}  // namespace simtrain
