#include <algorithm>
#include <cmath>
#include <numeric>

#include <doctest/doctest.h>

#include "sim/run/energy/step_draws.h"
#include "sim/run/energy/step_energy.h"
#include "tests/run/scenarios.h"

namespace simtrain::testing::energy_test {

namespace {

StepEnergy energy_of(const std::string& file, const std::string& row,
                     const std::vector<std::string>& settings = {}) {
  return step_energy(simulate_step(scenario(file, row, settings)));
}

PowerSpec board() {
  PowerSpec power;
  power.limit.value = Power(100);
  power.exponent.value = 2;
  power.streaming.value = 0.75;
  power.available.value = 1;
  power.idle.value = 0.2;
  power.communication.value = 0.4;
  return power;
}

Duration us(std::int64_t value) { return std::chrono::microseconds(value); }

/// What a run draws, in joules by kind.
ByDrawKind walked(const Program& program, const std::vector<Span>& spans, Duration end,
                  double watts) {
  const PowerSpec power = board();
  const GpuDraw draw(power, 1);
  ByDrawKind joules{};
  Duration covered{};
  ByDrawKind alone{};
  of(alone, DrawKind::attention) = watts;
  walk_draws(program, spans, end, [&](const Span& span, const DrawState& state) {
    CHECK(span.start == covered);
    covered = span.end;
    add(joules, state_watts(draw, alone, state), to_seconds(span.end - span.start) * 1e6);
  });
  CHECK(covered == end);
  return joules;
}

double of_kind(const ByDrawKind& amounts, DrawKind kind) {
  return amounts[static_cast<std::size_t>(kind)];
}

}  // namespace

TEST_CASE("a kernel draws its share of the limit at its clock, waits draw idle") {
  const PowerSpec power = board();
  const GpuDraw draw(power, 0.5);
  ComputeCost cost;
  cost.sm_bound = 0.8;
  cost.draw = 1.6;
  CHECK(draw.kernel(cost) == doctest::Approx(100 * (0.8 * 1.6 * 0.25 + 0.2 * 0.75)));
  CHECK(draw.idle() == doctest::Approx(20));
  CHECK(draw.communication() == doctest::Approx(40));
  CHECK(draw.communication_beside(50) == doctest::Approx(20));
  CHECK(draw.communication_beside(90) == doctest::Approx(10));
  CHECK(draw.communication_beside(110) == 0);
}

TEST_CASE("transfers draw alone, on top of kernels as far as the limit goes, or nothing") {
  Program program;
  TransferCost moved;
  moved.wire = Bytes(1);
  Op kernel;
  kernel.cost = program.add_cost({});
  Op transfer;
  transfer.compute = false;
  transfer.cost = program.add_transfer(moved);
  program.add(kernel);
  program.add(transfer);
  program.add(transfer);
  // Kernel from 10 to 30; transfers from 20 to 40 and, over it, from 25 to 35.
  const std::vector<Span> spans{{us(10), us(30)}, {us(20), us(40)}, {us(25), us(35)}};
  const ByDrawKind roomy = walked(program, spans, us(50), 70);
  CHECK(of_kind(roomy, DrawKind::attention) == doctest::Approx(20 * 70));
  CHECK(of_kind(roomy, DrawKind::communication) == doctest::Approx(10 * 20 + 10 * 40));
  CHECK(of_kind(roomy, DrawKind::idle) == doctest::Approx(20 * 20));
  const ByDrawKind full = walked(program, spans, us(50), 95);
  CHECK(of_kind(full, DrawKind::communication) == doctest::Approx(10 * 5 + 10 * 40));
}

TEST_CASE("the parts of a step's energy sum to it, and its trace has the mean of its GPUs") {
  for (const Case& one :
       {Case{"llama31_8b_h100", "bf16-8", {}}, Case{"llama31_70b_h100", "fp8-64", {}},
        Case{"llama405b_a4_224", "", {"gbs=112"}}, Case{"mixtral_8x7b_h200", "", {}},
        Case{"llama31_mi300x", "", {}}}) {
    CAPTURE(one.file);
    const std::vector<std::string> rows = scenario_file(one.file).row_names();
    const std::string row = one.row.empty() && !rows.empty() ? rows.front() : one.row;
    const StepEnergy energy = energy_of(one.file, row, one.settings);
    const double kinds = sum_of(energy.gpu_joules);
    CHECK(kinds == doctest::Approx(energy.part(PowerPart::gpus)).epsilon(1e-12));
    const double without_site = energy.total_joules() - energy.part(PowerPart::site);
    CHECK(energy.total_joules() == doctest::Approx(without_site * energy.pue));
    CHECK(energy.node_joules() < energy.total_joules());
    for (const double joules : energy.joules) CHECK(joules >= 0);
    for (const double joules : energy.gpu_joules) CHECK(joules >= 0);

    const std::vector<double>& trace = energy.trace.mean_w;
    const double mean = std::accumulate(trace.begin(), trace.end(), 0.0) / kTraceParts;
    CHECK(mean == doctest::Approx(energy.gpu_w()).epsilon(1e-6));
    CHECK(energy.trace.least_w() <= energy.gpu_w());
    CHECK(energy.trace.most_w() <= energy.limit_w * (1 + 1e-9));
    for (const std::vector<double>& stage : energy.trace.stage_w) {
      CHECK(*std::max_element(stage.begin(), stage.end()) <= energy.limit_w * (1 + 1e-9));
      CHECK(*std::min_element(stage.begin(), stage.end()) > 0.1 * energy.limit_w);
    }
    const std::vector<double> hundredths = energy.trace.means(100);
    CHECK(std::accumulate(hundredths.begin(), hundredths.end(), 0.0) / 100 ==
          doctest::Approx(mean));
  }
}

TEST_CASE("folded ranks draw to the last digit what all ranks draw") {
  const Scenario asked = scenario("llama31_70b_h100", "bf16-64", {"gbs=32"});
  const StepEnergy folded = step_energy(simulate_step(asked));
  const StepEnergy unfolded = step_energy(simulate_step(asked, {true}));
  CHECK(folded.gpu_joules == unfolded.gpu_joules);
  CHECK(folded.joules == unfolded.joules);
  CHECK(folded.trace.mean_w == unfolded.trace.mean_w);
  CHECK(folded.trace.stage_w == unfolded.trace.stage_w);
}

TEST_CASE("a power-limited step draws nearly its limit, one of waits less") {
  const StepEnergy busy = energy_of("llama31_70b_h100", "bf16-64");
  CHECK(busy.gpu_w() > 0.85 * busy.limit_w);
  CHECK(busy.gpu_w() <= busy.limit_w);
  // A fourth of the micro-batches: a larger bubble.
  const StepEnergy idle = energy_of("llama31_70b_h100", "bf16-64", {"gbs=32"});
  CHECK(idle.gpu_w() < busy.gpu_w());
  CHECK(idle.joules_per_token() > busy.joules_per_token());
}

TEST_CASE("FP8 takes less energy a token than BF16, and each counts its own GEMMs") {
  const StepEnergy bf16 = energy_of("llama31_70b_h100", "bf16-64");
  const StepEnergy fp8 = energy_of("llama31_70b_h100", "fp8-64");
  CHECK(fp8.joules_per_token() < bf16.joules_per_token());
  CHECK(of_kind(bf16.gpu_joules, DrawKind::gemm_fp8) == 0);
  CHECK(of_kind(fp8.gpu_joules, DrawKind::gemm_fp8) > of_kind(fp8.gpu_joules, DrawKind::gemm_bf16));
}

TEST_CASE("prices and PUE follow from the scenario; what no file says follows from rules") {
  const StepEnergy plain = energy_of("llama31_8b_h100", "bf16-8");
  CHECK(!plain.priced());
  CHECK(!plain.grid);
  CHECK(plain.usd_per_1t_tokens() == 0);
  const StepEnergy priced = energy_of("llama31_8b_h100", "bf16-8",
                                      {"cost.gpu_hour=3600 USD", "cost.electricity=100 USD/MWh",
                                       "cost.grid=0.4 kg/kWh", "cost.pue=2"});
  CHECK(priced.step_s == plain.step_s);
  CHECK(priced.pue == 2);
  CHECK(priced.total_joules() * plain.pue ==
        doctest::Approx(plain.total_joules() * 2).epsilon(1e-12));
  CHECK(priced.cost.gpu_usd == doctest::Approx(priced.gpus * priced.step_s));
  const double kwh = priced.total_joules() / 3.6e6;
  CHECK(priced.cost.electricity_usd == doctest::Approx(0.1 * kwh));
  CHECK(priced.cost.carbon_kg == doctest::Approx(0.4 * kwh));
  CHECK(priced.cost_per_1t_tokens().carbon_kg ==
        doctest::Approx(0.4e3 * priced.mwh_per_1t_tokens()));
  // The site of dgx-superpod-h100 is nobody's in particular; MI300X nodes say nothing of hosts.
  CHECK(plain.by_rule == std::vector<std::string>{"PUE: 1.25"});
  CHECK(priced.by_rule.empty());
  const std::vector<std::string> rows = scenario_file("llama31_mi300x").row_names();
  const StepEnergy amd = energy_of("llama31_mi300x", rows.empty() ? "" : rows.front());
  CHECK(!amd.by_rule.empty());
  CHECK(amd.by_rule.front().starts_with("host of a node: 1860 W"));
}

}  // namespace simtrain::testing::energy_test
