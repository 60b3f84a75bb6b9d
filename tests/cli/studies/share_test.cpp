#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "tests/cli/bad_edit.h"
#include "tests/output/page.h"

namespace simtrain::testing::share_test {
namespace {

constexpr std::string_view kJobs = R"(name: two jobs
cluster: {name: fat-tree-h100-2to1, nodes: 16}
steps: 2
jobs:
  - {name: one, scenario: base.yaml, placement: spread}
  - {name: two, scenario: base.yaml, set: [tp=4, gbs=64], placement: {kind: hosts, hosts: [1, 5, 9, 13]}, start: 10 ms}
)";

/// Beside the base scenario.
Outcome share(const std::string& jobs, const std::string& options = "",
              const std::string& base = std::string(kBaseScenario)) {
  const TempFolder folder;
  folder.write("base.yaml", base);
  folder.write("jobs.yaml", jobs);
  return run_simtrain(words("share jobs.yaml " + options), {folder.path().string(), {}, ""});
}

nlohmann::json shared(const std::string& jobs, const std::string& options = "") {
  const Outcome outcome = share(jobs, options + " --format json");
  CAPTURE(outcome.err);
  REQUIRE(outcome.status == 0);
  return nlohmann::json::parse(outcome.out);
}

void check_jobs(std::string_view replaced, std::string_view by, const std::string& message) {
  CAPTURE(by);
  check_refused(share(edited(std::string(kJobs), replaced, by)), "jobs.yaml:" + message);
}

TEST_CASE("share says what jobs take alone and together, who slows whom, and where") {
  const Outcome outcome = share(std::string(kJobs));
  CHECK(outcome.err.empty());
  CHECK(outcome.status == 0);
  for (const char* part : {"two jobs\n", "fat-tree-h100-2to1: 16 nodes, 128 GPUs, 64 of them",
                           "alone", "together", "Who slows whom", "On which links", "leaf",
                           "0,4,8,12;", "1,5,9,13,", "starts at 10.000 ms"}) {
    CAPTURE(part);
    CHECK(outcome.out.find(part) != std::string::npos);
  }
}

TEST_CASE("The JSON of share adds up") {
  const nlohmann::json json = shared(std::string(kJobs));
  CHECK(json.at("schema") == "simtrain.share/1");
  CHECK(json.at("jobs").size() == 2);
  for (const auto& job : json.at("jobs")) {
    CHECK(job.at("together_s") >= job.at("alone_s"));
    CHECK(job.at("without")[0].at("step_time_s") == job.at("alone_s"));
    CHECK(job.at("steps") >= 2);
    CHECK(job.at("lost_gpus").get<double>() ==
          doctest::Approx(
              32 * (1 - job.at("alone_s").get<double>() / job.at("together_s").get<double>())));
  }
  CHECK(json.at("meeting") == nlohmann::json::parse(R"([["one", "two"]])"));
  REQUIRE(!json.at("links").empty());
  for (const auto& link : json.at("links")) {
    double used = 0;
    for (const auto& user : link.at("used")) used += user.at("share").get<double>();
    CHECK(used <= 1 + 1e-9);
    CHECK(link.at("used").size() == 2);
  }
  CHECK(!json.contains("placements"));
}

TEST_CASE("A job by itself takes what `run` says on the same hosts") {
  std::string jobs(kJobs);
  jobs.erase(jobs.find("  - {name: two"));
  const nlohmann::json json = shared(jobs);
  const TempFolder folder;
  folder.write("base.yaml", kBaseScenario);
  const Outcome alone =
      run_simtrain(words("run base.yaml --format json --set cluster.name=fat-tree-h100-2to1 --set "
                         "cluster.available_nodes=16 --set cluster.placement=spread"),
                   {folder.path().string(), {}, ""});
  REQUIRE(alone.status == 0);
  const nlohmann::json run = nlohmann::json::parse(alone.out);
  CHECK(json.at("jobs")[0].at("together_s") == run.at("step_time_s").at("mean"));
  CHECK(json.at("jobs")[0].at("alone_s") == run.at("step_time_s").at("mean"));
}

TEST_CASE("share --place-last sorts placements by what they cost the others") {
  const nlohmann::json json = shared(std::string(kJobs), "--place-last");
  const auto& placements = json.at("placements");
  REQUIRE(placements.size() >= 3);
  double before = -1;
  for (const auto& placement : placements) {
    CHECK(placement.at("hosts").size() == 4);
    for (const auto& host : placement.at("hosts")) CHECK(host.get<int>() % 4 != 0);  // those of one
    CHECK(placement.at("others_lost_gpus").get<double>() >= before);
    before = placement.at("others_lost_gpus").get<double>();
    CHECK(placement.at("jobs").size() == 2);
  }
  const Outcome text = share(std::string(kJobs), "--place-last");
  CHECK(text.out.find("Where to place two") != std::string::npos);
  CHECK(text.out.find("fewest units") != std::string::npos);
}

TEST_CASE("On a fabric that cannot bind jobs do not meet") {
  const Outcome outcome =
      share(edited(edited(std::string(kJobs), "fat-tree-h100-2to1", "dgx-superpod-h100"),
                   "[1, 5, 9, 13]", "[6, 5, 9, 13]"));
  CHECK(outcome.status == 0);
  CHECK(outcome.out.find("jobs do not meet") != std::string::npos);
  CHECK(outcome.out.find("Who slows whom") == std::string::npos);
}

/// The page of a file of jobs.
std::string share_page(const std::string& jobs, const std::string& options = "") {
  const TempFolder folder;
  folder.write("base.yaml", kBaseScenario);
  folder.write("jobs.yaml", jobs);
  const Outcome outcome = run_simtrain(words("share jobs.yaml --report page.html " + options),
                                       {folder.path().string(), {}, ""});
  CAPTURE(outcome.err);
  REQUIRE(outcome.status == 0);
  const std::string page = read_file(folder.file("page.html"));
  check_whole(page);
  return page.substr(page.find("<main>"), page.find("</main>") - page.find("<main>"));
}

TEST_CASE("The page of share has what meets, and no more where jobs do not meet") {
  const std::string jobs(kJobs);
  const std::string meet = share_page(jobs, "--place-last");
  for (const char* part : {"Who slows whom", "On which links", "Where to place two",
                           "two holds up one", "hosts 0,4,8,12", "10.000 ms", "by two"}) {
    CAPTURE(part);
    CHECK(has(meet, part));
  }
  const std::string apart = share_page(edited(
      edited(jobs, "fat-tree-h100-2to1", "dgx-superpod-h100"), "[1, 5, 9, 13]", "[6, 5, 9, 13]"));
  CHECK(has(apart, "so that the jobs do not meet"));
  for (const char* part : {"On which links", "Where to place"}) {
    CAPTURE(part);
    CHECK(!has(apart, part));
  }
  std::string alone(kJobs);
  alone.erase(alone.find("  - {name: two"));
  const std::string page = share_page(edited(alone, "name: one", "name: 'a<b>'"));
  CHECK(!has(page, "Who slows whom"));
  CHECK(!has(page, "do not meet"));
  CHECK(has(page, "a&lt;b&gt;"));
  CHECK(!has(page, "a<b>"));
}

TEST_CASE("The page of share takes the place of nothing that the command reads") {
  const TempFolder folder;
  folder.write("base.yaml", kBaseScenario);
  folder.write("jobs.yaml", std::string(kJobs));
  for (const char* file : {"base.yaml", "jobs.yaml"}) {
    CAPTURE(file);
    const std::string before = read_file(folder.file(file));
    const Outcome outcome =
        run_simtrain(words(std::string("share jobs.yaml --force --report ") + file),
                     {folder.path().string(), {}, ""});
    CHECK(outcome.status == 2);
    CHECK(outcome.out.empty());
    CHECK(read_file(folder.file(file)) == before);
  }
  check_refused(share(std::string(kJobs), "--force"),
                "--force: replaces a file; name one with --report");
}

TEST_CASE("Wrong files of jobs are refused with one line") {
  check_jobs("cluster: {name", "cluster: {nam",
             "2:11: cluster.nam: is not known here; did you mean 'name'?");
  check_jobs("nodes: 16", "nodes: 1e9", "2:44: cluster.nodes: must be a whole number, found '1e9'");
  check_jobs("nodes: 16", "nodes: 3",
             "2:44: cluster.available_nodes: 3 is fewer than the 4 nodes of the job");
  check_jobs("nodes: 16", "nodes: 6", "6:70: cluster.placement: '9' is no host; there are 0 to 5");
  check_jobs("steps: 2", "steps: 0", "3:8: steps: '0' is out of range; 1 to 1000 would do");
  check_jobs("hosts: [1, 5, 9, 13]", "hosts: [1, 5, 9, 12]",
             "6:5: jobs[1].placement: lists host 12, which another job has");
  check_jobs("hosts: [1, 5, 9, 13]", "hosts: [1, 5, 9, 9]",
             "6:70: cluster.placement: '9' is given twice");
  check_jobs("{kind: hosts, hosts: [1, 5, 9, 13]}", "{kind: fragmented, seed: 1, free: 0.5}",
             "6:5: jobs[1].placement: is fragmented by jobs that are not known; compact, spread, "
             "random or hosts would do");
  check_jobs("name: two,", "name: one,", "6:12: jobs[1].name: 'one' appears twice");
  check_jobs(
      "name: two, scenario: base.yaml", "name: two, scenario: none.yaml",
      "6:5: jobs[1].scenario: there is no 'none.yaml', neither beside this file nor among the "
      "scenarios of the data folder (simtrain list scenarios)");
  check_jobs(
      "scenario: base.yaml, placement: spread", "scenario: llama31_8b_h100.yaml",
      "5:5: jobs[0].row: is missing; llama31_8b_h100.yaml has a table, and a job is of one of "
      "its rows");
  check_jobs("scenario: base.yaml, placement: spread", "scenario: llama31_8b_h100.yaml, row: x",
             "5:5: jobs[0].row: 'x' is no row of llama31_8b_h100.yaml; known are bf16-8, bf16-16, "
             "bf16-32, bf16-64, bf16-128, fp8-8, fp8-16, fp8-32, fp8-64, fp8-128");
  check_jobs("set: [tp=4, gbs=64]", "set: [hardware.nic_bandwidth=200Gb/s]",
             "6:5: jobs[1].scenario: has another cluster than job 'one' "
             "(hardware.node.nic_bandwidth 200 Gb/s); jobs share one");
  check_jobs(
      "set: [tp=4, gbs=64]", "set: [cluster.placement=compact]",
      "6:44: jobs[1].set[0]: sets cluster.placement, which is of all jobs; the file's cluster, "
      "placement and rank_order would do");
  check_jobs(
      "set: [tp=4, gbs=64]", "set: [tp=5]",
      "6:44: parallelism.tensor_model_parallel_size: 5 does not divide the attention heads (32)");
  std::string none(kJobs);
  none.replace(none.find("jobs:\n"), std::string::npos, "jobs: []\n");
  check_refused(share(none), "jobs.yaml:4:7: jobs: holds no jobs");
}

TEST_CASE("share takes one file, and places the last of several jobs") {
  check_refused(run_simtrain({"share"}), "share takes one file of jobs");
  std::string one(kJobs);
  one.erase(one.find("  - {name: two"));
  check_refused(share(one, "--place-last"),
                "jobs.yaml: --place-last: needs other jobs beside the one that it places; the file "
                "holds one");
  const TempFolder folder;
  folder.write("jobs.yaml", kJobs);
  check_refused(run_simtrain({"run", "jobs.yaml"}, {folder.path().string(), {}, ""}),
                "jobs.yaml:5:3: jobs: is of a file of several jobs, for 'simtrain share'");
  const Outcome missing = run_simtrain({"share", "nowhere.yaml"});
  CHECK(missing.status == 2);
  CHECK(missing.out.empty());
}

}  // namespace
}  // namespace simtrain::testing::share_test
