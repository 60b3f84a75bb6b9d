#include <algorithm>

#include <doctest/doctest.h>

#include "tests/cli/browser.h"

namespace simtrain::testing::tune_page_test {
namespace {

const std::string kScenario = " scenarios/llama31_8b_h100.yaml --row bf16-16 ";
const std::string kTune = "tune" + kScenario + "--set gbs=32 --limit cp=1,2 --limit mbs=1,2 ";
const std::string kScale = "scale" + kScenario + "--gpus 8:32:x2,12 ";

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST_CASE("tune and scale write their pages beside what they print") {
  const TempFolder folder;
  for (const std::string& command : {kTune, kScale}) {
    CAPTURE(command);
    const Outcome outcome = run_simtrain(words(command + "--report " + folder.file("r.html")));
    CHECK(outcome.status == 0);
    CHECK(outcome.err.empty());
    CHECK(outcome.out == run_simtrain(words(command)).out);
    const std::string page = read_file(folder.file("r.html"));
    CHECK(page.ends_with("</html>\n"));
    CHECK(page.size() < 2'000'000);
    run_simtrain(words(command + "--report " + folder.file("again.html")));
    CHECK(read_file(folder.file("again.html")) == page);
  }
}

TEST_CASE("where no plan fits the page says so, as the exit status does") {
  const TempFolder folder;
  const Outcome outcome =
      run_simtrain(words(kTune + "--memory-margin 99 --report " + folder.file("r.html")));
  CHECK(outcome.status == 1);
  CHECK(holds(read_file(folder.file("r.html")), "No plan fits"));
}

TEST_CASE("pages of tune and scale that cannot be written are refused") {
  const TempFolder folder;
  for (const std::string& command : {kTune, kScale}) {
    for (const std::string& path :
         {folder.path().string(), folder.file("none/r.html"), std::string("/dev/full")}) {
      const Outcome outcome = run_simtrain(words(command + "--report " + path));
      CHECK(outcome.status == 2);
      CHECK(outcome.out.empty());
      CHECK(std::count(outcome.err.begin(), outcome.err.end(), '\n') == 1);
    }
  }
  CHECK(std::filesystem::is_empty(folder.path()));
}

TEST_CASE("pages and plans do not take the place of scenarios and results") {
  const TempFolder folder;
  const std::string scenario = folder.file("m.yaml");
  const std::string other = folder.file("b.yaml");
  std::filesystem::copy_file("scenarios/llama31_8b_h100.yaml", scenario);
  const std::string before = read_file(scenario);
  const std::string page = " is there already, and no page of simtrain; --force replaces it";
  for (const auto& [options, message] : std::vector<std::pair<std::string, std::string>>{
           {"scale %m --gpus 8,16 --report %m", "--report: is the scenario; name another"},
           {"run %m --row bf16-8 --report %m", "--report: is the scenario; name another"},
           {"validate %m --report %m", "--report: is a file to validate; name another"},
           {"tune %m --row bf16-8 --report %m", "--report: is the scenario; name another"},
           {"tune %m --row bf16-8 --output %d/./m.yaml --force",
            "--output: is the scenario; name another"},
           {"tune %m --row bf16-8 --output %d/b.yaml --report %d/./b.yaml",
            "--report: is the file of --output; name another"},
           {"tune %m --row bf16-8 --output %d/none/b.yaml",
            "b.yaml: cannot be written: its folder: "},
           {"run %m --row bf16-8 --trace %d/t.json --report %d/../" +
                folder.path().filename().string() + "/t.json",
            "--report: is the file of --trace; name another"}}) {
    std::string command = options;
    for (const auto& [sign, value] : {std::pair{std::string("%m"), scenario},
                                      std::pair{std::string("%d"), folder.path().string()}}) {
      for (std::size_t at = command.find(sign); at != std::string::npos; at = command.find(sign))
        command.replace(at, sign.size(), value);
    }
    CAPTURE(command);
    const Outcome outcome = run_simtrain(words(command));
    CHECK(outcome.status == 2);
    CHECK(outcome.out.empty());
    CHECK(holds(outcome.err, message));
    CHECK(std::count(outcome.err.begin(), outcome.err.end(), '\n') == 1);
    CHECK(read_file(scenario) == before);
    CHECK(!std::filesystem::exists(other));
  }
}

TEST_CASE("pages of tune and scale open in a browser and on a phone") {
  if (!browser_here()) return;
  const TempFolder folder;
  const std::string file = folder.file("r.html");
  for (const auto& [command, charts] :
       {std::pair{kTune, std::vector<std::string>{"shares", "difference", "steps"}},
        std::pair{kTune + "--limit recompute=none --limit account=none --limit tp=2 --limit pp=1 "
                          "--limit cp=1 --limit mbs=1 --by mfu ",
                  std::vector<std::string>{"shares"}},
        std::pair{kTune + "--memory-margin 99 ", std::vector<std::string>{}},
        std::pair{kScale, std::vector<std::string>{"throughput", "efficiency", "shares"}},
        std::pair{"scale" + kScenario + "--gpus 12 ", std::vector<std::string>{}}}) {
    const std::string& shown = command;
    CAPTURE(shown);
    run_simtrain(words(command + "--report " + file));
    const std::string dom = in_browser(file).out;
    CHECK(!holds(dom, "CONSOLE"));
    CHECK(holds(dom, "</html>"));
    for (const std::string& chart : charts) {
      CAPTURE(chart);
      CHECK(drawn(dom, chart, "<svg"));
    }
    const int wide = width_on_phone(file);
    CHECK(wide > 300);
    CHECK(wide <= 390);
  }
}

}  // namespace
}  // namespace simtrain::testing::tune_page_test
