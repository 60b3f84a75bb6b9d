#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "tests/cli/bad_edit.h"
#include "tests/core/checkout.h"

namespace simtrain::testing::goodput_test {
namespace {

constexpr std::string_view kJob = R"(job:
  tokens: 1e12
  failures: production-h100
  spare_nodes: 2
  checkpoint: {storage: lustre-superpod, save_interval: 50}
  runs: 50
)";

/// The base scenario with a job, edited.
Outcome goodput(std::string_view replaced, std::string_view by, const std::string& options = "") {
  const TempFolder folder;
  folder.write("job.yaml", std::string(kBaseScenario) + edited(std::string(kJob), replaced, by));
  return run_simtrain(words("goodput job.yaml " + options), {folder.path().string(), {}, ""});
}

nlohmann::json goodput_of(std::string_view replaced, std::string_view by,
                          const std::string& options = "--plain") {
  const Outcome outcome = goodput(replaced, by, options + " --format json");
  CAPTURE(outcome.err);
  REQUIRE(outcome.status == 0);
  return nlohmann::json::parse(outcome.out);
}

TEST_CASE("goodput says how long a job takes, with what spread, and where its time goes") {
  const Outcome outcome = goodput("runs", "runs");
  CHECK(outcome.status == 0);
  CHECK(outcome.err.empty());
  for (const char* part :
       {"  takes             ", "9 of 10 runs", "where the time goes", "lost_work",
        "failures by production-h100", "a GPU 1.1 times as slow", "Young: ", "* save_interval ",
        "* spare_nodes ", "what else would help", "async_save true"}) {
    CAPTURE(part);
    CHECK(outcome.out.find(part) != std::string::npos);
  }
}

TEST_CASE("The JSON's uses of time sum to the mean time, and goodput is the share of training") {
  const nlohmann::json json = goodput_of("runs", "runs");
  CHECK(json.at("schema") == "simtrain.goodput/1");
  double sum = 0;
  for (const auto& use : json.at("used_s")) sum += use.get<double>();
  const double elapsed = json.at("summary").at("elapsed_s").at("mean");
  CHECK(sum == doctest::Approx(elapsed).epsilon(1e-9));
  CHECK(json.at("used_s").at("training").get<double>() / elapsed ==
        doctest::Approx(json.at("summary").at("goodput").at("mean").get<double>()).epsilon(1e-3));
  CHECK(json.at("states").size() == 3);
  CHECK(json.at("states")[1].at("step_time_s") > json.at("step_time_s"));
  CHECK(json.at("advice").at("intervals").empty());
}

TEST_CASE("A job has an energy, and what the scenario gives prices for") {
  const auto none = goodput_of("runs", "runs").at("bill");
  CHECK(none.at("joules").get<double>() > none.at("joules_waiting").get<double>());
  CHECK(none.at("joules_waiting").get<double>() > 0);
  CHECK(none.size() == 2);
  const auto priced = goodput_of(
      "job:", "cost: {gpu_hour: 2 USD, electricity: 0.1 USD/kWh, grid: 400 g/kWh}\njob:");
  const auto& bill = priced.at("bill");
  const auto& summary = priced.at("summary");
  const double joules = bill.at("joules");
  CHECK(joules == none.at("joules").get<double>());
  const double hours =
      summary.at("gpu_hours").get<double>() + summary.at("spare_gpu_hours").get<double>();
  CHECK(bill.at("gpu_usd").get<double>() == doctest::Approx(2 * hours));
  CHECK(bill.at("electricity_usd").get<double>() == doctest::Approx(0.1 * joules / 3.6e6));
  CHECK(bill.at("carbon_kg").get<double>() == doctest::Approx(0.4 * joules / 3.6e6));
}

TEST_CASE("Equal jobs print equal bytes and write equal files, whatever the threads") {
  const TempFolder folder;
  folder.write("job.yaml", std::string(kBaseScenario) + std::string(kJob));
  const CallOptions here{folder.path().string(), {}, ""};
  const auto one = run_command_line(
      {"/usr/bin/taskset", "1", program(), "goodput", "job.yaml", "--hdf5", "one.h5"}, here);
  const Outcome all = run_simtrain(words("goodput job.yaml --hdf5 all.h5"), here);
  CHECK(all.status == 0);
  CHECK(one.out == all.out);
  CHECK(read_file(folder.file("one.h5")) == read_file(folder.file("all.h5")));
  CHECK(read_file(folder.file("all.h5")).starts_with("\x89HDF"));
  // Its own file is replaced; another's is not.
  CHECK(run_simtrain(words("goodput job.yaml --plain --hdf5 all.h5"), here).status == 0);
  folder.write("mine", "mine");
  CHECK(run_simtrain(words("goodput job.yaml --plain --hdf5 mine"), here).status == 2);
  CHECK(read_file(folder.file("mine")) == "mine");
}

TEST_CASE("Keys of a job change it") {
  const double days = goodput_of("runs", "runs").at("summary").at("elapsed_s").at("mean");
  CHECK(goodput_of("1e12", "2e12").at("summary").at("elapsed_s").at("mean").get<double>() ==
        doctest::Approx(2 * days).epsilon(0.02));
  CHECK(goodput_of("50}", "5}").at("summary").at("elapsed_s").at("mean") > days);
  CHECK(goodput_of("  failures: production-h100\n", "").at("summary").at("elapsed_s").at("mean") <
        days);
  CHECK(goodput_of("runs: 50", "seed: 1").at("summary").at("runs") == 1000);
  const nlohmann::json set =
      goodput_of("runs", "runs", "--plain --set job.checkpoint.async_save=true");
  CHECK(set.at("checkpoint").at("stall_s") < 1);
  // One length of the job takes the place of another.
  const nlohmann::json days_set = goodput_of("runs", "runs", "--plain --set job.days=3");
  CHECK(days_set.at("summary").at("elapsed_s").at("p5") == 3 * 86400);
  CHECK_FALSE(days_set.contains("elapsed_interval_s"));
}

TEST_CASE("The interval of a job is wider than its failures make it") {
  const nlohmann::json job = goodput_of("runs", "runs");
  const auto& elapsed = job.at("summary").at("elapsed_s");
  const double low = job.at("elapsed_interval_s").at("low");
  const double high = job.at("elapsed_interval_s").at("high");
  CHECK(low < 0.98 * elapsed.at("p5").get<double>());
  CHECK(high > 1.02 * elapsed.at("p95").get<double>());
}

TEST_CASE("What does not fit into memory says so, as a job and by state") {
  const nlohmann::json job = goodput_of("runs", "runs");
  for (const auto& state : job.at("states")) CHECK(state.at("fits") == true);
  const nlohmann::json full = goodput_of("runs", "runs", "--plain --set mbs=16 --set gbs=128");
  CHECK(full.at("states").front().at("fits") == false);
}

TEST_CASE("Checkpoints in between are in the document") {
  const nlohmann::json job = goodput_of(
      "50}",
      "50, non_persistent_storage: host-memory-replicated, non_persistent_save_interval: 5}");
  CHECK(job.at("local_checkpoint").at("storage") == "host-memory-replicated");
  CHECK(job.at("local_checkpoint").at("save_interval") == 5);
  CHECK(job.at("checkpoint").at("host_bytes_per_node") >
        goodput_of("runs", "runs").at("checkpoint").at("host_bytes_per_node"));
}

TEST_CASE("A step does not depend on the job") {
  const TempFolder folder;
  folder.write("step.yaml", kBaseScenario);
  folder.write("job.yaml", std::string(kBaseScenario) + std::string(kJob));
  const CallOptions here{folder.path().string(), {}, ""};
  CHECK(run_simtrain({"job.yaml"}, here).out == run_simtrain({"step.yaml"}, here).out);
}

TEST_CASE("What a job cannot be is refused in one line with its place") {
  const auto refused = [](std::string_view replaced, std::string_view by,
                          const std::string& message) {
    CAPTURE(by);
    check_refused(goodput(replaced, by), "job.yaml:" + message);
  };
  refused("  tokens: 1e12\n", "",
          "26:3: job.tokens: is missing; tokens, train_iters or days says how long the job is");
  refused("1e12", "1e12\n  days: 3",
          "27:9: job.days: is given beside another length of the job; one of them would do");
  refused("tokens: 1e12", "token: 1e12",
          "26:3: job.token: is not known here; did you mean 'tokens'?");
  refused(
      "lustre-superpod", "lustre",
      "29:25: job.checkpoint.storage: 'lustre' is not in hardware/storage; known are host-memory, "
      "host-memory-replicated, jean-zay-gpfs, lustre-superpod, meta-tectonic, nvme-node, "
      "object-store, selene-lustre, tiered-nvme-object");
  refused("lustre-superpod", "nvme-node",
          "29:25: job.checkpoint.storage: 'nvme-node' is lost with its node; one that is shared, "
          "replicated or drains_to another would do");
  refused("50}", "50, non_persistent_save_interval: 5}",
          "29:15: job.checkpoint.non_persistent_storage: is missing; non_persistent_storage and "
          "non_persistent_save_interval go together");
  refused(
      "50}", "50, non_persistent_storage: nvme-node, non_persistent_save_interval: 7}",
      "29:126: job.checkpoint.non_persistent_save_interval: 7 does not divide save_interval 50");
  refused("spare_nodes: 2", "spare_nodes: 5",
          "28:16: job.spare_nodes: 5 are more than the 4 nodes of the job; 4 at most would do");
  refused("spare_nodes: 2", "elastic_replicas: 8",
          "28:21: job.elastic_replicas: 8 of 8 replicas leave none; 7 would do");
  const TempFolder folder;
  folder.write("plain.yaml", kBaseScenario);
  check_refused(
      run_simtrain({"goodput", "plain.yaml"}, {folder.path().string(), {}, ""}),
      "plain.yaml:1:1: job: is missing; --set job.tokens=15e12 --set job.failures=production-h100 "
      "--set job.checkpoint.storage=lustre-superpod would do ('simtrain help scenario' lists its "
      "keys)");
}

}  // namespace
}  // namespace simtrain::testing::goodput_test
