#include <algorithm>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "tests/cli/data_copy.h"
#include "tests/measured/lines.h"
#include "tests/output/page.h"

namespace simtrain::testing::compare_test {
namespace {

/// Logs of two plans, as they would be measured where NICs have half their bandwidth.
class SlowRuns {
 public:
  SlowRuns() {
    const std::string node = "hardware/nodes/hgx-h100.yaml";
    slow_.write(node, edited(slow_.read(node), "{value: 400 Gb/s,", "{value: 200 Gb/s,"));
    add("a", std::string(kBaseScenario));
    add("b",
        edited(std::string(kBaseScenario), "context_parallel_size: 1", "context_parallel_size: 4"));
  }

  [[nodiscard]] Outcome compare(const std::string& options) const {
    return run_simtrain(words("compare " + options), {folder_.path().string(), {}, ""});
  }
  [[nodiscard]] std::string read(std::string_view name) const {
    return read_file(folder_.file(name));
  }
  [[nodiscard]] std::string folder() const { return folder_.path().string(); }
  void write(std::string_view name, std::string_view text) const { folder_.write(name, text); }

 private:
  void add(const std::string& name, const std::string& scenario) {
    folder_.write(name + ".yaml", scenario);
    slow_.write("base.yaml", scenario);
    const auto json = nlohmann::json::parse(slow_.run("--format json").out);
    std::string log = "step,step_time_s\n";
    for (int step = 0; step < 12; ++step)
      log += std::to_string(step) + "," + json.at("step_time_s").at("mean").dump() + "\n";
    folder_.write(name + ".csv", log);
  }

  Data slow_;
  TempFolder folder_;
};

TEST_CASE("compare: runs of several plans show which number of the hardware is wrong") {
  const SlowRuns runs;
  for (const char* paths : {".", "a.yaml a.csv b.yaml b.csv"}) {
    CAPTURE(paths);
    const Outcome outcome = runs.compare(std::string(paths) + " --steps last --format json");
    REQUIRE(outcome.status == 0);
    CHECK(outcome.err.empty());
    const auto json = nlohmann::json::parse(outcome.out);
    CHECK(json.at("schema") == "simtrain.comparisons/1");
    CHECK(json.at("runs").size() == 2);
    const auto& numbers = json.at("common_causes").at("numbers");
    const auto found = std::find_if(numbers.begin(), numbers.end(), [](const auto& number) {
      return number.at("key") == "nic_bandwidth";
    });
    REQUIRE(found != numbers.end());
    CHECK(found->at("file") == "nodes/hgx-h100.yaml");
    CHECK(found->at("needed").get<double>() == doctest::Approx(200).epsilon(0.02));
    CHECK(found->at("explains_all") == true);
    CHECK(json.at("other_software").at("stacks").size() >= 8);
    for (const auto& run : json.at("runs")) {
      const double error = run.at("error");
      CHECK(error < 1e-9);  // slow NICs make no run faster than predicted
      CHECK(error == doctest::Approx(run.at("predicted_s").get<double>() /
                                         run.at("measured_s").at("mean").get<double>() -
                                     1));
    }
  }
  const Outcome text = runs.compare(". --steps last");
  CHECK(text.out.starts_with("Errors are predicted over measured step time, less one.\n"));
  CHECK(text.out.find("\nWith another software stack\n") != std::string::npos);
  CHECK(text.out.find("nodes/hgx-h100.yaml nic_bandwidth\n      400 Gb/s -> 2") !=
        std::string::npos);
}

TEST_CASE("compare: several logs of one plan cannot show it") {
  const SlowRuns runs;
  const Outcome outcome = runs.compare("a.yaml a.csv a.csv --steps last");
  CHECK(outcome.status == 0);
  CHECK(outcome.out.find("Runs of one plan do not show") != std::string::npos);
  const auto json =
      nlohmann::json::parse(runs.compare("a.yaml a.csv a.csv --steps last --format json").out);
  CHECK(json.at("common_causes").is_null());
}

TEST_CASE("compare: what speaks against a log is reported, and it is left out of the search") {
  const SlowRuns runs;
  std::string log;
  for (int step = 0; step < 50; ++step) log += nemo_line(step, "1.2");
  runs.write("c.log", edited(log, "global_batch_size: 128", "global_batch_size: 64"));
  runs.write("c.yaml", edited(runs.read("a.yaml"), "name: base", "name: other"));
  const Outcome outcome = runs.compare(".");
  REQUIRE(outcome.status == 0);
  CHECK(outcome.out.find("    Disagree: ") != std::string::npos);
  const auto json = nlohmann::json::parse(runs.compare(". --format json").out);
  CHECK(json.at("runs").size() == 3);
  CHECK(json.at("common_causes").at("numbers").at(0).at("predicted_s").size() == 2);
  runs.write("b.csv", "");
  CHECK(runs.compare("a.yaml a.csv c.yaml a.csv").out.find("Runs of one plan do not show") !=
        std::string::npos);
}

TEST_CASE("compare: runs as predicted need no cause") {
  const SlowRuns runs;
  for (const char* name : {"a", "b"}) {
    const auto json = nlohmann::json::parse(
        run_simtrain(words("run " + std::string(name) + ".yaml --format json"),
                     {runs.folder(), {}, ""})
            .out);
    runs.write(std::string(name) + ".csv",
               "step,step_time_s\n1," + json.at("step_time_s").at("mean").dump() + "\n");
  }
  CHECK(runs.compare(". --steps last").out.find("None is needed") != std::string::npos);
}

TEST_CASE("compare: one run and several are a page that asks for nothing") {
  const SlowRuns runs;
  for (const char* paths : {"a.yaml a.csv", "."}) {
    CAPTURE(paths);
    CHECK(runs.compare(std::string(paths) + " --steps 2:11 --report page.html").status == 0);
    const std::string page = runs.read("page.html");
    check_whole(page);
    CHECK(data_of(page)["steps"][0]["steps"].size() == 10);
    CHECK(data_of(page)["steps"][0]["low"] < data_of(page)["steps"][0]["predicted"]);
    CHECK(page.find(">nan") == std::string::npos);
  }
  CHECK(runs.read("page.html").find("nodes/hgx-h100.yaml nic_bandwidth") != std::string::npos);
}

TEST_CASE("compare: what is no scenario with its logs is refused, and no page is left") {
  const SlowRuns runs;
  const auto refusal = [&](const std::string& options) {
    const Outcome outcome = runs.compare(options + " --report page.html");
    CHECK(outcome.status == 2);
    CHECK(outcome.out.empty());
    CHECK(runs.read("page.html").empty());
    return outcome.err;
  };
  const std::string usage = "simtrain: compare takes scenarios, each with its logs behind it";
  CHECK(refusal("").starts_with(usage));
  CHECK(refusal("a.yaml").starts_with(usage));
  CHECK(refusal("a.yaml b.yaml b.csv").starts_with(usage));
  CHECK(refusal("a.yaml a.csv b.yaml").starts_with(usage));
  CHECK(refusal("a.yaml a.csv --row one")
            .starts_with("simtrain: --row: no scenario given has a table"));
  CHECK(refusal(". --row one").starts_with("simtrain: --row: the names of a folder's logs"));
  CHECK(refusal("a.yaml gone.csv").starts_with("simtrain: gone.csv: "));
  runs.write("b.csv", "step,step_time_s\n");
  CHECK(refusal(". --steps last").find("b.csv: ") != std::string::npos);
  CHECK(runs.compare("a.yaml a.csv --report /nowhere/page.html").status == 2);
}

}  // namespace
}  // namespace simtrain::testing::compare_test
