#include "sim/import/job/batch_rampup.h"

#include <algorithm>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "sim/core/input/input_error.h"
#include "sim/core/input/number_text.h"

namespace simtrain {
namespace {

constexpr std::int64_t kMost = 1000000000000000;  // of samples and steps, far inside 64 bits

struct Ramp {
  std::int64_t first = 0;
  std::int64_t increment = 0;
  std::int64_t samples = 0;
  std::int64_t last = 0;
};

/// Where a run ends, and where that is given.
struct RunLength {
  std::int64_t count = 0;
  std::string origin;
};

/// "[384, 384, 97656250]", "384 384 97_656_250": its counts, as Python writes them.
std::vector<std::int64_t> counts_in(std::string text) {
  std::erase(text, '_');
  std::vector<std::int64_t> counts;
  for (std::string_view left = text; !left.empty();
       left.remove_prefix(std::min<std::size_t>(1, left.size()))) {
    const std::size_t before = left.size();
    const auto count = take_number<std::int64_t>(left);
    if (left.size() < before) counts.push_back(count.value_or(-1));
  }
  return counts;
}

Ramp ramp_of(const RecipeTerms& terms) {
  const Given<std::string>& given = *terms.rampup_batch_size;
  const std::vector<std::int64_t> counts = counts_in(given.value);
  const std::int64_t last = terms.global_batch_size->value;
  const auto fits = [](std::int64_t count) { return count > 0 && count <= kMost; };
  if (counts.size() != 3 || !std::all_of(counts.begin(), counts.end(), fits) || last > kMost ||
      counts[0] > last || (last - counts[0]) % counts[1] != 0) {
    throw InputError(given.place, given.origin,
                     fmt::format("'{}' is no first batch, increment and samples that lead to the "
                                 "batch of {}; --set gbs=N sets the batch to simulate",
                                 plain_text(given.value.substr(0, 80)), last));
  }
  return {counts[0], counts[1], counts[2], last};
}

std::optional<RunLength> length_in(const WordTerm& term) {
  if (!term) return std::nullopt;
  std::string digits = term->value;
  std::erase(digits, '_');
  const std::int64_t count = number_as<std::int64_t>(digits).value_or(0);
  if (count <= 0 || count > kMost) return std::nullopt;
  return RunLength{count, term->origin};
}

/// The steps after which the run ends, whichever of its two ends is first.
std::optional<RunLength> steps_of(const RecipeTerms& terms) {
  const auto iterations = length_in(terms.train_iters);
  const auto exit = length_in(terms.exit_interval);
  if (!iterations || !exit) return iterations ? iterations : exit;
  return exit->count < iterations->count ? exit : iterations;
}

/// The batch of the step that is the last of `steps`, or takes the last of `samples`. Megatron
/// spends as many samples on each batch below the last.
std::int64_t last_batch(const Ramp& ramp, std::int64_t steps, std::int64_t samples) {
  const std::int64_t stages = (ramp.last - ramp.first) / ramp.increment;
  std::int64_t consumed = 0;
  std::int64_t taken = 0;
  std::int64_t batch = ramp.first;
  for (std::int64_t i = 1; i <= stages && batch < ramp.last; ++i, batch += ramp.increment) {
    const double end =
        static_cast<double>(ramp.samples) * static_cast<double>(i) / static_cast<double>(stages);
    if (static_cast<double>(samples) <= end) return batch;
    const double missing = std::max(0.0, end - static_cast<double>(consumed));
    const auto here = static_cast<std::int64_t>(missing / static_cast<double>(batch)) + 1;
    if (taken + here >= steps) return batch;
    taken += here;
    consumed += here * batch;
    if (i > 1000000) break;  // more stages than any ramp has
  }
  return ramp.last;
}

}  // namespace

Finding ramped_batch(const RecipeTerms& terms) {
  const Ramp ramp = ramp_of(terms);
  const auto steps = steps_of(terms);
  const auto samples = length_in(terms.train_samples);
  const std::string span =
      fmt::format("{}: from {} to {}", terms.rampup_batch_size->origin, ramp.first, ramp.last);
  if (!steps && !samples) {
    return {"", std::to_string(ramp.last),
            fmt::format("{}; the last, as the recipe does not give the length of the run; "
                        "--set gbs={} takes the first",
                        span, ramp.first),
            true, true};
  }
  const std::int64_t batch =
      last_batch(ramp, steps ? steps->count : kMost, samples ? samples->count : kMost);
  const std::string length = steps
                                 ? fmt::format("{} steps ({})", steps->count, steps->origin)
                                 : fmt::format("{} samples ({})", samples->count, samples->origin);
  const std::int64_t other = batch == ramp.last ? ramp.first : ramp.last;
  return {"", std::to_string(batch),
          fmt::format("{}; the batch in which the run of {} ends; --set gbs={} takes the {}", span,
                      length, other, other == ramp.last ? "last" : "first"),
          true, true};
}

}  // namespace simtrain
