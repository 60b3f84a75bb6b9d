#include "sim/output/tune/tune_html.h"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "sim/output/sweep/scale_html.h"
#include "tests/output/page.h"

namespace simtrain::testing::tune_html_test {
namespace {

using testing::check_whole;
using testing::data_of;
using testing::has;

Report report(int gpus, double step_s) {
  Report report;
  report.gpus = gpus;
  report.step_time_s = step_s;
  report.tokens_per_s = 1e6 / step_s;
  report.mfu = 0.5 / step_s;
  report.memory_capacity = 80e9;
  part(report.breakdown, Share::gemm) = 0.75 * step_s;
  part(report.breakdown, Share::bubble) = 0.25 * step_s;
  return report;
}

TunedPlan plan(int gpus, int tp, double step_s) {
  TunedPlan tuned;
  tuned.plan.choice.gpus = gpus;
  tuned.plan.choice.values.fill(1);
  tuned.plan.choice[Knob::tp] = tp;
  tuned.plan.memory_bytes = 40e9;
  tuned.plan.fits = true;
  tuned.report = report(gpus, step_s);
  return tuned;
}

TuneResult result(TuneGoal by) {
  TuneResult tuned;
  tuned.by = by;
  PlanSpace& space = tuned.spaces.emplace_back();
  space.considered = 10;
  space.refused["a.key"] = {8, "3 does not <divide>"};
  space.capacity_bytes = 80e9;
  tuned.best = {plan(8, 2, 1.0), plan(16, 4, 1.5)};
  space.legal = {tuned.best[0].plan, tuned.best[1].plan};
  tuned.simulated = 2;
  tuned.steps = {{Knob::tp, plan(8, 4, 1.1)}};
  tuned.steps[0].changed.plan.fits = false;
  return tuned;
}

TEST_CASE("A search's page has its plans, the first against the second, and the knobs") {
  const std::string page =
      tune_html({"name <x>", 15e12, 2.0, report(8, 2)}, result(TuneGoal::step_time));
  check_whole(page);
  CHECK(has(page, "<h1>Best plans of name &lt;x&gt;</h1>"));
  CHECK(has(page, "15T tokens at $ 2 per GPU hour"));
  CHECK(has(page, "<b>10</b><span>combinations</span>"));
  CHECK(has(unlabelled(page), "<tr><td>2</td><td>16</td><td>4</td>"));
  CHECK(has(page, "The file's own plan on 8 GPUs: 2.000 s"));
  CHECK(has(unlabelled(page),
            "<td>+10.00 %</td><td>40.0 GB</td><td><span class=\"bad\">does not fit</span>"));
  const nlohmann::json data = data_of(page);
  CHECK(data["shares"]["names"].size() == 2);
  CHECK(data["shares"]["shares"].size() == 2);
  CHECK(data["differences"].back()["second"] == 1.5);
  CHECK(data["steps"][0]["fits"] == false);
}

TEST_CASE("A page marks tight plans, and lists what was skipped") {
  TuneResult tuned = result(TuneGoal::step_time);
  tuned.best[1].plan.tight = true;
  tuned.tight_ahead = {3, tuned.best[1]};
  tuned.skipped["a <step> too long"] = {4, tuned.best[0].plan.choice};
  tuned.steps.push_back({Knob::pp, plan(8, 4, 1), "a <step> too long"});
  const std::string page = tune_html({"n", 1e12, {}, {}, "is <odd>"}, tuned);
  check_whole(page);
  CHECK(has(unlabelled(page),
            "<td>40.0 GB</td><td>40.0 GB</td><td><span class=\"bad\">tight</span></td>"));
  CHECK(has(page, "Tight: fits only with less fragmentation"));
  CHECK(has(page, "Tight plans that would be better than the first: 3."));
  CHECK(has(page, "4 skipped: a &lt;step&gt; too long; the first: 8 GPUs: TP 2"));
  CHECK(has(page, "The file's own plan: is &lt;odd&gt;"));
  CHECK(data_of(page)["steps"].size() == 1);
}

TEST_CASE("By MFU a page counts GPU seconds") {
  const nlohmann::json data = data_of(tune_html({"n", 1e12, {}, {}}, result(TuneGoal::mfu)));
  CHECK(data["shares"]["unit"] == "GPU s");
  CHECK(data["shares"]["shares"][0]["values"][1] == 16 * 0.75 * 1.5);
  CHECK(data["differences"].back()["first"] == 8);
}

TEST_CASE("One plan alone has no second, and no plan a page with the reason") {
  TuneResult one = result(TuneGoal::step_time);
  one.best.pop_back();
  one.steps.clear();
  const std::string page = tune_html({"n", 1e12, {}, {}}, one);
  CHECK(!has(page, "id=\"difference\""));
  CHECK(!has(page, "id=\"steps\""));
  CHECK(has(page, "No legal plan differs in one knob alone."));
  one.best.clear();
  const std::string none = tune_html({"n", 1e12, {}, {}}, one);
  check_whole(none);
  CHECK(has(none, "No plan fits: the smallest of 2 legal ones needs 40.0 GB"));
  one.spaces.front().legal.clear();
  CHECK(has(tune_html({"n", 1e12, {}, {}}, one), "a.key: 3 does not &lt;divide&gt;"));
}

TEST_CASE("A scaling page has its sizes in order, illegal ones with their reason") {
  const std::vector<ScaleRow> rows{{64, 128, report(64, 1), "", 1.0},
                                   {12, 0, std::nullopt, "12 is <odd>", 0},
                                   {32, 64, report(32, 2), "", 0.9}};
  const std::string page = scale_html({"name <x>", Scaling::strong, 1e12, 2.0}, rows);
  check_whole(page);
  CHECK(has(page, "name &lt;x&gt;"));
  CHECK(has(page, "illegal: 12 is &lt;odd&gt;"));
  const nlohmann::json data = data_of(page);
  REQUIRE(data["sizes"].size() == 2);
  CHECK(data["sizes"][0]["gpus"] == 32);
  CHECK(data["shares"]["shares"][0]["values"][0] == 75);
  const std::string none = scale_html({"n", Scaling::weak, 1e12, {}}, {rows[1]});
  check_whole(none);
  CHECK(!has(none, "id=\"throughput\""));
}

}  // namespace
}  // namespace simtrain::testing::tune_html_test
