#include "sim/output/tune/tune_report.h"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "sim/output/sweep/scale_report.h"
#include "sim/output/tune/plan_text.h"

namespace simtrain::testing::tune_report_test {

namespace {

TunedPlan plan(int gpus, int tp, double step_time_s) {
  TunedPlan tuned;
  PlanChoice& choice = tuned.plan.choice;
  choice.gpus = gpus;
  choice.values.fill(1);
  choice[Knob::ep] = choice[Knob::etp] = 0;  // no experts
  choice[Knob::schedule] = 0;                // the scenario's own
  choice[Knob::dispatch] = 0;
  choice[Knob::tp] = tp;
  choice[Knob::recompute] = static_cast<int>(Recompute::selective);
  choice[Knob::account] = static_cast<int>(SplitAccount::both);
  tuned.plan.memory_bytes = 40e9 + tp;
  tuned.plan.fits = true;
  tuned.report.gpus = gpus;
  tuned.report.step_time_s = step_time_s;
  tuned.report.tokens_per_s = 1e6 / step_time_s;
  tuned.report.mfu = 0.5 / step_time_s;
  part(tuned.report.breakdown, Share::gemm) = 0.75 * step_time_s;
  part(tuned.report.breakdown, Share::bubble) = 0.25 * step_time_s;
  return tuned;
}

TuneResult result(TuneGoal by) {
  TuneResult tuned;
  tuned.by = by;
  PlanSpace& space = tuned.spaces.emplace_back();
  space.considered = 10;
  space.refused["parallelism.tensor_model_parallel_size"] = {8, "3 does not divide"};
  space.capacity_bytes = 80e9;
  tuned.best = {plan(8, 2, 1.0), plan(16, 4, 1.5)};
  space.legal = {tuned.best[0].plan, tuned.best[1].plan};
  tuned.simulated = 2;
  tuned.steps = {{Knob::tp, plan(8, 4, 1.1)}};
  return tuned;
}

bool has(const std::string& text, const std::string& piece) {
  return text.find(piece) != std::string::npos;
}

}  // namespace

TEST_CASE("the text ranks, explains and counts, with units") {
  const std::string text = tune_text({"name\n", 1e12, {}, {}}, result(TuneGoal::step_time));
  CHECK(has(text, "name?\nBest plans by step_time\n"));
  CHECK(has(text,
            "   GPUs TP  PP VP CP   DP MBS recompute account   step time        MFU to spare\n"
            " 1     8  2   1  1  1    1   1 selective both        1.000 s    50.00 %  40.0 GB\n"));
  CHECK(has(text, "  gemm                        750.0 ms     1125.0 ms     -375.0 ms\n"));
  CHECK(has(text, "  step                       1000.0 ms     1500.0 ms     -500.0 ms\n"));
  CHECK(has(text, "  tp                2 -> 4            1.100 s   +10.00 %   40.0 GB  fits\n"));
  CHECK(has(text, "Plans: 10 combinations, 2 of them legal, 2 fit in memory, 2 simulated\n"));
  CHECK(!has(text, "cost"));
}

TEST_CASE("by MFU and cost, shares are GPU seconds, so that sizes compare") {
  const std::string text = tune_text({"name", 15e12, 2.0, {}}, result(TuneGoal::cost));
  CHECK(has(text, "cost of 15T tokens at $ 2 per GPU hour"));
  CHECK(has(text, "  step                          8.0 GPU s       24.0 GPU s      -16.0 GPU s\n"));
  CHECK(has(text, "$ 66.67 k"));
}

TEST_CASE("a schedule that is searched has a column, and is a text in JSON") {
  TuneResult searched = result(TuneGoal::step_time);
  for (TunedPlan& tuned : searched.best) tuned.plan.choice.set(PipelineSchedule::zero_bubble_v);
  const std::string text = tune_text({"name\n", 1e12, {}, {}}, searched);
  CHECK(has(text, "recompute account  schedule     step time"));
  CHECK(has(text, "selective both     zb_v           1.000 s"));
  const auto json = nlohmann::json::parse(tune_json({"name\n", 1e12, {}, {}}, searched));
  CHECK(json["best"][0]["plan"]["schedule"] == "zb_v");
}

TEST_CASE("tight plans are marked, and those that would come first are reported") {
  TuneResult tuned = result(TuneGoal::step_time);
  CHECK(!has(tune_text({"name", 1e12, {}, {}}, tuned), "tight"));
  tuned.best[1].plan.tight = true;
  tuned.best[1].plan.memory_bytes = 79e9;
  tuned.spaces.front().legal[1] = tuned.best[1].plan;
  tuned.tight_ahead = {3, tuned.best[1]};
  tuned.tight_ahead.best->report.step_time_s = 0.5;
  tuned.steps[0].changed.plan.tight = true;
  const std::string text = tune_text({"name", 1e12, {}, plan(8, 8, 2.0).report}, tuned);
  CHECK(has(text, "\n 1     8  2"));
  CHECK(has(text,
            "\n 2*   16  4   1  1  1    1   1 selective both        1.500 s    33.33 %   1.0 GB\n"
            "  *  tight: fits only with less fragmentation"));
  CHECK(has(text, "3 tight plans would be better than the first, the best by -50.00 % of step"));
  CHECK(has(text, "16 GPUs: TP 4, PP 1"));
  CHECK(has(text, "+10.00 %   40.0 GB  tight\n"));
  CHECK(has(text, "2 fit in memory (1 tight), 2"));
  CHECK(!has(text, "No plan is safe"));
  for (LegalPlan& legal : tuned.spaces.front().legal) legal.tight = true;
  tuned.best[0].plan.tight = true;
  CHECK(has(tune_text({"name", 1e12, {}, {}}, tuned), "No plan is safe: all that fit are tight"));
  const auto json = nlohmann::json::parse(tune_json({"name", 1e12, {}, {}}, tuned));
  CHECK(json.at("best").at(1).at("tight") == true);
  CHECK(json.at("best").at(1).at("spare_bytes") == 1e9);
  CHECK(json.at("tight_ahead").at("plans") == 3);
  CHECK(json.at("tight_ahead").at("best").at("plan").at("tp") == 4);
  CHECK(json.at("spaces").at(0).at("tight") == 2);
  CHECK(json.at("allow_tight") == false);
}

TEST_CASE("plans that cannot be simulated are counted with their reason") {
  TuneResult tuned = result(TuneGoal::step_time);
  tuned.skipped["too long"] = {4, tuned.best[1].plan.choice};
  tuned.steps[0].refusal = "too long";
  TuneHead head{"name", 1e12, {}, {}, "gbs: is odd"};
  const std::string text = tune_text(head, tuned);
  CHECK(has(text, "  4 skipped: too long; the first: 16 GPUs: TP 4, PP 1"));
  CHECK(has(text, "  tp                2 -> 4          too long\n"));
  CHECK(has(text, "\nThe file's own plan: gbs: is odd\n"));
  const auto json = nlohmann::json::parse(tune_json(head, tuned));
  CHECK(json.at("skipped").at(0).at("plans") == 4);
  CHECK(json.at("skipped").at(0).at("reason") == "too long");
  CHECK(json.at("sensitivity").at(0).at("skipped") == "too long");
  CHECK(json.at("given_illegal") == "gbs: is odd");
  tuned.best.clear();
  CHECK(has(tune_text(head, tuned), "No plan can be simulated: none of the 2 that fit\n"));
}

TEST_CASE("no plan: the constraint that leaves none") {
  TuneResult none = result(TuneGoal::step_time);
  none.best.clear();
  none.steps.clear();
  none.memory_margin = 0.5;
  const std::string text = tune_text({"name", 1e12, {}, {}}, none);
  CHECK(has(text,
            "No plan fits: the smallest of 2 legal ones needs 40.0 GB of memory, 40.0 GB are\n"
            "  there with a margin of 50 %\n  8 GPUs: TP 2, PP 1"));
  none.spaces.front().legal.clear();
  CHECK(has(tune_text({"name", 1e12, {}, {}}, none),
            "8 of them: parallelism.tensor_model_parallel_size: 3 does not divide\n"));
}

TEST_CASE("the JSON holds plans, sensitivity and spaces") {
  TuneHead head{"name", 1e12, 2.0, plan(8, 8, 2.0).report};
  const auto json = nlohmann::json::parse(tune_json(head, result(TuneGoal::mfu)));
  CHECK(json.at("schema") == "simtrain.tune/1");
  CHECK(json.at("by") == "mfu");
  CHECK(json.at("best").at(0).at("plan").at("tp") == 2);
  CHECK(json.at("best").at(0).at("plan").at("recompute") == "selective");
  CHECK(json.at("best").at(1).at("breakdown_s").at("gemm").get<double>() == doctest::Approx(1.125));
  CHECK(json.at("sensitivity").at(0).at("knob") == "tp");
  CHECK(json.at("spaces").at(0).at("illegal").at(0).at("plans") == 8);
  CHECK(json.at("given").at("step_time_s") == 2.0);
}

TEST_CASE("tokens and dollars in short") {
  CHECK(token_text(15e12) == "15T");
  CHECK(token_text(2.5e11) == "250B");
  CHECK(token_text(100) == "100");
  CHECK(usd_text(12345) == "$ 12.35 k");
  CHECK(usd_text(1.5e6) == "$ 1.50 M");
  CHECK(usd_text(0.5) == "$ 0.50");
}

TEST_CASE("the energy of a token has four digits, zeros at the end among them") {
  CHECK(joules_text(0.18) == "0.1800");
  CHECK(joules_text(12.3456) == "12.35");
}

}  // namespace simtrain::testing::tune_report_test
