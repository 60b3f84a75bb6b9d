// Jobs drawn at random on clusters drawn at random, and what holds for every one of them. A short
// part runs with the other tests; `make torture` runs as many as one likes.
#include <cmath>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <optional>
#include <sstream>

#include <doctest/doctest.h>

#include "sim/run/engine/executor.h"
#include "sim/run/pieces/pieces.h"
#include "sim/run/simulate.h"
#include "sim/study/sweep/sweep_row.h"
#include "sim/study/tune/tune.h"
#include "sim/study/what_if/scale.h"
#include "sim/workload/plan/program/step_plan.h"
#include "sim/workload/schedule/recipe_grid.h"
#include "tests/core/checkout.h"
#include "tests/property/random_job.h"
#include "tests/run/repeated_periods.h"
#include "tests/run/report_text.h"
#include "tests/run/work_sums.h"

namespace simtrain::testing::torture_test {

namespace {

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
constexpr int kSlowness = 8;
#else
constexpr int kSlowness = 1;
#endif
#else
constexpr int kSlowness = 1;
#endif

int from_environment(const char* name, int otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::atoi(text);
}

int seed() { return from_environment("TORTURE_SEED", 1); }

/// How many jobs a test draws: TORTURE_JOBS, or `jobs` of a short run, over `every`.
int jobs(int short_run, int every = 1) {
  const int asked = from_environment("TORTURE_JOBS", 0);
  return asked > 0 ? std::max(1, asked / every) : std::max(1, short_run / kSlowness);
}

const ScenarioSource& source() {
  static const ScenarioSource source =
      ScenarioSource::from_file(source_dir() + "/" + RandomJob::kFile);
  return source;
}

const RandomClusters& clusters() {
  static const RandomClusters clusters(
      std::filesystem::path(build_dir()) / "torture" / std::to_string(seed()), source_dir(),
      static_cast<std::uint64_t>(seed()), 60);
  return clusters;
}

std::vector<Setting> parsed(const std::vector<std::string>& texts) {
  std::vector<Setting> settings;
  settings.reserve(texts.size());
  for (const std::string& text : texts) settings.push_back(parse_setting(text));
  return settings;
}

const DataFolder& data() {
  static const DataFolder data(clusters().root().string());
  return data;
}

/// A job that can be simulated.
struct LegalJob {
  RandomJob job;
  Scenario scenario;

  [[nodiscard]] std::string command(const std::string& options = "") const {
    return job.command(data().root(), options);
  }
};

std::optional<LegalJob> legal(const RandomJob& job) {
  try {
    LegalJob found{job, source().scenario(data(), RandomJob::kRow, parsed(job.settings))};
    static_cast<void>(
        Cluster(found.scenario.cluster));  // refuses faults of links that are not there
    return found;
  } catch (const InputError&) {
    return std::nullopt;
  }
}

/// Calls `check` for so many jobs, each drawn by a seed of its own; stops after some failures.
void for_each_job(int count, const std::function<bool(const LegalJob&)>& check) {
  constexpr std::uint64_t kSeeds = 1'000'000;
  constexpr int kMostFailures = 10;
  std::uint64_t drawn = static_cast<std::uint64_t>(seed()) * kSeeds;
  int failures = 0;
  for (int checked = 0; checked < count && failures < kMostFailures;) {
    Draw draw(drawn++);
    const auto job = legal(random_job_on(draw, clusters().draw(draw)));
    // Most draws are legal.
    REQUIRE(drawn - static_cast<std::uint64_t>(seed()) * kSeeds <
            100 + 20 * static_cast<std::uint64_t>(count));
    if (!job) continue;
    ++checked;
    INFO(job->command());  // for what is thrown
    if (!check(*job)) ++failures;
  }
}

/// The first line in which two texts of as many lines differ; empty where none does.
std::string first_difference(const std::string& a, const std::string& b) {
  std::istringstream left(a);
  std::istringstream right(b);
  std::string one;
  std::string other;
  while (std::getline(left, one) && std::getline(right, other)) {
    if (one != other) return fmt::format("{}\n  against {}", one, other);
  }
  return "";
}

/// True where it holds; otherwise fails with the call that shows it.
bool expect(bool holds, const std::string& sentence, const std::string& command) {
  if (!holds) FAIL_CHECK(sentence << "\n  " << command);
  return holds;
}

bool same(const Report& a, const Report& b, const std::string& sentence,
          const std::string& command) {
  const std::string first = text_of(a);
  const std::string second = text_of(b);
  return expect(first == second, sentence + "\n  " + first_difference(first, second), command);
}

bool equal(const PieceCosts& a, const PieceCosts& b) {
  return std::equal(a.begin(), a.end(), b.begin(), [](const ComputeCost& one, const auto& other) {
    return one.time == other.time && one.sm_bound == other.sm_bound &&
           one.memory_bound == other.memory_bound && one.parts == other.parts;
  });
}

/// A slow GPU and a weak NIC of the job's, beside faults that it has.
void break_devices(Draw& draw, Scenario& scenario) {
  const std::vector<int> hosts = placed_hosts(scenario.cluster, scenario.placement);
  const auto host = [&] { return std::to_string(draw.one_of(hosts)); };
  ClusterFaults& faults = scenario.cluster.faults;
  faults.gpus.clear();  // a GPU has one fault at a time
  faults.gpus.push_back({host(), 0, 1 + 0.1 * draw.between(1, 9), {}});
  faults.nics.push_back({host(), 0, 0.1 * draw.between(1, 9), {}});
}

/// All faults come and go at times drawn from those of a step.
void hurry_faults(Draw& draw, double step_s, ClusterFaults& faults) {
  const auto change = [&](FaultTimes& times) {
    times.start = to_duration(step_s * 0.01 * draw.below(110));
    if (!draw.once_in(4)) times.length = to_duration(step_s * 0.01 * draw.below(150));
  };
  for (SlowGpu& gpu : faults.gpus) change(gpu.times);
  for (NicFault& nic : faults.nics) change(nic.times);
  for (LinkFault& link : faults.links) change(link.times);
}

/// Rounding to picoseconds, and rates that are not exact multiples.
constexpr double kExact = 1e-9;

/// `slack`: by which share of it the step may be shorter all the same.
bool never_shorter(const LegalJob& job, const std::string& what, double slack,
                   const std::function<void(Scenario&)>& change) {
  Scenario changed = job.scenario;
  change(changed);
  const double before = simulate(job.scenario).step_time_s;
  const double after = simulate(changed).step_time_s;
  return expect(after * (1 + slack) >= before,
                fmt::format("{}: {} s becomes {} s", what, before, after), job.command());
}

}  // namespace

TEST_CASE("torture: folded is unfolded, and the parts of a step sum to it") {
  for_each_job(jobs(400), [](const LegalJob& job) {
    ClusterCache shared;
    const Report folded = simulate(job.scenario, {false, &shared});
    const Report unfolded = simulate(job.scenario, {true, &shared});
    const double sum = std::accumulate(folded.breakdown.begin(), folded.breakdown.end(), 0.0);
    const double least = *std::min_element(folded.breakdown.begin(), folded.breakdown.end());
    return same(folded, unfolded, "folded is not unfolded", job.command(" --unfold")) &&
           expect(std::abs(sum - folded.step_time_s) <= 1e-9 * folded.step_time_s,
                  "the parts do not sum to the step", job.command()) &&
           expect(least >= -1e-9 * folded.step_time_s, "a part is negative", job.command());
  });
}

TEST_CASE("torture: periods that are not simulated again are as if they were") {
  constexpr int kManyTimes = 40;
  int repeated = 0;
  const int count = jobs(150, 4);
  for_each_job(count, [&](const LegalJob& job) {
    Scenario scenario = job.scenario;
    scenario.recipe.training.global_batch_size *= kManyTimes;
    const RepeatedPeriods found = repeated_periods(scenario);
    if (found.share > 0) ++repeated;
    return expect(found.same, "a period is not as it was", job.command(" with 40 times the batch"));
  });
  CHECK(repeated > count / 10);
}

TEST_CASE("torture: kernels and transfers sum to the parts of the step") {
  for_each_job(jobs(100, 4), [](const LegalJob& job) {
    const SimulatedStep step = simulate_step(job.scenario);
    const std::string unlike = unlike_breakdown(step_work(step), report_of(step));
    return expect(unlike.empty(), unlike, job.command(" --kernels"));
  });
}

TEST_CASE("torture: faults that come and go fold, and the parts of such a step sum to it") {
  std::uint64_t number = 0;
  for_each_job(jobs(100, 4), [&](const LegalJob& job) {
    Draw draw(++number);
    Scenario scenario = job.scenario;
    break_devices(draw, scenario);
    const double broken = simulate(scenario).step_time_s;
    hurry_faults(draw, broken, scenario.cluster.faults);
    SimulatedStep step = simulate_step(scenario);
    const Report folded = report_of(step);
    const Report unfolded = simulate(scenario, {true});
    const std::string unlike = unlike_breakdown(step_work(step), folded);
    const double sum = std::accumulate(folded.breakdown.begin(), folded.breakdown.end(), 0.0);
    return same(folded, unfolded, "folded is not unfolded", job.command(" with changing faults")) &&
           expect(std::abs(sum - folded.step_time_s) <= 1e-9 * folded.step_time_s,
                  "the parts do not sum to the step", job.command()) &&
           expect(unlike.empty(), unlike, job.command(" --kernels"));
  });
}

TEST_CASE("torture: a fault that holds all the time is a permanent one, one that never does none") {
  std::uint64_t number = 0;
  for_each_job(jobs(60, 4), [&](const LegalJob& job) {
    Draw draw(++number);
    Scenario healthy = job.scenario;
    healthy.cluster.faults = {};
    Scenario broken = healthy;
    break_devices(draw, broken);
    Scenario always = broken;
    Scenario never = broken;
    const double longest = std::max(simulate(healthy).step_time_s, simulate(broken).step_time_s);
    always.cluster.faults.gpus[0].times = {Duration(0), to_duration(longest)};
    always.cluster.faults.nics[0].times = always.cluster.faults.gpus[0].times;
    never.cluster.faults.gpus[0].times = {to_duration(longest), {}};
    never.cluster.faults.nics[0].times = {Duration(0), Duration(0)};
    return same(simulate(always), simulate(broken), "always is not for good", job.command()) &&
           same(simulate(never), simulate(healthy), "never is not healthy", job.command());
  });
}

TEST_CASE("torture: each TP x CP group and each rank does what its representative does") {
  for_each_job(jobs(100, 4), [](const LegalJob& job) {
    const Scenario& scenario = job.scenario;
    const Cluster cluster(scenario.cluster);
    // Where links between switches can bind, one group of each layout is taken for all.
    if (!cluster.inner_links_never_bind()) return true;
    const Placement placement = place(scenario.cluster, scenario.placement);
    const RankGrid grid = rank_grid(scenario.recipe, scenario.gpus());
    const FittedKernelModel kernels(cluster.spec().gpu);
    const ModelTotals totals(scenario.recipe);
    const KernelContext context{{scenario.recipe, totals, cluster, placement, grid}, kernels};
    const RankClasses& folded = rank_classes(cluster, placement, grid, false);
    RankClasses each = rank_classes(cluster, placement, grid, true);
    const int group = grid.tp() * grid.cp();
    for (int rank = 0; rank < grid.ranks(); ++rank)
      each.pass[static_cast<std::size_t>(rank)] = rank / group;
    std::iota(each.program.begin(), each.program.end(), 0);
    const auto costs = [&](const RankClasses& classes) {
      return costs_of(simulate_pieces({context, classes}));
    };
    const std::vector<PieceCosts> by_class = costs(folded);
    const std::vector<PieceCosts> by_group = costs(each);
    for (std::size_t i = 0; i < by_group.size(); ++i) {
      const auto pass = static_cast<std::size_t>(folded.pass[i * static_cast<std::size_t>(group)]);
      if (!expect(equal(by_group[i], by_class[pass]),
                  fmt::format("TP x CP group {} is unlike its representative", i), job.command()))
        return false;
    }
    const auto end = [&](const RankClasses& classes, const std::vector<PieceCosts>& pieces) {
      return execute(step_plan({{context, classes}, pieces}), {}).end;
    };
    return expect(end(each, by_group) == end(folded, by_class),
                  "a rank's program is not that of its representative", job.command());
  });
}

TEST_CASE("torture: more layers or micro-batches never shorten a step") {
  for_each_job(jobs(100, 10), [](const LegalJob& job) {
    return never_shorter(job, "twice the layers", kExact,
                         [](Scenario& changed) { changed.recipe.model.num_layers *= 2; }) &&
           never_shorter(job, "twice the batch", kExact,
                         [](Scenario& changed) { changed.recipe.training.global_batch_size *= 2; });
  });
}

// A transfer that takes longer may end beside other work, which it slows less, or let another one
// go first: as in any schedule of given orders, a slower part can end the whole a little earlier.
// And NCCL opens its channels by the speed of NICs: where switches bind, faster NICs that channels
// share are the worse choice.
TEST_CASE("torture: half the NIC bandwidth hardly shortens a step") {
  for_each_job(jobs(100, 10), [](const LegalJob& job) {
    return never_shorter(job, "half the NIC bandwidth", 3e-3, [](Scenario& changed) {
      Bandwidth& bandwidth = changed.cluster.node.nic_bandwidth.value;
      bandwidth = bandwidth / 2;
    });
  });
}

TEST_CASE("torture: a row of a sweep and a size of a scale are what run gives") {
  for_each_job(jobs(40, 20), [](const LegalJob& job) {
    const Report alone = simulate(job.scenario);
    std::vector<Setting> settings = parsed(job.job.settings);
    const ScaleRequest request{RandomJob::kRow, settings, {job.scenario.gpus()}, Scaling::strong};
    const ScaleRow scaled = scale(data(), source(), request).front();
    std::erase_if(settings, [](const Setting& setting) {
      return dotted_key(setting.key) == "training.global_batch_size";
    });
    const SweepAxis batch =
        parse_axis(fmt::format("gbs={}", job.scenario.recipe.training.global_batch_size));
    const SweepRow row = evaluate(
        sweep_question(data(),
                       {source_dir() + "/" + RandomJob::kFile, RandomJob::kRow, settings, {batch}}),
        0);
    return expect(scaled.report.has_value(), "scale refuses: " + scaled.refusal, job.command()) &&
           same(*scaled.report, alone, "scale is not run", job.command()) &&
           expect(row.simulated(), "sweep refuses: " + row.reason, job.command()) &&
           expect(row.step_time_s == alone.step_time_s && row.breakdown == alone.breakdown &&
                      row.mfu == alone.mfu && row.tokens_per_s == alone.tokens_per_s &&
                      row.peak_bytes == std::round(alone.peak_bytes()) &&
                      (row.status == SweepStatus::ok) == alone.fits() &&
                      fmt::format("{:016x}", row.fingerprint) == alone.engine.fingerprint,
                  "a sweep's row is not run", job.command());
  });
}

TEST_CASE("torture: no plan that tune passes over is both as safe and better") {
  for_each_job(jobs(8, 200), [](const LegalJob& job) {
    TuneRequest request;
    request.sizes = {job.scenario};
    request.top = 3;
    for (const char* limit : {"mbs=1,2", "cp=1,2", "recompute=none,full"})
      request.limits.add(limit);
    const TuneResult result = tune(request);
    const auto fitting = static_cast<std::size_t>(result.fitting());
    bool holds = expect(result.best.size() == std::min(request.top, fitting),
                        "tune lists too few plans", job.command());
    if (result.best.empty()) return holds;
    const TunedPlan& best = result.best.front();
    for (const LegalPlan& plan : plan_space(job.scenario, request.limits, 0).legal) {
      if (!plan.fits) continue;
      Scenario scenario = job.scenario;
      apply(plan.choice, scenario);
      const Report report = simulate(scenario);
      const bool as_safe = best.report.tight() || !report.tight();
      holds = holds && expect(!as_safe || report.step_time_s >= best.report.step_time_s,
                              fmt::format("{} takes {} s, the best {} {} s", text_of(plan.choice),
                                          report.step_time_s, text_of(best.plan.choice),
                                          best.report.step_time_s),
                              job.command());
    }
    return holds;
  });
}

}  // namespace simtrain::testing::torture_test
