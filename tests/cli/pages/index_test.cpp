// simtrain index as a user types it.
#include <algorithm>
#include <regex>
#include <set>

#include <doctest/doctest.h>

#include "sim/output/results/result_kinds.h"
#include "tests/cli/browser.h"
#include "tests/core/checkout.h"
#include "tests/output/page.h"

namespace simtrain::testing::index_test {
namespace {

namespace fs = std::filesystem;

const std::string kStep = source_dir() + "/scenarios/llama31_8b_h100.yaml";

/// A folder of results, some of them broken.
class Results {
 public:
  Results() {
    fs::create_directories(folder.path() / "r/jobs/deep");
    print("run.json", {"run", kStep, "--row", "bf16-64", "--format", "json"});
    run({"run", kStep, "--row", "bf16-64", "--report", folder.file("r/a & b #1?.html")});
    const std::vector<std::string> sweep{"sweep", kStep, "--row", "bf16-64", "--vary", "tp=1,2"};
    print("jobs/sweep.json", with(sweep, {"--format", "json"}));
    print("jobs/sweep.csv", with(sweep, {"--format", "csv"}));
    run(with(sweep, {"--hdf5", folder.file("r/jobs/sweep.h5")}));
    print("jobs/deep/nccl.json", {"nccl", "gcp-a4", "--op", "all_reduce", "--gpus", "16", "--min",
                                  "1M", "--max", "4M", "--format", "json"});
    run({"topology", "gcp-a4", "--nodes", "2", "--svg", folder.file("r/a4.svg")});
    const std::string whole = read_file(folder.file("r/run.json"));
    folder.write("r/half.json", whole.substr(0, whole.size() / 2));
    folder.write("r/empty.json", "");
    folder.write("r/other.json", "{\"schema\": \"elsewhere/1\"}");
    folder.write("r/list.json", "[1, 2]");
    folder.write("r/odd.json", "{\"schema\": \"simtrain.result/1\", \"scenario\": 7}");
    folder.write("r/later.json", "{\"schema\": \"simtrain.dream/1\"}");
    folder.write("r/notes.txt", "<script>alert(1)</script>");
    folder.write("r/half.h5", read_file(folder.file("r/jobs/sweep.h5")).substr(0, 5000));
    std::string page = read_file(folder.file("r/a & b #1?.html"));
    page.insert(page.find("&quot;title&quot;"), "7,");
    folder.write("r/odd.html", page);
    folder.write("r/.hidden.json", whole);
  }

  Outcome run(std::vector<std::string> arguments) const {
    return run_simtrain(std::move(arguments), {folder.path().string(), {}, ""});
  }
  static std::vector<std::string> with(std::vector<std::string> one,
                                       const std::vector<std::string>& more) {
    one.insert(one.end(), more.begin(), more.end());
    return one;
  }

  TempFolder folder;

 private:
  void print(const std::string& name, std::vector<std::string> arguments) const {
    folder.write("r/" + name, run(std::move(arguments)).out);
  }
};

TEST_CASE("index makes a page of a folder: what each result is, its figures, a link") {
  const Results here;
  const Outcome outcome = here.run({"index", "r"});
  CHECK(outcome.status == 0);
  CHECK(outcome.err.empty());
  CHECK(has(outcome.out, "r/index.html: 7 results of 16 files\n"));
  CHECK(has(outcome.out, "  sweep (HDF5)                          1\n"));
  CHECK(has(outcome.out, "  half.json: broken: no whole JSON document\n"));
  const std::string page = read_file(here.folder.file("r/index.html"));
  check_whole(page);
  for (const char* part :
       {"<title>Results in r</title>", "<h2>Steps <span class=\"soft\">2 files</span></h2>",
        "<a href=\"run.json\">run.json</a>", "Llama 3.1 8B on H100, 8 to 128 GPUs [bf16-64]",
        "12.733 s", "60.28 %", "href=\"a%20%26%20b%20%231%3F.html\">a &amp; b #1?.html</a>",
        "href=\"jobs/sweep.h5\"", "best of 2 that fit, of 2 candidates",
        "all reduce on 16 GPUs of gcp-a4", "mean bus bandwidth", "drawing (SVG)",
        "HDF5 that is not as simtrain wrote it", "broken: not what its schema says",
        "of no schema that an index knows: simtrain.dream/1", "not made by simtrain"}) {
    CAPTURE(part);
    CHECK(has(page, part));
  }
  // JSON and page of one run say the same.
  CHECK(count(page, "64 GPUs of dgx-superpod-h100") == 2);
  // JSON and HDF5 of one sweep say the same.
  CHECK(count(page, "best of 2 that fit, of 2 candidates") == 2);
  CHECK(!has(page, "hidden"));
  CHECK(!has(page, "<script>alert"));
  // An index is not of itself, and equal folders give equal bytes.
  CHECK(here.run({"index", "r"}).status == 0);
  CHECK(read_file(here.folder.file("r/index.html")) == page);
}

TEST_CASE("index links from where the page lies, and takes the place of no other page") {
  const Results here;
  fs::create_directories(here.folder.path() / "pages");
  CHECK(here.run({"index", "r", "--output", "pages/all.html"}).status == 0);
  const std::string page = read_file(here.folder.file("pages/all.html"));
  CHECK(has(page, "href=\"../r/run.json\""));
  CHECK(has(page, "href=\"../r/jobs/deep/nccl.json\""));
  here.folder.write("r/index.html", read_file(here.folder.file("r/a & b #1?.html")));
  const Outcome taken = here.run({"index", "r"});
  CHECK(taken.status == 2);
  CHECK(has(taken.err, "r/index.html: is there already, and no index of simtrain; --force"));
  CHECK(here.run({"index", "r", "--force"}).status == 0);
  CHECK(has(read_file(here.folder.file("r/index.html")), "<title>Results in r</title>"));
  CHECK(here.run({"index", "r", "--output", "r/run.json"}).status == 2);
}

TEST_CASE("index of what is empty, deep, looped or not there") {
  const TempFolder folder;
  const auto index = [&](std::vector<std::string> more) {
    more.insert(more.begin(), "index");
    return run_simtrain(std::move(more), {folder.path().string(), {}, ""});
  };
  fs::create_directories(folder.path() / "empty");
  CHECK(index({"empty"}).status == 0);
  CHECK(has(read_file(folder.file("empty/index.html")), "No results of simtrain"));
  fs::create_directories(folder.path() / "a/b/c/d/e/f/g/h/i");
  folder.write("a/b/c/d/e/f/g/h/i/x.txt", "x");
  fs::create_directory_symlink("..", folder.path() / "a/b/loop");
  fs::create_symlink("nowhere", folder.path() / "a/dangling.json");
  CHECK(shell("mkfifo '" + folder.file("a/pipe.json") + "'").status == 0);
  folder.write("a/\xff\n.json", "{");
  const Outcome deep = index({"a"});
  CHECK(deep.status == 0);
  CHECK(has(deep.out, "b/c/d/e/f/g/h/i: more than 8 folders deep"));
  CHECK(has(read_file(folder.file("a/index.html")), "href=\"%FF%0A.json\""));
  const std::vector<std::pair<std::vector<std::string>, std::string>> wrong{
      {{}, "index takes one folder"},
      {{"a", "empty"}, "index takes one folder"},
      {{"none"}, "none: there is no such folder"},
      {{"a/b/c/d/e/f/g/h/i/x.txt"}, "is a file; an index is of a folder"},
      {{"a", "--output", "none/x.html"}, "none"},
      {{"a", "--output", ""}, "--output: names no file"}};
  for (const auto& [arguments, message] : wrong) {
    const Outcome outcome = index(arguments);
    CAPTURE(outcome.err);
    CHECK(outcome.status == 2);
    CHECK(has(outcome.err, message));
    CHECK(std::count(outcome.err.begin(), outcome.err.end(), '\n') == 1);
  }
}

TEST_CASE("index knows every schema and every page that simtrain writes") {
  std::set<std::string> schemas;
  std::set<std::string> pages;
  const std::regex schema("\"simtrain\\.([a-z-]+)/1\"");
  const std::regex page("html(?:_chart)?_page\\(\"([a-z-]+)\"");
  for (const auto& entry : fs::recursive_directory_iterator(source_dir() + "/sim/output")) {
    if (entry.path().extension() != ".cpp") continue;
    const std::string text = read_file(entry.path());
    for (const auto& [found, into] : {std::pair(schema, &schemas), std::pair(page, &pages)}) {
      for (std::sregex_iterator at(text.begin(), text.end(), found); at != std::sregex_iterator();
           ++at)
        into->insert((*at)[1]);
    }
  }
  CHECK(schemas.size() > 20);
  CHECK(pages.size() > 9);
  for (const std::string& name : schemas) {
    CAPTURE(name);
    const auto kinds = document_kinds();
    CHECK(std::any_of(kinds.begin(), kinds.end(),
                      [&](const DocumentKind& kind) { return kind.schema == name; }));
  }
  for (const std::string& name : pages) {
    CAPTURE(name);
    const auto kinds = report_page_kinds();
    CHECK(std::any_of(kinds.begin(), kinds.end(),
                      [&](const ReportPageKind& kind) { return kind.page == name; }));
  }
}

TEST_CASE("An index fits a phone") {
  if (!browser_here()) return;
  const Results here;
  CHECK(here.run({"index", "r"}).status == 0);
  CHECK(width_on_phone(here.folder.file("r/index.html")) <= 390);
}

}  // namespace
}  // namespace simtrain::testing::index_test
