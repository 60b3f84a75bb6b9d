#include <algorithm>
#include <map>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "tests/cli/browser.h"
#include "tests/cli/own_validation.h"

namespace simtrain::testing::report_test {
namespace {

const std::string kRun = "run scenarios/llama31_8b_h100.yaml --row bf16-8";
const std::string kFlagship = "run scenarios/llama405b_a4_224.yaml";

TEST_CASE("A page of a run is one file, written whole; the text stays the same") {
  const TempFolder folder;
  const Outcome outcome = run_simtrain(words(kRun + " --report " + folder.file("r.html")));
  CHECK(outcome.status == 0);
  CHECK(outcome.err.empty());
  CHECK(outcome.out == run_simtrain(words(kRun)).out);
  const std::string page = read_file(folder.path() / "r.html");
  CHECK(page.starts_with("<!doctype html>"));
  CHECK(page.ends_with("</html>\n"));
  CHECK(std::distance(std::filesystem::directory_iterator(folder.path()), {}) == 1);
  run_simtrain(words(kRun + " --report " + folder.file("again.html")));
  CHECK(read_file(folder.path() / "again.html") == page);
}

TEST_CASE("The flagship's page is smaller than 5 MB") {
  const TempFolder folder;
  CHECK(run_simtrain(words(kFlagship + " --report " + folder.file("r.html"))).status == 0);
  CHECK(std::filesystem::file_size(folder.path() / "r.html") < 5000000);
}

TEST_CASE("A report that cannot be written is refused in one line, and nothing is left") {
  const TempFolder folder;
  for (const std::string& path :
       {folder.file("none/r.html"), folder.path().string(), std::string("/dev/full")}) {
    CAPTURE(path);
    const Outcome outcome = run_simtrain(words(kRun + " --report " + path));
    CHECK(outcome.status == 2);
    CHECK(outcome.out.empty());
    CHECK(std::count(outcome.err.begin(), outcome.err.end(), '\n') == 1);
  }
  CHECK(std::filesystem::is_empty(folder.path()));
}

TEST_CASE("Reports and explanations are of one row") {
  const TempFolder folder;
  for (const std::string& option :
       {"--report " + folder.file("r.html"), std::string("--explain"), std::string("--kernels")}) {
    const Outcome outcome = run_simtrain(words("run scenarios/llama31_8b_h100.yaml " + option));
    CHECK(outcome.status == 2);
    CHECK(outcome.err.find("--row names it") != std::string::npos);
  }
  CHECK(std::filesystem::is_empty(folder.path()));
}

TEST_CASE("--explain follows the report, 80 columns wide; as JSON it is a field of the result") {
  const Outcome text = run_simtrain(words(kRun + " --explain"));
  CHECK(text.status == 0);
  CHECK(text.out.starts_with(run_simtrain(words(kRun)).out));
  CHECK(text.out.find("\nOne knob changed") != std::string::npos);
  std::istringstream lines(text.out);
  for (std::string line; std::getline(lines, line);) CHECK(line.size() <= 80);
  const Outcome json = run_simtrain(words(kRun + " --explain --format json"));
  CHECK(json.status == 0);
  const auto result = nlohmann::json::parse(json.out);
  CHECK(result["schema"] == "simtrain.result/1");
  CHECK(result["explain"]["changes"].size() > 10);
  CHECK(result["explain"]["critical_path"]["stages"].size() == 1);
}

TEST_CASE("--kernels follows the report, 80 columns wide; its JSON sums to the breakdown") {
  const Outcome text = run_simtrain(words(kFlagship + " --kernels"));
  CHECK(text.status == 0);
  CHECK(text.out.starts_with(run_simtrain(words(kFlagship)).out));
  std::istringstream lines(text.out);
  for (std::string line; std::getline(lines, line);) CHECK(line.size() <= 80);
  CHECK(text.out.ends_with("  100.00 %\n"));
  const auto result =
      nlohmann::json::parse(run_simtrain(words(kFlagship + " --kernels --format json")).out);
  std::map<std::string, double> sums;
  for (const std::string rows : {"kernels", "transfers"}) {
    REQUIRE(result.at(rows).size() > 10);
    for (const auto& row : result.at(rows))
      sums[row.at("share").get<std::string>()] += row.at("path_s").get<double>();
  }
  CHECK(sums.size() == 10);
  for (const auto& entry : sums) {
    CAPTURE(entry.first);
    CHECK(entry.second ==
          doctest::Approx(result.at("breakdown_s").at(entry.first).get<double>()).epsilon(1e-9));
  }
}

/// Opens a page on a screen, on a phone and on paper; the document as its scripts leave it.
std::string opened(const std::string& file) {
  const std::string dom = in_browser(file).out;
  CHECK(dom.find("CONSOLE") == std::string::npos);
  CHECK(dom.find("</html>") != std::string::npos);
  CHECK(on_paper(file).find("CONSOLE") == std::string::npos);
  const int wide = width_on_phone(file);
  CHECK(wide > 300);
  CHECK(wide <= 390);
  return dom;
}

TEST_CASE("Pages open in a browser: charts drawn, nothing on the console") {
  if (!browser_here()) return;
  const TempFolder folder;
  folder.write("own.yaml", std::string(kOwnValidation));
  const std::string file = folder.file("page.html");
  using Charts = std::vector<std::pair<std::string, std::string>>;
  for (const auto& [command, charts] :
       {std::pair<std::string, Charts>{
            "run scenarios/nemotron4_340b_h100_2411.yaml --row fp8-128 --explain",
            {{"waterfall", "<svg"},
             {"memory", "<svg"},
             {"pipeline", "<canvas"},
             {"placement", "<canvas"}}},
        {"validate " + folder.file("own.yaml"),
         {{"errors-by-time", "<svg"}, {"errors-by-gpus", "<svg"}, {"breakdown-0", "<svg"}}},
        {"compare scenarios/llama31_8b_h100.yaml --row bf16-8 "
         "tests/measured/data/log-llama31-8b-step-49.out",
         {{"steps-0", "<svg"}}}}) {
    const std::string& shown = command;
    CAPTURE(shown);
    REQUIRE(run_simtrain(words(command + " --report " + file)).status == 0);
    const std::string dom = opened(file);
    for (const auto& [id, tag] : charts) {
      const std::string& chart = id;
      CAPTURE(chart);
      CHECK(drawn(dom, id, tag));
    }
  }
}

}  // namespace
}  // namespace simtrain::testing::report_test
