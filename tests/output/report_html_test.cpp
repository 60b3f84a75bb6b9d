#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "sim/output/run/json_report.h"
#include "sim/output/run/page/pipeline_picture.h"
#include "sim/output/run/page/run_html.h"
#include "sim/run/analysis/link_use.h"
#include "sim/run/analysis/waterfall.h"
#include "tests/output/page.h"
#include "tests/run/scenarios.h"

namespace simtrain::testing::report_html_test {
namespace {

using testing::Case;
using testing::data_folder;
using testing::has;

/// FP8 and BF16, with and without pipeline, recompute, an uneven job.
const std::vector<Case>& cases() {
  static const std::vector<Case> all{
      {"llama31_8b_h100", "bf16-8", {}},
      {"llama31_8b_h100", "fp8-8", {"recompute=full"}},
      {"nemotron4_340b_h100_2411", "fp8-128", {}},
      {"nemotron4_340b_h100_2411", "bf16-128", {"recompute=selective"}},
      {"llama31_70b_h100",
       "bf16-64",
       {"cluster.faults={gpus: [{host: node1, gpu: 3, slowdown: 1.2}]}"}},
      {"nemotron4_15b_h100", "bf16-64", {"mfu_convention=causal"}}};
  return all;
}

Scenario scenario_of(const Case& c) { return testing::scenario(c.file, c.row, c.settings); }

TEST_CASE("The waterfall sums to the step, and its printed levels go from 100 % to the MFU") {
  for (const Case& c : cases()) {
    CAPTURE(c.file);
    CAPTURE(c.row);
    const Scenario scenario = scenario_of(c);
    const SimulatedStep simulated = simulate_step(scenario);
    const Report report = report_of(simulated);
    const Waterfall fall = waterfall(simulated, report);
    double sum = fall.useful_s;
    for (const WaterfallLoss& loss : fall.losses) sum += loss.seconds;
    CHECK(sum == doctest::Approx(report.step_time_s).epsilon(1e-9));
    CHECK(fall.useful_s / fall.step_s == doctest::Approx(report.mfu).epsilon(1e-12));
    const std::vector<double> levels = waterfall_levels(fall);
    REQUIRE(levels.size() == fall.losses.size() + 1);
    CHECK(levels.front() == 100);
    CHECK(levels.back() == doctest::Approx(std::round(report.mfu * 1e4) / 1e2).epsilon(1e-9));
  }
}

double loss_of(const Waterfall& fall, std::string_view name) {
  const auto found = std::find_if(fall.losses.begin(), fall.losses.end(),
                                  [&](const WaterfallLoss& loss) { return loss.name == name; });
  return found == fall.losses.end() ? 0 : found->seconds;
}

TEST_CASE("Rows of a waterfall are there where their cause is") {
  const auto fall_of = [](const Case& c) {
    const Scenario scenario = scenario_of(c);
    const SimulatedStep simulated = simulate_step(scenario);
    return waterfall(simulated, report_of(simulated));
  };
  const Waterfall bf16 = fall_of(cases()[0]);
  const Waterfall recomputed = fall_of(cases()[1]);
  const Waterfall piped = fall_of(cases()[2]);
  CHECK(loss_of(bf16, "FP8 casts") == 0);
  CHECK(loss_of(recomputed, "FP8 casts") > 0);
  CHECK(loss_of(bf16, "recompute") == 0);
  CHECK(loss_of(recomputed, "recompute") > 0.1 * recomputed.step_s);
  CHECK(loss_of(bf16, "pipeline bubble") == 0);
  CHECK(loss_of(piped, "pipeline bubble") > 0);
  CHECK(std::abs(loss_of(bf16, "uneven stages")) < 1e-6 * bf16.step_s);
  CHECK(loss_of(piped, "uneven stages") > 0);
  for (const Waterfall& fall : {bf16, recomputed, piped}) {
    CHECK(loss_of(fall, "power limit") > 0);
    CHECK(loss_of(fall, "GEMM efficiency") > 0);
  }
}

TEST_CASE("The picture shows each pass once, in its window, none over another") {
  const Scenario scenario = scenario_of(cases()[2]);
  const SimulatedStep simulated = simulate_step(scenario);
  const PipelinePicture whole = pipeline_picture(simulated.plan, simulated.timeline, 1000000);
  REQUIRE(whole.windows.size() == 1);
  CHECK(whole.windows[0].boxes.size() == whole.all);
  CHECK(whole.stages == scenario.recipe.pp());
  CHECK(whole.chunks == scenario.recipe.vp());
  std::set<std::tuple<int, int, std::uint32_t, int>> passes;
  const PipelineBox* last = nullptr;
  for (const PipelineBox& box : whole.windows[0].boxes) {
    if (box.transfer) continue;
    if (last != nullptr && last->stage == box.stage) CHECK(last->end_s <= box.start_s + 1e-12);
    if (box.label == Label::forward || box.label == Label::backward) {
      const bool fresh =
          passes.insert({box.stage, static_cast<int>(box.label), box.micro_batch, box.chunk})
              .second;
      const bool goes_on = last != nullptr && last->label == box.label &&
                           last->micro_batch == box.micro_batch && last->chunk == box.chunk;
      CHECK(fresh != goes_on);
    }
    last = &box;
  }
  CHECK(passes.size() ==
        static_cast<std::size_t>(2 * whole.stages * whole.chunks * simulated.grid.micro_batches()));
}

TEST_CASE("A step of too many passes is shown as start, middle and end") {
  const Scenario scenario = scenario_of(cases()[2]);
  const SimulatedStep simulated = simulate_step(scenario);
  const PipelinePicture parts = pipeline_picture(simulated.plan, simulated.timeline, 300);
  REQUIRE(parts.windows.size() == 3);
  std::size_t boxes = 0;
  for (const PipelineWindow& window : parts.windows) {
    CHECK(window.to_s - window.from_s ==
          doctest::Approx(parts.windows[0].to_s - parts.windows[0].from_s));
    for (const PipelineBox& box : window.boxes)
      CHECK((box.start_s < window.to_s && box.end_s > window.from_s));
    boxes += window.boxes.size();
  }
  CHECK(parts.windows[0].from_s == 0);
  CHECK(parts.windows[2].to_s == doctest::Approx(to_seconds(simulated.timeline.end)));
  CHECK(boxes < 2 * 300);
  CHECK(boxes > 100);
}

TEST_CASE("Links carry the same whether ranks are folded or not") {
  const Scenario scenario = testing::scenario("llama31_70b_h100", "bf16-64", {"gbs=16"});
  const SimulatedStep folded = simulate_step(scenario);
  const SimulatedStep unfolded = simulate_step(scenario, {true});
  const LinkUse a = link_use(folded);
  const LinkUse b = link_use(unfolded);
  CHECK(a.mean.nvlink_bytes == doctest::Approx(b.mean.nvlink_bytes).epsilon(1e-9));
  CHECK(a.mean.nic_bytes == doctest::Approx(b.mean.nic_bytes).epsilon(1e-9));
  CHECK(a.busiest.nvlink_bytes >= a.mean.nvlink_bytes * (1 - 1e-12));
  CHECK(a.mean.nvlink_bytes > 0);
  CHECK(a.mean.nic_bytes > 0);
}

TEST_CASE("Provenance gives each value its key, unit and nearest source") {
  const std::vector<ProvenanceRow> rows = provenance_rows(load_yaml_text(
      "name: n\nsource: whole file\na: {value: 7.5 us, source: own}\nb: [1, 2]\nb_source: of b\n"
      "c:\n  - {kind: x, rate: 3 TFLOP/s, source: row}\n  - {kind: y, rate: 4 TFLOP/s}\nd: two "
      "words "
      "here\n",
      "f.yaml"));
  const auto row = [&](std::size_t i) {
    const ProvenanceRow& r = rows.at(i);
    return r.key + "|" + r.value + "|" + r.unit + "|" + r.source + "|" + std::to_string(r.line);
  };
  REQUIRE(rows.size() == 7);
  CHECK(row(0) == "a|7.5|us|own|3");
  CHECK(row(1) == "b|[1, 2]||of b|4");
  CHECK(row(2) == "c[kind=x].kind|x||row|7");
  CHECK(row(3) == "c[kind=x].rate|3|TFLOP/s|row|7");
  CHECK(row(5) == "c[kind=y].rate|4|TFLOP/s|whole file|8");
  CHECK(row(6) == "d|two words here||whole file|9");
}

std::string page_of(const Case& c, bool explained) {
  const ScenarioSource source = testing::scenario_file(c.file);
  std::vector<Setting> settings;
  for (const std::string& text : c.settings) settings.push_back(parse_setting(text));
  const DataFolder data = data_folder();
  const Scenario scenario = source.scenario(data, c.row, settings);
  const SimulatedStep simulated = simulate_step(scenario);
  std::optional<Explanation> why;
  if (explained) why = explain({source, data, c.row, settings}, simulated);
  const Report report = report_of(simulated);
  return run_html(simulated, report,
                  {step_work(simulated),
                   provenance_of(data, source.tree(c.row, settings)),
                   why,
                   {},
                   json_report(report)});
}

TEST_CASE("Pages of runs are whole, forbid what lies outside, and complete") {
  for (const Case& c : cases()) {
    CAPTURE(c.file);
    CAPTURE(c.row);
    const std::string page = page_of(c, false);
    testing::check_whole(page);
    CHECK(page.size() < 5U << 20U);
    for (const char* part : {"90 % interval", "achieved (MFU)", "id=\"pipeline\"", "id=\"memory\"",
                             "id=\"placement\"", "<template shadowrootmode", "hardware/gpus/",
                             "hardware/software/", "hardware/uncertainty.yaml", "fingerprint",
                             "<h2>Kernels</h2>", "What the critical path is made of"})
      CHECK(has(page, part));
    const nlohmann::json data = testing::data_of(page);
    const auto& losses = data["waterfall"]["losses"];
    CHECK(losses.front()["from"] == 100);
    for (std::size_t i = 1; i < losses.size(); ++i) CHECK(losses[i]["from"] == losses[i - 1]["to"]);
    CHECK(data["placement"]["ranks"].size() == data["placement"]["all_ranks"]);
  }
}

TEST_CASE("Settings name themselves as the source of what they set; explanations have a section") {
  const std::string page = page_of({"llama31_8b_h100", "bf16-8", {"gbs=16"}}, true);
  CHECK(has(unlabelled(page),
            "<td class=\"name\">training.global_batch_size</td><td class=\"text wide\">16</td>"
            "<td class=\"text\"></td>"
            "<td>--set gbs=16</td>"));
  CHECK(has(page, "What would gain most"));
  CHECK(has(page, "Costs removed"));
}

TEST_CASE("Names of a scenario cannot break out of the page or its data") {
  const std::string page = page_of(
      {"llama31_8b_h100", "bf16-8", {"name='" + std::string("</script><i>x") + "'"}}, false);
  CHECK(!has(page, "<i>x"));
  CHECK(has(page, "&lt;/script&gt;&lt;i&gt;x"));
  CHECK(testing::count(page, "<script") == testing::count(page, "</script>"));
}

}  // namespace
}  // namespace simtrain::testing::report_html_test
