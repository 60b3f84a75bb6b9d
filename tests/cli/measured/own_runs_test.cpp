#include <filesystem>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "tests/cli/base_scenario.h"
#include "tests/cli/program.h"
#include "tests/core/checkout.h"
#include "tests/measured/lines.h"
#include "tests/output/page.h"

namespace simtrain::testing::own_runs_test {
namespace {

const std::string kTable = std::string(kBaseScenario) + std::string(kBaseTable);

std::string log_of(const std::string& seconds) {
  std::string log;
  for (int step = 0; step < 50; ++step) log += nemo_line(step, step < 20 ? "99.0" : seconds);
  return log;
}

Outcome validate(const TempFolder& folder, const std::string& options = "") {
  return run_simtrain(words("validate . " + options), {folder.path().string(), {}, ""});
}

TEST_CASE("The example runs are the documents' own log lines") {
  const Outcome outcome = run_simtrain(words("validate validation/example_runs --format json"));
  REQUIRE(outcome.status == 0);
  const auto json = nlohmann::json::parse(outcome.out);
  const auto measured = [&](std::size_t table) {
    return json.at("tables").at(table).at("rows").at(0).at("figures").at(0).at("measured");
  };
  CHECK(measured(0) == 12.39);               // 001: iteration 49 of 49
  CHECK(measured(1) == 118.18969259262084);  // 000: step 12
}

TEST_CASE("The example runs are those scenarios and logs that the other tests read") {
  const std::string root = source_dir() + "/";
  const std::string runs = root + "validation/example_runs/";
  for (const std::string name : {"llama31_8b_h100.yaml", "llama405b_a4_224.yaml"})
    CHECK(read_file(runs + name) == read_file(root + "scenarios/" + name));
  const std::string logs = root + "tests/measured/data/";
  CHECK(read_file(runs + "llama31_8b_h100.bf16-8.out") ==
        read_file(logs + "log-llama31-8b-step-49.out"));
  CHECK(read_file(runs + "llama405b_a4_224.json") == read_file(logs + "dllogger-step-12.json"));
}

TEST_CASE("A folder of runs: each log beside its scenario, wherever it lies") {
  const TempFolder folder;
  folder.write("base.yaml", kBaseScenario);
  folder.write("base.log", log_of("3.0"));
  folder.write("base.again.log", log_of("3.5"));
  folder.write("base-table.yaml", kTable);
  folder.write("base-table.two.out", log_of("4.0"));
  folder.write("README.md", "no log");
  folder.write(".hidden", "no log");
  std::filesystem::create_directories(folder.path() / "below" / "one");
  folder.write("below/one/any.yaml", kBaseScenario);
  folder.write("below/one/dllogger.json", log_of("5.0"));
  const Outcome outcome = validate(folder, "--steps 20:49 --format json");
  REQUIRE(outcome.status == 0);
  CHECK(outcome.err.empty());
  std::map<std::string, double> measured;
  const auto json = nlohmann::json::parse(outcome.out);
  for (const auto& table : json.at("tables")) {
    for (const auto& row : table.at("rows"))
      measured[table.at("table").get<std::string>() + "/" + row.at("row").get<std::string>()] =
          row.at("figures").at(0).at("measured");
  }
  CHECK(measured ==
        std::map<std::string, double>{
            {"base/", 3.0}, {"base/again", 3.5}, {"base-table/two", 4.0}, {"any/dllogger", 5.0}});
}

TEST_CASE("The bound and the page are those of documented runs") {
  const TempFolder folder;
  folder.write("base.yaml", kBaseScenario);
  folder.write("base.log", log_of("300.0"));
  CHECK(validate(folder).status == 0);
  CHECK(validate(folder, "--max-mean-error 20").status == 1);
  CHECK(validate(folder, "--report page.html").status == 0);
  CHECK(validate(folder).status == 0);  // the page is no log
  CHECK(read_file(folder.path() / "page.html").find("base.log, ") != std::string::npos);
}

TEST_CASE("A log that is partial or holds a NaN is marked in the text and on the page") {
  const TempFolder folder;
  folder.write("base.yaml", kBaseScenario);
  folder.write("base.whole.log", log_of("300.0"));
  folder.write("base.nan.log",
               edited(log_of("300.0"), "global_step: 30 | reduced_train_loss: 11.96",
                      "global_step: 30 | reduced_train_loss: nan"));
  const Outcome outcome = validate(folder, "--steps 20:49 --report page.html");
  CHECK(outcome.status == 0);
  CHECK(outcome.out.find("\n    NaN: a loss or gradient norm is NaN or infinite\n") !=
        std::string::npos);
  CHECK(outcome.out.find("Partial") == std::string::npos);
  CHECK(
      unlabelled(read_file(folder.path() / "page.html"))
          .find("<td title=\"base.nan.log, steps 20 to 49\">nan<br><span class=\"bad\">NaN: a loss "
                "or gradient norm is NaN or infinite</span></td>") != std::string::npos);
  const Outcome partial = validate(folder, "--steps 20:80");
  CHECK(partial.out.find("\n    Partial: the log ends at step 49\n") != std::string::npos);
}

TEST_CASE("A page of one's own runs states no bounds but what is asked for") {
  const TempFolder folder;
  folder.write("base.yaml", kBaseScenario);
  folder.write("base.log", log_of("300.0"));
  CHECK(validate(folder, "--report page.html").status == 0);
  CHECK(read_file(folder.path() / "page.html").find("No bounds are stated.") != std::string::npos);
  CHECK(validate(folder, "--max-mean-error 100 --report page.html").status == 0);
  CHECK(read_file(folder.path() / "page.html").find("All stated bounds hold.") !=
        std::string::npos);
}

/// The error where a folder of these files is asked for.
std::string refusal(const std::vector<std::pair<std::string, std::string>>& files,
                    const std::string& options = "") {
  const TempFolder folder;
  for (const auto& [name, text] : files) folder.write(name, text);
  const Outcome outcome = validate(folder, options);
  CHECK(outcome.status == 2);
  CHECK(outcome.out.empty());
  return outcome.err;
}

TEST_CASE("What has no pair, no row or no step is named") {
  const std::string base(kBaseScenario);
  CHECK(refusal({}) ==
        "simtrain: .: holds no runs; put scenarios there (NAME.yaml) and their logs beside them "
        "(NAME.log)\n");
  CHECK(refusal({{"a.yaml", base}}) ==
        "simtrain: ./a.yaml: has no log beside it; a.log would be one\n");
  CHECK(refusal({{"a.log", log_of("3")}}) ==
        "simtrain: ./a.log: is a log without a scenario: no .yaml file is beside it\n");
  CHECK(refusal({{"a.yaml", base}, {"b.yaml", base}, {"ab.log", log_of("3")}}) ==
        "simtrain: ./ab.log: is no log of a scenario beside it, which are a, b; its name has to "
        "begin with one of theirs\n");
  CHECK(refusal({{"a.yaml", kTable}, {"a.tow.log", log_of("3")}}) ==
        "simtrain: ./a.tow.log: does not name its row, as NAME.ROW.log does; did you "
        "mean 'two'?\n");
  CHECK(refusal({{"a.yaml", base}, {"a.log", "nothing\n"}}).starts_with("simtrain: ./a.log: "));
  CHECK(refusal({{"a.yaml", base}, {"a.log", log_of("3")}}, "--steps 90:99")
            .starts_with("simtrain: ./a.log: the log holds steps 0 to 49, not steps 90 to 99"));
  CHECK(refusal({{"a.yaml", "name: [\n"}, {"a.log", log_of("3")}})
            .starts_with("simtrain: ./a.yaml:"));
  const Outcome files = run_simtrain(words("validate --steps 1:3"));
  CHECK(files.err == "simtrain: --steps: is for the logs of a folder of runs\n");
}

}  // namespace
}  // namespace simtrain::testing::own_runs_test
