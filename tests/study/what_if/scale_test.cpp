#include "sim/study/what_if/scale.h"

#include <doctest/doctest.h>

#include "sim/run/simulate.h"
#include "tests/core/error_of.h"
#include "tests/study/plan_search.h"

namespace simtrain::testing::scale_test {

namespace {

std::vector<ScaleRow> study(const std::vector<int>& gpus, Scaling mode,
                            const std::vector<std::string>& settings = {"gbs=16"}) {
  return scale(data_folder(), scenario_file("llama31_8b_h100"),
               {"bf16-8", parsed(settings), gpus, mode});
}

}  // namespace

TEST_CASE("weak scaling keeps the samples of a GPU, strong scaling those of the job") {
  const std::vector<ScaleRow> weak = study({8, 16, 32}, Scaling::weak);
  const std::vector<ScaleRow> strong = study({8, 16}, Scaling::strong);
  CHECK(weak[0].global_batch == 16);
  CHECK(weak[1].global_batch == 32);
  CHECK(weak[2].global_batch == 64);
  CHECK(strong[1].global_batch == 16);
  for (const ScaleRow& row : weak) {
    REQUIRE(row.report);
    const std::string nodes = "nodes=" + std::to_string(row.gpus / 8);
    const std::string batch = "gbs=" + std::to_string(row.global_batch);
    const Report alone = simulate(draft("llama31_8b_h100", "bf16-8", {nodes, batch}));
    CHECK(row.report->step_time_s == alone.step_time_s);
    CHECK(row.efficiency == doctest::Approx(row.report->tokens_per_s / row.gpus /
                                            (weak[0].report->tokens_per_s / 8)));
  }
  CHECK(weak[0].efficiency == 1);
  CHECK(strong[0].report->step_time_s == weak[0].report->step_time_s);
  CHECK(strong[1].report->step_time_s < strong[0].report->step_time_s);
}

TEST_CASE("sizes on which the plan is illegal have a reason, and the others are kept") {
  const std::vector<ScaleRow> rows = study({4, 8, 12, 24, 64}, Scaling::strong, {"gbs=8"});
  CHECK(rows[0].refusal == "--gpus: 4 are no whole number of nodes of 8 GPUs");
  CHECK(rows[1].report);
  CHECK(rows[1].efficiency == 1);
  CHECK(!rows[2].report);
  CHECK(rows[3].refusal.find("8 is no multiple of DP 12 x micro-batch 1") != std::string::npos);
  CHECK(rows[3].refusal.find("--mode") == std::string::npos);
  CHECK(!rows[4].report);
  CHECK(study({12}, Scaling::weak, {"gbs=12"})[0].refusal.find("whole number") !=
        std::string::npos);
}

TEST_CASE("a scenario that is wrong itself is refused") {
  CHECK(error_of([] { study({8}, Scaling::weak, {"gbs=7"}); }).find("7 is no multiple of DP") !=
        std::string::npos);
}

TEST_CASE("time, GPU hours and cost of a training run follow from tokens/s") {
  Report report;
  report.gpus = 512;
  report.tokens_per_s = 1e6;
  const TrainingRun run = training_run(report, 1e12, 2.5);
  CHECK(run.days == doctest::Approx(1e6 / 86400));
  CHECK(run.gpu_hours == doctest::Approx(1e6 / 3600 * 512));
  CHECK(*run.usd == doctest::Approx(1e6 / 3600 * 512 * 2.5));
  CHECK(!training_run(report, 1e12, std::nullopt).usd);
}

}  // namespace simtrain::testing::scale_test
