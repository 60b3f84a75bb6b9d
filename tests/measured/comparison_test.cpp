#include "sim/measured/comparison.h"

#include <algorithm>

#include <doctest/doctest.h>

namespace simtrain::testing::comparison_test {
namespace {

/// 8 s of GEMMs known to 5 %, 1 s of bubble to 10 %, 1 s of exposed TP communication to 30 %.
struct Example {
  Report report;
  UncertaintySpec uncertainty;
  PredictedStep step;

  Example() {
    report.step_time_s = 10;
    report.step_time_error.relative = 0.04;
    part(report.breakdown, Share::gemm) = 8;
    part(report.breakdown, Share::bubble) = 1;
    part(report.breakdown, Share::tensor_parallel) = 1;
    CommunicationRow row;
    row.group = "tp";
    row.total_s = 1.4;
    row.exposed_s = 1;
    report.communication = {row};
    for (const auto& [name, share] : EnumNames<Share>::rows) {
      KindError kind;
      kind.share = share;
      kind.relative_error.value = share == Share::gemm ? 0.05 : share == Share::bubble ? 0.1 : 0.3;
      uncertainty.kinds.push_back(kind);
    }
    step.breakdown = report.breakdown;
    step.time_s = 10;
  }

  [[nodiscard]] Comparison with(std::vector<double> seconds) const {
    MeasuredRun run;
    for (const double value : seconds)
      run.steps.push_back({static_cast<std::int64_t>(run.steps.size()), value});
    return compare(report, uncertainty, step, run);
  }
};

const GapExplanation& of(const Comparison& comparison, Share share) {
  return *std::find_if(comparison.explanations.begin(), comparison.explanations.end(),
                       [&](const GapExplanation& e) { return e.share == share; });
}

TEST_CASE("a slower run: what each share would have to be, in its standard errors") {
  const Comparison comparison = Example().with({10.5, 10.5, 10.5});
  CHECK(comparison.gap_s == doctest::Approx(0.5));
  CHECK(comparison.inside());
  REQUIRE(comparison.explanations.size() == 3);
  CHECK(comparison.explanations[0].share == Share::gemm);
  CHECK(comparison.explanations[0].deviations == doctest::Approx(1.25));
  CHECK(comparison.explanations[0].plausibility == Plausibility::plausible);
  CHECK(of(comparison, Share::bubble).needed_s == doctest::Approx(1.5));
  CHECK(of(comparison, Share::bubble).plausibility == Plausibility::unlikely);
  const GapExplanation& tp = of(comparison, Share::tensor_parallel);
  CHECK(tp.deviations == doctest::Approx(0.5 / 0.3));
  CHECK(tp.most_s.value() == doctest::Approx(1.4));
  CHECK(tp.plausibility == Plausibility::impossible);  // 1.5 s needed, 1.4 s with nothing hidden
  CHECK(comparison.explanations.back().share == Share::tensor_parallel);
}

TEST_CASE("a faster run: no share can give more than it has") {
  const Comparison comparison = Example().with({8.8, 9.0, 8.9, 8.5});
  CHECK(comparison.measured_s.mean == doctest::Approx(8.8));
  CHECK(comparison.median_s == doctest::Approx(8.85));
  CHECK(!comparison.inside());
  CHECK(of(comparison, Share::gemm).plausibility == Plausibility::stretched);
  CHECK(of(comparison, Share::bubble).plausibility == Plausibility::impossible);
}

}  // namespace
}  // namespace simtrain::testing::comparison_test
