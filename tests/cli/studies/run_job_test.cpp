// simtrain run --job: step, job and advice in one report.

#include <algorithm>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "tests/cli/bad_edit.h"
#include "tests/core/checkout.h"

namespace simtrain::testing::run_job_test {
namespace {

constexpr std::string_view kJob = R"(job:
  tokens: 1e12
  failures: production-h100
  spare_nodes: 2
  checkpoint: {storage: lustre-superpod, save_interval: 50}
  runs: 50
)";

struct JobFolder {
  explicit JobFolder(const std::string& more = "", std::string_view replaced = "",
                     std::string_view by = "") {
    folder.write("job.yaml",
                 std::string(kBaseScenario) + more + edited(std::string(kJob), replaced, by));
    folder.write("plain.yaml", kBaseScenario);
  }
  [[nodiscard]] Outcome run(const std::string& command) const {
    return run_simtrain(words(command), {folder.path().string(), {}, ""});
  }
  [[nodiscard]] nlohmann::json json(const std::string& command) const {
    const Outcome outcome = run(command + " --format json");
    CAPTURE(outcome.err);
    REQUIRE(outcome.status == 0);
    return nlohmann::json::parse(outcome.out);
  }
  TempFolder folder;
};

/// All but what the machine took for it.
nlohmann::json without_wall_time(nlohmann::json result) {
  result.at("engine").erase("wall_s");
  return result;
}

TEST_CASE("--job prints the step, then what goodput says, then what to change") {
  const JobFolder here;
  const Outcome outcome = here.run("run job.yaml --job");
  CHECK(outcome.status == 0);
  CHECK(outcome.err.empty());
  std::size_t at = 0;
  for (const char* part :
       {"\n  Step time", "1T tokens in", "\nThe job\n", "  takes ", "p10 ", "where the time goes",
        "failures by", "\nWhat to set (50 runs each)", "--set ", "\nWhat else would help"}) {
    CAPTURE(part);
    const std::size_t found = outcome.out.find(part, at);
    REQUIRE(found != std::string::npos);
    at = found;
  }
  CHECK(outcome.out.find("The critical path across ranks") == std::string::npos);
  CHECK(here.run("run job.yaml --job --explain").out.find("The critical path across ranks") !=
        std::string::npos);
}

TEST_CASE("The JSON of --job holds those of run and of goodput, and advice by days saved") {
  const JobFolder here("cost: {gpu_hour: 2 USD, electricity: 0.1 USD/kWh}\n");
  const nlohmann::json both = here.json("run job.yaml --job");
  CHECK(both.at("schema") == "simtrain.job/1");
  CHECK(both.at("job") == here.json("goodput job.yaml"));
  nlohmann::json step = without_wall_time(both.at("step"));
  nlohmann::json alone = without_wall_time(here.json("run job.yaml --price 2"));
  CHECK(step == alone);
  const nlohmann::json& spread = both.at("job").at("summary").at("elapsed_s");
  CHECK(spread.at("p5") <= spread.at("p10"));
  CHECK(spread.at("p10") < spread.at("p50"));
  CHECK(spread.at("p50") < spread.at("p90"));
  CHECK(spread.at("p90") <= spread.at("p95"));
  const nlohmann::json& advice = both.at("advice");
  const nlohmann::json& rows = advice.at("changes");
  REQUIRE(rows.size() > 5);
  CHECK(advice.at("runs") == 50);
  CHECK(std::is_sorted(rows.begin(), rows.end(), [](const auto& a, const auto& b) {
    return a.at("saved_s") > b.at("saved_s");
  }));
  for (const nlohmann::json& row : rows) {
    CAPTURE(row.dump());
    CHECK((row.at("kind") == "setting") == !row.at("settings").empty());
    CHECK(row.contains("saved_usd"));
  }
}

TEST_CASE("What advice to set promises is what the job with it takes") {
  const JobFolder here("cost: {gpu_hour: 2 USD}\n");
  const nlohmann::json both = here.json("run job.yaml --job");
  int settings = 0;
  for (const nlohmann::json& row : both.at("advice").at("changes")) {
    if (row.at("kind") != "setting") continue;
    ++settings;
    std::string command = "goodput job.yaml --plain";
    for (const nlohmann::json& set : row.at("settings"))
      command += " --set " + set.get<std::string>();
    CAPTURE(command);
    const nlohmann::json changed = here.json(command);
    const double days = changed.at("summary").at("elapsed_s").at("mean");
    CHECK(days == doctest::Approx(row.at("elapsed_s").get<double>()).epsilon(1e-9));
    CHECK(changed.at("step_time_s") == row.at("step_time_s"));
    const nlohmann::json& job = both.at("job");
    CHECK(job.at("summary").at("elapsed_s").at("mean").get<double>() - days ==
          doctest::Approx(row.at("saved_s").get<double>()).epsilon(1e-6));
    CHECK(job.at("bill").at("gpu_usd").get<double>() -
              changed.at("bill").at("gpu_usd").get<double>() ==
          doctest::Approx(row.at("saved_usd").get<double>()).epsilon(1e-6));
  }
  CHECK(settings >= 2);
}

TEST_CASE("Equal jobs give equal advice at any number of threads") {
  const JobFolder here;
  const CallOptions where{here.folder.path().string(), {}, ""};
  const auto one =
      run_command_line({"/usr/bin/taskset", "1", program(), "run", "job.yaml", "--job"}, where);
  CHECK(one.out == here.run("run job.yaml --job").out);
}

TEST_CASE("A job for days, and one that nothing fails in, have advice too") {
  const JobFolder for_days("", "tokens: 1e12", "days: 30");
  const nlohmann::json days = for_days.json("run job.yaml --job");
  const nlohmann::json& best = days.at("advice").at("changes").at(0);
  // The job goes on for its days whatever is changed; saved is what as many steps take less.
  CHECK(best.at("saved_s") > 0);
  CHECK(best.at("elapsed_s").get<double>() + best.at("saved_s").get<double>() ==
        doctest::Approx(30 * 86400.0));
  const JobFolder safely("", "  failures: production-h100\n", "");
  const nlohmann::json safe = safely.json("run job.yaml --job");
  CHECK(safe.at("job").at("advice").at("changes").empty());
  CHECK(!safe.at("advice").at("changes").empty());
}

TEST_CASE("What --job cannot tell is refused in one line") {
  const JobFolder here;
  check_refused(
      here.run("run plain.yaml --job"),
      "plain.yaml:1:1: job: is missing; --set job.tokens=15e12 --set job.failures=production-h100 "
      "--set job.checkpoint.storage=lustre-superpod would do ('simtrain help scenario' lists its "
      "keys)");
  check_refused(here.run("run job.yaml --job --tokens 15T"),
                "--tokens: is of a step alone; of --job, --set job.tokens=15e12 says it");
  check_refused(here.run("run job.yaml --job --price 2"),
                "--price: is of a step alone; of --job, --set 'cost.gpu_hour=2.5 USD' "
                "says it");
  CHECK(here.run("run plain.yaml --job --report a.html").status == 2);
  CHECK(!std::filesystem::exists(here.folder.file("a.html")));
}

}  // namespace
}  // namespace simtrain::testing::run_job_test
