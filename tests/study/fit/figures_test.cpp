#include "sim/study/validate/figures.h"

#include <doctest/doctest.h>

namespace simtrain::testing::figures_test {

namespace {

/// One row of a table that prints these cells.
struct PrintedRow {
  DocumentedTable table;
  DocumentedRow row;

  PrintedRow& with(FigureName figure, const std::string& printed, double rounding) {
    FigureSpec spec;
    spec.figure = figure;
    spec.kind = FigureKind::derived;
    spec.rounding = rounding;
    table.figures.push_back(spec);
    row.printed.push_back(printed);
    row.values.push_back(printed == "n/a" ? std::nullopt
                                          : std::optional<double>(std::stod(printed)));
    return *this;
  }
};

/// A prediction of 8 s that deviates by 20 ms: 1000 tokens/s, 100 TFLOP/s, MFU 40 %, 500 days.
Report prediction() {
  Report report;
  report.step_time_s = 8;
  report.step_spread = {0.02, 1};
  report.tokens_per_s = 1000;
  report.tflops_per_gpu = 100;
  report.mfu = 0.4;
  report.days_per_1t_tokens = 500;
  StageMemory stage;
  stage.weights = 1e9;
  stage.gradients = 2e9;
  stage.optimizer = 3e9;
  stage.activations = 4e9;
  stage.loss = 5e9;
  stage.temporary = 6e9;
  stage.cuda_context = 7e9;
  report.memory = {stage};
  return report;
}

std::vector<FigureResult> compared(const PrintedRow& printed) {
  return compare_figures(printed.table, printed.row, prediction());
}

}  // namespace

TEST_CASE("rates scale inversely with the step time, days in proportion") {
  const auto figures = compared(PrintedRow()
                                    .with(FigureName::step_time, "10", 0.01)
                                    .with(FigureName::tokens_per_second, "800", 1)
                                    .with(FigureName::tflops_per_gpu, "80", 0.01)
                                    .with(FigureName::mfu, "32", 0.01)
                                    .with(FigureName::days_per_1t_tokens, "625", 0.01));
  REQUIRE(figures.size() == 5);
  CHECK(!figures[0].recomputed);
  for (std::size_t i = 1; i < figures.size(); ++i) {
    CHECK(*figures[i].recomputed == doctest::Approx(figures[i].measured));
    CHECK(figures[i].follows());
  }
  CHECK(*figures[0].predicted == 8);
  CHECK(*figures[1].predicted == 1000);
  CHECK(*figures[3].predicted == doctest::Approx(40));
  CHECK(figures[3].error() == doctest::Approx(40.0 / 32 - 1));
}

TEST_CASE("a figure may differ by the rounding of its cell and of the step time, no more") {
  // 1000 * 8 / 10 = 800 tokens/s; half a digit of each: 0.5 + 800 * 0.005 / 10 = 0.9.
  const auto with = [](const std::string& printed) {
    return compared(PrintedRow()
                        .with(FigureName::step_time, "10", 0.01)
                        .with(FigureName::tokens_per_second, printed, 1))
        .back();
  };
  CHECK(with("800").tolerance == doctest::Approx(0.9).epsilon(1e-3));
  CHECK(with("800.85").follows());
  CHECK(!with("800.95").follows());
  CHECK(!with("799.05").follows());
}

TEST_CASE("an MFU may also differ by how documents round model FLOPs and peaks") {
  const auto with = [](const std::string& printed) {
    return compared(PrintedRow()
                        .with(FigureName::step_time, "10", 0.00001)
                        .with(FigureName::mfu, printed, 0.01))
        .back();
  };
  CHECK(with("32.05").follows());
  CHECK(!with("32.06").follows());
}

TEST_CASE("a disputed figure holds although it does not follow") {
  PrintedRow printed =
      PrintedRow().with(FigureName::step_time, "10", 0.01).with(FigureName::mfu, "50", 0.01);
  CHECK(!compared(printed).back().holds());
  printed.table.disputed.push_back({FigureName::mfu, "another peak", {}});
  CHECK(compared(printed).back().disputed);
  CHECK(compared(printed).back().holds());
}

TEST_CASE("a figure with a bound holds up to it") {
  FigureResult figure;
  figure.measured = 100;
  figure.predicted = 104;
  CHECK(figure.holds());
  figure.within = Percent{0.05};
  CHECK(figure.holds());
  figure.within = Percent{0.03};
  CHECK(!figure.holds());
  figure.predicted = 96;
  CHECK(!figure.holds());
}

TEST_CASE("memory lines are compared with the allocator's peak and what it keeps") {
  const auto figures = compared(PrintedRow()
                                    .with(FigureName::peak_memory, "21000000000", 1)
                                    .with(FigureName::allocated_memory, "5000000000", 1));
  CHECK(*figures[0].predicted == 21e9);
  CHECK(*figures[1].predicted == 6e9);
  CHECK(figures[1].error() == doctest::Approx(0.2));
}

TEST_CASE("cells that print nothing are left out") {
  const auto figures = compared(PrintedRow()
                                    .with(FigureName::step_time, "10", 0.01)
                                    .with(FigureName::days_per_1t_tokens, "n/a", 1)
                                    .with(FigureName::step_time_deviation, "0.010", 0.001));
  REQUIRE(figures.size() == 2);
  CHECK(figures[1].figure == FigureName::step_time_deviation);
}

TEST_CASE("deviations from step to step are predicted, and do not follow from the step time") {
  const auto figures = compared(PrintedRow()
                                    .with(FigureName::step_time, "10", 0.01)
                                    .with(FigureName::step_time_deviation, "0.010", 0.001)
                                    .with(FigureName::tflops_deviation, "0.2", 0.01));
  CHECK(*figures[1].predicted == doctest::Approx(0.02));
  CHECK(*figures[2].predicted == doctest::Approx(0.25));
  CHECK(!figures[1].recomputed);
  CHECK(!figures[2].recomputed);
}

TEST_CASE("every figure has a unit") {
  for (const auto& [name, figure] : EnumNames<FigureName>::rows) {
    const auto& shown = name;
    CAPTURE(shown);
    CHECK(!unit_of(figure).empty());
  }
}

}  // namespace simtrain::testing::figures_test
