#include <doctest/doctest.h>

#include "sim/measured/run_metrics.h"
#include "tests/measured/lines.h"

namespace simtrain::testing::own_window_test {
namespace {

std::string megatron_log(int first, int last, int distance, double milliseconds) {
  std::string log;
  for (int step = first; step <= last; step += distance)
    log += megatron_line(step, fmt::format("{}", milliseconds + step));
  return log;
}

RunMetrics metrics_of(const MeasuredRun& run) { return run_metrics(run, {}); }

TEST_CASE("a resumed run: all that the log holds but its first step, and the reason is reported") {
  const MeasuredRun run = read_text(megatron_log(122, 125, 1, 86000));
  REQUIRE(run.steps.size() == 3);
  CHECK(run.steps.front().number == 123);
  CHECK(run.steps.back().number == 125);
  REQUIRE(run.missed);
  CHECK(run.missed->held == 0);
  CHECK(run.missed->warm_up == 1);
  CHECK(describe(run.window) == "steps 123 to 125");
  CHECK(run.window.deviation == DeviationKind::sample);
  CHECK(window_text(run) ==
        "steps 123 to 125, what the log holds without its first step (warm-up), in place of "
        "parse-train-timing-mbridge (steps 35 to 44)");
  const RunMetrics metrics = metrics_of(run);
  CHECK(metrics.status == RunStatus::partial);
  CHECK(metrics.why == "the log holds none of steps 35 to 44; steps 123 to 125 count instead");
  CHECK(metrics.step_time_s->mean == doctest::Approx(86.124));
  CHECK(metrics.step_time_s->std.value() == doctest::Approx(1e-3));
}

TEST_CASE("a log with a line every ten steps: one step in the window is no window") {
  const MeasuredRun run = read_text(megatron_log(10, 50, 10, 5000));
  CHECK(run.missed->held == 1);
  CHECK(run.missed->window.first == 35);
  CHECK(run.steps.size() == 4);
  CHECK(run.steps.front().number == 20);
}

TEST_CASE("two steps in the window count; so does a window that was asked for, empty or not") {
  CHECK(!read_text(megatron_log(35, 36, 1, 5000)).missed);
  CHECK(read_text(megatron_log(35, 36, 1, 5000)).steps.size() == 2);
  const MeasuredRun asked =
      read_text(megatron_log(122, 125, 1, 5000), {parse_window("35:44", ""), ""});
  CHECK(asked.steps.empty());
  CHECK(!asked.missed);
  CHECK(window_text(asked) == "steps 35 to 44, as asked for");
}

TEST_CASE("the warm-up is a fifth, at most ten steps, and none of a single one") {
  CHECK(read_text(nemo_line(3, "1.5")).missed->warm_up == 0);
  CHECK(window_text(read_text(nemo_line(3, "1.5"))) ==
        "step 3, all that the log holds, in place of parse-train-timing (steps 11 to 44)");
  CHECK(read_text(megatron_log(101, 111, 1, 5000)).missed->warm_up == 3);
  const MeasuredRun longer = read_text(megatron_log(100, 3100, 1, 5000));
  CHECK(longer.missed->warm_up == OwnWindow::kMostWarmUp);
  CHECK(longer.steps.size() == OwnWindow::kMost);
  CHECK(longer.steps.front().number == 110);
}

TEST_CASE("of a step that occurs twice the last counts in such a window too") {
  const MeasuredRun run =
      read_text(megatron_log(101, 110, 1, 5000) + megatron_log(109, 112, 1, 6000));
  CHECK(run.steps.size() == 9);
  CHECK(run.repeated.count == 2);
  CHECK(run.steps[5].seconds == doctest::Approx(6.109));
}

TEST_CASE("one step has no deviation") {
  const RunMetrics metrics = metrics_of(read_text(megatron_line(40, "5000.0")));
  CHECK(metrics.step_time_s->mean == 5);
  CHECK(!metrics.step_time_s->std);
  CHECK(!statistics({2}, DeviationKind::population).std);
  CHECK(statistics({2, 4}, DeviationKind::population).std.value() == 1);
}

}  // namespace
}  // namespace simtrain::testing::own_window_test
