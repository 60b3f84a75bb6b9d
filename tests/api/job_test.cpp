#include <algorithm>
#include <atomic>
#include <limits>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>
#include <simtrain/simtrain.h>

#include "tests/cli/program.h"
#include "tests/core/checkout.h"
#include "tests/core/sanitized.h"

namespace simtrain::api::job_test {
namespace {

using Json = nlohmann::json;

DataFolder source_data() { return DataFolder(testing::source_dir()); }
Scenario small() { return Scenario::from_data(source_data(), "llama31_8b_h100").row("bf16-8"); }

const std::vector<std::string> kJob{
    "job.tokens=1e10", "job.runs=20", "job.checkpoint.storage=lustre-superpod",
    "job.checkpoint.save_interval=50", "job.failures=production-h100"};

Scenario small_job() {
  Scenario scenario = small();
  for (const std::string& setting : kJob) {
    const std::size_t equals = setting.find('=');
    scenario = scenario.with(setting.substr(0, equals), setting.substr(equals + 1));
  }
  return scenario;
}

/// The document that the program prints.
Json printed(std::vector<std::string> words) {
  words.insert(words.end(), {"--format", "json"});
  return Json::parse(testing::run_simtrain(words).out);
}

Json timeless(Json document) {
  document.erase("engine");
  return document;
}

TEST_CASE("A job is that of the command, figure by figure") {
  std::atomic<std::size_t> calls = 0;
  const Goodput job =
      goodput(small_job(), {.changes = false}, [&](std::size_t, std::size_t) { ++calls; });
  CHECK(calls > 0);
  std::vector<std::string> words{"goodput",
                                 testing::source_dir() + "/scenarios/llama31_8b_h100.yaml", "--row",
                                 "bf16-8", "--plain"};
  for (const std::string& setting : kJob) words.insert(words.end(), {"--set", setting});
  const Json document = printed(words);
  CHECK(Json::parse(job.json) == document);
  CHECK(job.elapsed_s.mean == document["summary"]["elapsed_s"]["mean"]);
  CHECK(job.goodput.p5 <= job.goodput.p95);
  double used = 0;
  for (const TimeShare& share : job.used) {
    used += share.seconds;
    CHECK(share.seconds == document["used_s"][share.name]);
  }
  CHECK(used == doctest::Approx(job.elapsed_s.mean));
  CHECK(job.checkpoint.storage == "lustre-superpod");
  CHECK(job.checkpoint.interval == 50);
  CHECK(job.failures.size() == document["failures"].size());
  CHECK(job.intervals.empty());
  CHECK(!job.gpu_usd);
  CHECK(job.text.find("goodput") != std::string::npos);
}

TEST_CASE("A job has a bill where the scenario has prices, and advice where it is asked for") {
  const Goodput job = goodput(small_job().with("cost.gpu_hour", "2 USD"));
  REQUIRE(job.gpu_usd);
  CHECK(*job.gpu_usd == doctest::Approx(2 * (job.gpu_hours + job.spare_gpu_hours)));
  CHECK(!job.electricity_usd);
  CHECK(job.intervals.size() > 2);
  CHECK(job.daly_steps > 0);
  CHECK(job.joules > job.waiting_joules);
}

TEST_CASE("Advice is that of run --job, with its step and its job") {
  const AdvisedJob job = advise(small_job());
  std::vector<std::string> words{"run", testing::source_dir() + "/scenarios/llama31_8b_h100.yaml",
                                 "--row", "bf16-8", "--job"};
  for (const std::string& setting : kJob) words.insert(words.end(), {"--set", setting});
  const Json document = printed(words);
  Json made = Json::parse(job.json);
  made["step"] = timeless(made["step"]);
  Json told = document;
  told["step"] = timeless(told["step"]);
  CHECK(made == told);
  CHECK(job.text == testing::run_simtrain(words).out);
  CHECK(job.step.step_time_s == document["step"]["step_time_s"]["mean"]);
  CHECK(job.goodput.elapsed_s.mean == document["job"]["summary"]["elapsed_s"]["mean"]);
  REQUIRE(job.advice.size() == document["advice"]["changes"].size());
  for (std::size_t i = 0; i < job.advice.size(); ++i) {
    const Json& change = document["advice"]["changes"][i];
    CHECK(job.advice[i].change == change["change"]);
    CHECK(job.advice[i].saved_s == change["saved_s"]);
    CHECK(job.advice[i].kind == change["kind"]);
    CHECK(!job.advice[i].saved_usd);
  }
}

TEST_CASE("A scenario without a job is refused at the key") {
  try {
    static_cast<void>(goodput(small()));
    FAIL("no job was needed");
  } catch (const InputError& error) {
    CHECK(error.key() == "job");
  }
}

TEST_CASE("Jobs that share a cluster are those of the command" * testing::once()) {
  const std::string path = testing::source_dir() + "/scenarios/jobs/three_on_a_clos.yaml";
  const SharedCluster shared = share(source_data(), path, {.place_last = true});
  CHECK(timeless(Json::parse(shared.json)) == timeless(printed({"share", path, "--place-last"})));
  REQUIRE(shared.jobs.size() == 3);
  for (const SharedJob& job : shared.jobs) CHECK(job.together_s >= job.alone_s * (1 - 1e-9));
  CHECK(shared.placements.size() > 1);
  CHECK_THROWS_AS(static_cast<void>(share(source_data(), "no/such.yaml")), InputError);
}

TEST_CASE("Sizes are rows, illegal ones with their reason") {
  const ScaleResult sizes = scale(small(), {8, 12, 16}, {.usd_per_gpu_hour = 2});
  REQUIRE(sizes.rows.size() == 3);
  CHECK(sizes.rows[0].efficiency == 1);
  CHECK(sizes.rows[0].step_time_s == simulate(small()).step_time_s);
  CHECK(sizes.rows[0].cost_usd == doctest::Approx(2 * sizes.rows[0].gpu_hours));
  CHECK(!sizes.rows[1].illegal.empty());
  CHECK(sizes.rows[1].step_time_s == 0);
  CHECK(sizes.rows[2].global_batch_size == 2 * sizes.rows[0].global_batch_size);
  CHECK(Json::parse(sizes.json)["sizes"].size() == 3);
  CHECK(scale(small(), {16}, {.mode = Scaling::strong}).rows[0].global_batch_size ==
        sizes.rows[0].global_batch_size);
  CHECK_THROWS_AS(static_cast<void>(scale(small(), {})), InputError);
  CHECK_THROWS_AS(static_cast<void>(scale(small(), {0})), InputError);
  CHECK_THROWS_AS(static_cast<void>(scale(small(), {8, 8})), InputError);
  const double endless = std::numeric_limits<double>::infinity();
  CHECK_THROWS_AS(static_cast<void>(scale(small(), {8}, {.tokens = endless})), InputError);
}

TEST_CASE("Two runs differ by the sum of their parts") {
  const Difference two = difference(small().with("tp", 2), small());
  double sum = 0;
  for (const PartDifference& part : two.parts) sum += part.change_s;
  CHECK(sum == doctest::Approx(two.change_s));
  CHECK(two.change_s == doctest::Approx(two.run.step_time_s - two.against.step_time_s));
  CHECK(two.same_tokens);
  CHECK(std::any_of(two.keys.begin(), two.keys.end(), [](const KeyDifference& key) {
    return key.key == "parallelism.tensor_model_parallel_size" && key.against == "1" &&
           key.run == "2";
  }));
  CHECK(Json::parse(two.json)["schema"] == "simtrain.difference/1");
  CHECK(!two.run.json().empty());
}

TEST_CASE("What is exported comes back as it was, and what is left out is named") {
  const testing::TempFolder folder;
  for (const std::string& target : export_targets()) {
    CAPTURE(target);
    const Exported made = export_recipe(small(), target);
    folder.write("recipe", made.text);
    ImportOptions options;
    options.cluster = "dgx-superpod-h100";
    options.software = "nemo-25.02.01";
    options.nodes = 1;
    const Imported back = import_recipe(source_data(), folder.file("recipe"), options);
    CHECK(back.taken > 5);
    const Scenario again = Scenario::from_text(source_data(), back.yaml);
    CHECK(again.gpus() == 8);
    if (made.left_out.empty())
      CHECK(simulate(again).step_time_s == doctest::Approx(simulate(small()).step_time_s));
  }
  CHECK_THROWS_AS(static_cast<void>(export_recipe(small(), "megatrn")), InputError);
  folder.write("other", "no recipe\n");
  CHECK_THROWS_AS(static_cast<void>(import_recipe(source_data(), folder.file("other"))),
                  InputError);
  CHECK_THROWS_AS(static_cast<void>(import_recipe(source_data(), "no/such")), InputError);
}

TEST_CASE("Energy and kernels of a step are those of its document") {
  const Result plain = simulate(small());
  CHECK(plain.kernels.empty());
  double joules = 0;
  for (const EnergyShare& part : plain.energy.by_part) joules += part.joules;
  CHECK(joules == doctest::Approx(plain.energy.joules_per_step));
  const Json document = Json::parse(plain.json());
  CHECK(plain.energy.joules_per_token == document["energy"]["joules_per_token"]);
  CHECK(!document.contains("kernels"));

  const Result all = simulate(small(), {.kernels = true});
  CHECK(all.fingerprint == plain.fingerprint);
  const Json told = Json::parse(all.json());
  REQUIRE(all.kernels.size() == told["kernels"].size());
  REQUIRE(all.transfers.size() == told["transfers"].size());
  double gemm = 0;
  for (std::size_t i = 0; i < all.kernels.size(); ++i) {
    const KernelWork& kernel = all.kernels[i];
    CHECK(kernel.kernel == told["kernels"][i]["kernel"]);
    CHECK(kernel.path_s == told["kernels"][i]["path_s"]);
    if (kernel.share == "gemm") gemm += kernel.path_s;
  }
  CHECK(gemm == doctest::Approx(all.seconds_of("gemm")).epsilon(1e-6));
  CHECK(all.text().find("Kernels of a step") != std::string::npos);
}

}  // namespace
}  // namespace simtrain::api::job_test
