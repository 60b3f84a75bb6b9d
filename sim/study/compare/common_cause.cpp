#include "sim/study/compare/common_cause.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "sim/core/input/number_text.h"
#include "sim/run/scenario/provenance.h"
#include "sim/run/uncertainty/uncertainty.h"
#include "sim/study/tune/estimated_step.h"

namespace simtrain {
namespace {

/// The factors that show what a number does, either way: the first of these that its file takes.
constexpr std::array<double, 3> kProbes{2, 1.1, 1.02};
constexpr double kSameChange = 1e-3;  // of a number's logarithm
constexpr int kMostSearches = 6;
constexpr std::string_view kHardware = "hardware/";

using Logs = std::vector<double>;  ///< one number a run

/// What a number does to the runs: by how much the logarithms of their step times change where its
/// own does.
struct Knot {
  double change = 0;
  Logs moved;
  bool whole = false;  ///< whole steps were simulated, not estimates
};

/// A number of a file with what was simulated of it, by change.
struct Candidate {
  CommonCause cause;
  std::vector<bool> reads;  ///< by run: whether it is made of the number's file
  std::vector<Knot> knots;
};

/// The number that a row holds, where a part of it makes sense.
std::optional<double> changeable(const ProvenanceRow& row) {
  const auto value = number_as<double>(row.value);
  return value && std::isfinite(*value) && *value != 0 ? value : std::nullopt;
}

/// The numbers of a file, of `runs` runs.
void add_numbers(const ProvenanceFile& file, std::string_view name, std::size_t runs,
                 std::vector<Candidate>& candidates) {
  for (const ProvenanceRow& row : file.rows) {
    const std::optional<double> value = changeable(row);
    if (!value) continue;
    Candidate candidate;
    candidate.cause.file = name;
    candidate.cause.key = row.key;
    candidate.cause.unit = row.unit;
    candidate.cause.source = row.source;
    candidate.cause.value = *value;
    candidate.reads.assign(runs, false);
    candidates.push_back(std::move(candidate));
  }
}

std::vector<Candidate> candidates_of(const DataFolder& data,
                                     const std::vector<RunToExplain>& runs) {
  std::vector<Candidate> candidates;
  std::set<std::string> seen;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const YamlNode keys = runs[i].source.tree(runs[i].row, runs[i].settings);
    for (const ProvenanceFile& file : provenance_of(data, keys)) {
      std::string_view name = file.path;
      if (!name.starts_with(kHardware)) continue;
      name.remove_prefix(kHardware.size());
      // A file beside the families, such as the uncertainty, predicts no step time.
      if (name.find('/') == name.npos) continue;
      if (seen.insert(file.path).second) add_numbers(file, name, runs.size(), candidates);
      for (Candidate& candidate : candidates) {
        if (candidate.cause.file == name) candidate.reads[i] = true;
      }
    }
  }
  return candidates;
}

double root_mean_square(const Logs& values) {
  double sum = 0;
  for (const double value : values) sum += value * value;
  return std::sqrt(sum / static_cast<double>(values.size()));
}

double left_of(const Logs& gaps, const Logs& moved) {
  Logs left = gaps;
  for (std::size_t i = 0; i < left.size(); ++i) left[i] -= moved[i];
  return root_mean_square(left);
}

/// On the straight line from one knot to the next, where least of the gaps is left.
Knot best_between(const Knot& a, const Knot& b, const Logs& gaps) {
  double product = 0;
  double square = 0;
  for (std::size_t i = 0; i < gaps.size(); ++i) {
    const double slope = b.moved[i] - a.moved[i];
    product += slope * (gaps[i] - a.moved[i]);
    square += slope * slope;
  }
  const double part = square > 0 ? std::clamp(product / square, 0.0, 1.0) : 0;
  Knot best{a.change + part * (b.change - a.change), a.moved, false};
  for (std::size_t i = 0; i < gaps.size(); ++i) best.moved[i] += part * (b.moved[i] - a.moved[i]);
  return best;
}

/// The best of what lies between the knots; there are two or more.
Knot best_of(const std::vector<Knot>& knots, const Logs& gaps) {
  Knot best = knots.front();
  for (std::size_t i = 1; i < knots.size(); ++i) {
    Knot between = best_between(knots[i - 1], knots[i], gaps);
    if (left_of(gaps, between.moved) < left_of(gaps, best.moved)) best = std::move(between);
  }
  return best;
}

bool without_effect(const std::vector<Knot>& knots) {
  return std::all_of(knots.begin(), knots.end(), [](const Knot& knot) {
    return std::all_of(knot.moved.begin(), knot.moved.end(), [&](double moved) {
      return std::abs(moved) <= CommonCauses::kLeastEffect * std::abs(knot.change);
    });
  });
}

class Search {
 public:
  Search(const DataFolder& data, const std::vector<RunToExplain>& runs) : data_(data), runs_(runs) {
    gaps_.reserve(runs.size());
    estimates_.reserve(runs.size());
    for (const RunToExplain& run : runs) {
      gaps_.push_back(std::log(run.measured_s / run.predicted_s));
      estimates_.push_back(estimated_step_time(run.source.scenario(data, run.row, run.settings)));
    }
  }

  [[nodiscard]] const Logs& gaps() const { return gaps_; }

  /// Sees what a candidate does; a single knot is left where its file takes no change.
  void probe(Candidate& candidate) const {
    candidate.knots = {{0, Logs(runs_.size(), 0.0), true}};
    if (!takes_parts(candidate)) return;
    for (const double side : {-1.0, 1.0}) {
      for (const double factor : kProbes) {
        if (add_knot(candidate, side * std::log(factor), false)) break;
      }
    }
    if (without_effect(candidate.knots)) return;
    for (const double side : {-1.0, 1.0})
      static_cast<void>(add_knot(candidate, side * std::log(CommonCauses::kFarthest), false));
  }

  /// Simulates the best change of a candidate until it moves no more.
  void refine(Candidate& candidate) const {
    const std::vector<Knot>& knots = candidate.knots;
    for (int round = 0; round < kMostSearches; ++round) {
      const double next = best_of(knots, gaps_).change;
      const bool known = std::any_of(knots.begin(), knots.end(), [&](const Knot& knot) {
        return knot.whole && std::abs(knot.change - next) < kSameChange;
      });
      if (known || !add_knot(candidate, next, true)) break;
    }
    const auto left = [&](const Knot& knot) {
      return knot.whole ? left_of(gaps_, knot.moved) : std::numeric_limits<double>::infinity();
    };
    const auto best =
        std::min_element(knots.begin(), knots.end(),
                         [&](const Knot& a, const Knot& b) { return left(a) < left(b); });
    CommonCause& cause = candidate.cause;
    cause.needed = cause.value * std::exp(best->change);
    cause.at_end = best == knots.begin() || best + 1 == knots.end();
    cause.left = left(*best);
    cause.predicted_s.reserve(runs_.size());
    for (std::size_t i = 0; i < runs_.size(); ++i)
      cause.predicted_s.push_back(runs_[i].predicted_s * std::exp(best->moved[i]));
  }

 private:
  [[nodiscard]] DataFolder changed(const CommonCause& cause, double change) const {
    return data_.with({{cause.file, cause.key, cause.value * std::exp(change), {cause.file}}});
  }

  /// Whether the file takes a little more or less: counts do not.
  [[nodiscard]] bool takes_parts(const Candidate& candidate) const {
    const auto first = std::find(candidate.reads.begin(), candidate.reads.end(), true);
    const RunToExplain& run = runs_[static_cast<std::size_t>(first - candidate.reads.begin())];
    for (const double change : {kSameChange, -kSameChange}) {
      try {
        static_cast<void>(
            run.source.scenario(changed(candidate.cause, change), run.row, run.settings));
        return true;
      } catch (const InputError&) {  // NOLINT(bugprone-empty-catch): the other side may do
      }
    }
    return false;
  }

  /// Simulates a change; false where the file does not take it.
  bool add_knot(Candidate& candidate, double change, bool whole) const {
    const DataFolder data = changed(candidate.cause, change);
    Knot knot{change, Logs(runs_.size(), 0.0), whole};
    try {
      for (std::size_t i = 0; i < runs_.size(); ++i) {
        if (!candidate.reads[i]) continue;
        const RunToExplain& run = runs_[i];
        const Scenario scenario = run.source.scenario(data, run.row, run.settings);
        knot.moved[i] = whole ? std::log(step_time(scenario) / run.predicted_s)
                              : std::log(estimated_step_time(scenario) / estimates_[i]);
        if (!std::isfinite(knot.moved[i])) return false;
      }
    } catch (const InputError&) {
      return false;
    }
    std::vector<Knot>& knots = candidate.knots;
    const auto next = std::find_if(knots.begin(), knots.end(), [&](const Knot& other) {
      return other.change > change - kSameChange;
    });
    if (next != knots.end() && next->change < change + kSameChange)
      *next = std::move(knot);
    else
      knots.insert(next, std::move(knot));
    return true;
  }

  const DataFolder& data_;
  const std::vector<RunToExplain>& runs_;
  Logs gaps_;
  std::vector<double> estimates_;  ///< of the runs as the files are
};

/// Keeps the candidates that leave least, judged at their knots.
void keep_best(std::vector<Candidate>& candidates, const Logs& gaps) {
  const auto left = [&](const Candidate& candidate) {
    return left_of(gaps, best_of(candidate.knots, gaps).moved);
  };
  std::stable_sort(candidates.begin(), candidates.end(),
                   [&](const Candidate& a, const Candidate& b) { return left(a) < left(b); });
  if (candidates.size() > CommonCauses::kMost) candidates.resize(CommonCauses::kMost);
}

bool all_explained(const CommonCause& cause, const std::vector<RunToExplain>& runs, double noise) {
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (std::abs(std::log(runs[i].measured_s / cause.predicted_s[i])) > noise) return false;
  }
  return true;
}

}  // namespace

CommonCauses common_causes(const DataFolder& data, const std::vector<RunToExplain>& runs,
                           const Watch& watch) {
  const Search search(data, runs);
  CommonCauses result;
  result.before = root_mean_square(search.gaps());
  result.noise = kNineOfTen * load_uncertainty(data).run_to_run.value;
  result.needed = std::any_of(search.gaps().begin(), search.gaps().end(),
                              [&](double gap) { return std::abs(gap) > result.noise; });
  if (!result.needed) return result;

  std::vector<Candidate> candidates = candidates_of(data, runs);
  parallel_each(
      candidates.size(), [&](std::size_t i) { search.probe(candidates[i]); }, watch);
  std::erase_if(candidates, [](const Candidate& candidate) { return candidate.knots.size() == 1; });
  result.tried = static_cast<int>(candidates.size());
  result.without_effect = static_cast<int>(std::erase_if(
      candidates, [](const Candidate& candidate) { return without_effect(candidate.knots); }));

  keep_best(candidates, search.gaps());
  parallel_each(candidates.size(), [&](std::size_t i) { search.refine(candidates[i]); });
  result.causes.reserve(candidates.size());
  for (Candidate& candidate : candidates) {
    if (candidate.cause.left >= CommonCauses::kWorthReporting * result.before) continue;
    candidate.cause.explains = all_explained(candidate.cause, runs, result.noise);
    result.causes.push_back(std::move(candidate.cause));
  }
  std::stable_sort(result.causes.begin(), result.causes.end(),
                   [](const CommonCause& a, const CommonCause& b) { return a.left < b.left; });
  return result;
}

}  // namespace simtrain
