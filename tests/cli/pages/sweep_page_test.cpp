#include <doctest/doctest.h>

#include "tests/cli/browser.h"
#include "tests/cli/sweep_runs.h"

namespace simtrain::testing::sweep_page_test {
namespace {

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST_CASE("a sweep's page is the same at any number of threads, and the text stays") {
  const TempFolder folder;
  const std::string text = run_simtrain(cheap_sweep(48)).out;
  for (const std::string jobs : {"1", "3"}) {
    const Outcome outcome =
        run_simtrain(with(cheap_sweep(48), {"--jobs", jobs, "--report", folder.file(jobs)}));
    CHECK(outcome.status == 0);
    CHECK(outcome.err.empty());
    CHECK(outcome.out == text);
  }
  const std::string page = read_file(folder.file("1"));
  CHECK(page.starts_with("<!doctype html>"));
  CHECK(page.ends_with("</html>\n"));
  CHECK(page == read_file(folder.file("3")));
  CHECK(std::distance(std::filesystem::directory_iterator(folder.path()), {}) == 2);
}

TEST_CASE("a finished sweep gets its page later, from any of its files") {
  const TempFolder folder;
  CHECK(run_simtrain(with(cheap_sweep(48), {"--report", folder.file("at-once.html")})).status == 0);
  for (const std::string name : {"plans.h5", "plans.csv", "plans.json"}) {
    CAPTURE(name);
    const std::string file = folder.file(name);
    const auto files = std::vector<std::string>{name.ends_with("h5") ? "--hdf5" : "--output", file};
    CHECK(run_simtrain(with(cheap_sweep(48), files)).status == 0);
    const auto again =
        with(with(cheap_sweep(48), files), {"--resume", "--report", folder.file("later.html")});
    Outcome outcome = run_simtrain(again);
    CHECK(outcome.status == 0);
    CHECK(outcome.out == file + " is complete already\n");
    CHECK(read_file(folder.file("later.html")) == read_file(folder.file("at-once.html")));
    std::filesystem::remove(folder.file("later.html"));
    const std::string whole = read_file(file);
    folder.write(name, whole.substr(0, whole.size() - whole.size() / 4));
    outcome = run_simtrain(again);
    CHECK(outcome.status == 2);
    CHECK(std::count(outcome.err.begin(), outcome.err.end(), '\n') == 1);
    CHECK(!std::filesystem::exists(folder.file("later.html")));
  }
}

TEST_CASE("a page that cannot be written is refused before anything is simulated") {
  const TempFolder folder;
  const std::string csv = folder.file("p.csv");
  const std::vector<std::pair<std::vector<std::string>, std::string>> wrong{
      {{"--report", folder.path().string()}, "is no regular file"},
      {{"--report", folder.file("none/r.html")}, "cannot be written: its folder: "},
      {{"--report", "/dev/full"}, "is no regular file"},
      {{"--report", ""}, "--report: names no file"},
      {{"--report", csv, "--output", csv}, "--report: is the file of --output"},
      {{"--report", csv, "--output", folder.file("./p.csv")}, "--report: is the file of --output"},
      {{"--hdf5", csv, "--output", folder.file("./p.csv")}, "--output: is the file of --hdf5"},
      {{"--output", csv, "--report", csv + ".journal"}, "--report: is the journal of the sweep"},
      {{"--output", "./scenarios/llama31_8b_h100.yaml", "--format", "csv", "--force"},
       "--output: is the scenario"},
      {{"--report", "./scenarios/llama31_8b_h100.yaml"}, "--report: is the scenario"},
      {{"--report", "README.md"},
       "README.md: is there already, and no page of simtrain; --force replaces it"}};
  for (const auto& [options, message] : wrong) {
    const std::string& text = message;
    CAPTURE(text);
    const Outcome outcome = run_simtrain(with(cheap_sweep(4000), options));
    CHECK(outcome.status == 2);
    CHECK(outcome.out.empty());
    CHECK(std::count(outcome.err.begin(), outcome.err.end(), '\n') == 1);
    CHECK(holds(outcome.err, message));
  }
  CHECK(std::filesystem::is_empty(folder.path()));
}

TEST_CASE("a sweep that is stopped leaves the page of what is done") {
  const TempFolder folder;
  const std::string h5 = folder.file("plans.h5");
  Running run(simtrain_command(
      with(cheap_sweep(40000), {"--hdf5", h5, "--report", folder.file("r.html")})));
  REQUIRE(has_lines(h5 + ".journal", 20));
  run.signal(SIGINT);
  CHECK(run.finish().status == 130);
  CHECK(holds(read_file(folder.file("r.html")), " of 40000 candidates are done"));
}

TEST_CASE("a sweep's page opens in a browser and on a phone, whatever it holds") {
  if (!browser_here()) return;
  const TempFolder folder;
  const std::string base = "sweep scenarios/llama31_8b_h100.yaml --row bf16-64 ";
  for (const char* varied :
       {"--vary tp=1,2,4,3 --vary mbs=1,2 --vary nodes=2,4,8 --vary gbs=128,256", "--vary tp=1,2",
        "--vary tp=3,5 --vary mbs=1,2", "--vary tp=1",
        "--vary tp=1 --vary optimizer.bucket_size_mb=1:25000"}) {
    CAPTURE(varied);
    const std::string file = folder.file("r.html");
    REQUIRE(run_simtrain(with(words(base + "--set model_overrides.num_layers=2 " + varied),
                              {"--report", file}))
                .status == 0);
    const std::string dom = in_browser(file).out;
    CHECK(!holds(dom, "CONSOLE"));
    CHECK(holds(dom, "</html>"));
    CHECK(holds(dom, "aria-sort"));
    const bool legal = !holds(varied, "tp=3,5");
    const bool one = std::string(varied) == "--vary tp=1";
    const bool mapped = !one && !holds(varied, "25000");
    CHECK(holds(dom, ">No map: there is one candidate.") == one);
    CHECK(holds(dom, ">No map: the one key that varies has too many values.") == (!mapped && !one));
    CHECK(holds(dom, ">Each cell is ") == mapped);
    CHECK(holds(dom, ">The best by two keys<") == (mapped && holds(varied, "mbs")));
    CHECK(holds(dom, ">The best by tp<") == (mapped && !holds(varied, "mbs")));
    CHECK(holds(dom, "<select><option value=\"step\">") == mapped);
    for (const auto& [id, there] : {std::pair{"map", mapped}, std::pair{"front", legal}}) {
      const auto& shown = id;
      CAPTURE(shown);
      const std::size_t at = dom.find("id=\"" + std::string(id) + "\"");
      CHECK((at != std::string::npos) == there);
      if (there) CHECK(holds(dom.substr(at, 1500), "<canvas"));
    }
    const int wide = width_on_phone(file);
    CHECK(wide > 300);
    CHECK(wide <= 390);
  }
}

TEST_CASE("a reader chooses the keys of the map, sorts and filters") {
  if (!browser_here()) return;
  const TempFolder folder;
  const std::string file = folder.file("r.html");
  REQUIRE(run_simtrain(with(words("sweep scenarios/llama31_8b_h100.yaml --row bf16-64 --vary "
                                  "tp=1,2,4,3 --vary mbs=1,2 --vary nodes=2,4,8"),
                            {"--report", file}))
              .status == 0);
  std::ofstream(file, std::ios::app) << R"(<script>
const shown = [];
const show = () => shown.push([...document.querySelectorAll("#rows tr:nth-child(2) td")].map(cell => cell.textContent)
  .slice(0, 4).join(",") + " of " + document.querySelectorAll("#rows tr").length);
const choose = (id, i, value) => {
  const select = document.querySelectorAll("#" + id + " select")[i];
  select.value = value;
  select.dispatchEvent(new Event("change"));
};
choose("map-fields", 0, "memory");
choose("map-fields", 1, "0");
shown.push([...document.querySelectorAll("#map-fields select")].map(select => select.value).join());
choose("row-fields", 3, "");
show();
choose("row-fields", 0, "1");
document.querySelectorAll("#rows th button")[2].click();
document.querySelectorAll("#rows th button")[2].click();
show();
choose("row-fields", 3, "2");
show();
document.title = "shown " + shown.join("; ");
</script>)";
  const std::string dom = in_browser(file).out;
  CHECK(!holds(dom, "CONSOLE"));
  CHECK(holds(dom, "<title>shown memory,0,1; 1,2,8,64 of 25; 2,1,8,64 of 7;  of 1</title>"));
}

}  // namespace
}  // namespace simtrain::testing::sweep_page_test
