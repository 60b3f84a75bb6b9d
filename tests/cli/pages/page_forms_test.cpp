// What holds for every kind of page: nothing is cut off, data are saved, what it says is known.

#include <filesystem>
#include <regex>
#include <set>
#include <utility>

#include <doctest/doctest.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "tests/cli/browser.h"
#include "tests/cli/own_validation.h"
#include "tests/output/page.h"

namespace simtrain::testing::page_forms_test {
namespace {

struct PageCase {
  std::string kind;
  std::string command;
  int status = 0;
};

const std::string kStep = "scenarios/llama31_8b_h100.yaml --row bf16-16 ";
const std::string kTune = "tune " + kStep + "--set gbs=32 --limit cp=1,2 --limit mbs=1,2 ";

/// Every kind of page but the index.
std::vector<PageCase> pages(const TempFolder& folder) {
  folder.write("own.yaml", std::string(kOwnValidation));
  folder.write(
      "untimed.txt",
      "# Collective test starting: all_reduce_perf\n"
      "#  Rank  0 Group  0 Pid 4100 on node-a device  0 [0000:1b:00] NVIDIA H100 80GB HBM3\n"
      "#  Rank  1 Group  0 Pid 4101 on node-a device  1 [0000:2b:00] NVIDIA H100 80GB HBM3\n"
      "#       size         count      type   redop    root     time   algbw   busbw #wrong"
      "     time   algbw   busbw #wrong\n"
      "     1048576        262144     float     sum      -1      N/A     N/A     N/A    N/A"
      "      N/A     N/A     N/A    N/A\n");
  return {
      {"run", "run scenarios/nemotron4_340b_h100_2411.yaml --row fp8-128 --explain --kernels"},
      {"run", "run scenarios/llama31_405b_job_h100.yaml --job --set job.runs=50"},
      {"difference",
       "run scenarios/llama31_70b_h100.yaml --row fp8-64 --against "
       "scenarios/llama31_70b_h100.yaml --against-row bf16-64"},
      {"sweep", "sweep " + kStep + "--set gbs=32 --vary tp=1,2,4 --vary pp=1,2,4 --vary mbs=1,2"},
      {"tune", kTune},
      {"tune", kTune + "--memory-margin 99", 1},
      {"front", kTune + "--objectives step_time,memory"},
      {"scale", "scale " + kStep + "--gpus 8:32:x2,12"},
      {"goodput", "goodput scenarios/llama31_405b_job_h100.yaml --set job.runs=50"},
      {"share", "share scenarios/jobs/three_on_a_clos.yaml --place-last"},
      {"nccl",
       "nccl dgx-superpod-h100 --op all_reduce --gpus 16 --min 1K --max 1G --factor 4 "
       "--measured tests/measured/data/nccl-tests-all-reduce.txt"},
      {"nccl-validation", "validate --nccl"},
      {"nccl-validation",
       "validate --nccl tests/measured/data/nccl-tests-all-reduce.txt --cluster "
       "dgx-superpod-h100"},
      {"nccl-validation",
       "validate --nccl " + folder.file("untimed.txt") + " --cluster dgx-superpod-h100"},
      {"topology", "topology gcp-a4 --nodes 2"},
      {"topology", "topology scenarios/llama405b_a4_224.yaml --highlight tp --from 0 --to 130"},
      {"profile",
       "profile scenarios/llama31_8b_h100.yaml --row bf16-8 "
       "tests/measured/data/kineto-rank3.json tests/measured/data/nsys-kern-sum.csv"},
      {"metrics",
       "metrics tests/measured/data/log-llama31-8b-step-49.out --scenario "
       "scenarios/llama31_8b_h100.yaml --row bf16-8"},
      {"metrics",
       "metrics tests/measured/data/log-llama31-8b-step-49.out "
       "tests/measured/data/dllogger-step-12.json README.md",
       1},
      {"comparison",
       "compare scenarios/llama31_8b_h100.yaml --row bf16-8 "
       "tests/measured/data/log-llama31-8b-step-49.out"},
      {"validation", "validate"},
      {"validation", "validate " + folder.file("own.yaml")}};
}

/// A page that was written, and what its command prints as JSON, but for the time that it took.
struct MadePage {
  PageCase made_of;
  std::string file;
  std::string json;
};

MadePage make_page(const PageCase& one, const std::string& file) {
  const std::string& command = one.command;
  CAPTURE(command);
  const Outcome outcome = run_simtrain(words(command + " --format json --report " + file));
  CHECK(outcome.status == one.status);
  return {one, file,
          std::regex_replace(outcome.out, std::regex("\"wall_s\": *[^,\n}]*"), "\"wall_s\": 0")};
}

/// All of them, made once: numbered, in a folder of nothing else.
const std::vector<MadePage>& made_pages() {
  static const TempFolder folder;
  static const std::vector<MadePage> made = [] {
    std::filesystem::create_directory(folder.file("html"));
    std::vector<MadePage> all;
    for (const PageCase& one : pages(folder))
      all.push_back(make_page(one, folder.file("html/" + std::to_string(all.size()) + ".html")));
    return all;
  }();
  return made;
}

/// What a browser, which leaves files beside it, makes of a page.
nlohmann::json in_frames(const MadePage& page) {
  const TempFolder folder;
  const std::string file = folder.file("page.html");
  std::filesystem::copy_file(page.file, file);
  return page_in_frames(file);
}

TEST_CASE(
    "A page carries the JSON of its command, is for readers of all kinds, and says what it shows") {
  for (const MadePage& made : made_pages()) {
    const PageCase& one = made.made_of;
    const std::string& command = one.command;
    CAPTURE(command);
    const std::string page = read_file(made.file);
    check_whole(page);
    CHECK(nlohmann::json::parse(script_of(page, "result")) == nlohmann::json::parse(made.json));
    CHECK(has(page, "download=\"" + one.kind + ".json\""));
    CHECK(count(page, "<main>") == 1);
    CHECK(count(page, "<h1>") == 1);
    CHECK(count(page, "<th>") == 0);
    CHECK(count(page, "<th ") == count(page, " scope=\"col\""));
    CHECK(count(page, "<div class=\"scroll\">") == 0);
    CHECK(has(page, "<meta name=\"simtrain-says\" content=\"[{&quot;title&quot;:"));
  }
}

TEST_CASE(
    "In a browser no page is cut off at 400 or 1400 pixels, and what it saves is the JSON, byte "
    "for byte") {
  if (!browser_here()) return;
  for (const MadePage& made : made_pages()) {
    const PageCase& one = made.made_of;
    const std::string& command = one.command;
    CAPTURE(command);
    const nlohmann::json found = in_frames(made);
    CHECK(found.at("cut").dump() == "[]");
    CHECK(found.at("unnamed").dump() == "[]");
    CHECK(found.at("saved").at(one.kind + ".json") == made.json);
    for (const auto& saved : found.at("saved").items()) {
      const std::string& name = saved.key();
      CAPTURE(name);
      CHECK(!saved.value().get<std::string>().empty());
      CHECK(name.starts_with(one.kind));
    }
  }
}

TEST_CASE("What charts on a canvas show stands in tables, filled when they are opened") {
  if (!browser_here()) return;
  const nlohmann::json saved = in_frames(made_pages().front()).at("saved");
  const std::string passes = saved.at("run-pipeline-passes-as-a-table.csv");
  CHECK(passes.starts_with("begins at,takes,what,micro-batch,chunk\r\n"));
  CHECK(count(passes, ",forward,") > 100);
  CHECK(count(passes, ",backward,") > 100);
  const std::string memory =
      saved.at("run-memory-over-the-same-stretch-memory-over-time-as-a-table.csv");
  CHECK(memory.starts_with("at,allocated\r\n"));
  CHECK(count(memory, " GB\r\n") > 20);
  const std::string ranks = saved.at("run-ranks-by-host-ranks-as-a-table.csv");
  CHECK(ranks.starts_with("GPU,rank,TP,CP,DP,PP\r\n0,0,0,0,0,0\r\n"));
  CHECK(count(ranks, "\r\n") == 9);
  CHECK(saved.at("run-cluster.svg").get<std::string>().starts_with("<svg "));
}

TEST_CASE("The CSV of a sweep has all rows that pass, not those that are shown") {
  if (!browser_here()) return;
  const TempFolder folder;
  const std::string file = folder.file("page.html");
  CHECK(run_simtrain(words("sweep " + kStep +
                           "--set gbs=512 --vary mbs=1:32 --vary tp=1,2,4,8 --report " + file))
            .status == 0);
  const std::string rows = page_in_frames(file).at("saved").at("sweep-all-candidates.csv");
  CHECK(rows.starts_with(
      "mbs,tp,GPUs,DP,step time,90 % interval,tokens/s,MFU,memory,row,status\r\n"));
  CHECK(count(rows, "\r\n") > 10);
}

/// What an index of a folder says of its results: step time, MFU, the sentence.
std::string index_of(const std::string& of) {
  const TempFolder folder;
  const std::string file = folder.file("index.html");
  CHECK(run_simtrain({"index", of, "--output", file}).status == 0);
  const std::string page = read_file(file);
  const std::regex cell("data-label=\"(step time|MFU|says)\">([^<]*)<");
  std::multiset<std::string> lines;
  std::string line;
  for (std::sregex_iterator at(page.begin(), page.end(), cell), end; at != end; ++at) {
    line += (*at)[2].str() + " ";
    if ((*at)[1] == "says") lines.insert(std::exchange(line, ""));
  }
  return fmt::format("{}", fmt::join(lines, "\n"));
}

TEST_CASE("An index of pages gives step time, MFU and what they say, as of their JSON") {
  const TempFolder jsons;
  for (const MadePage& made : made_pages())
    jsons.write(std::filesystem::path(made.file).stem().string() + ".json", made.json);
  const std::filesystem::path pages = made_pages().front().file;
  const std::string pages_say = index_of(pages.parent_path().string());
  CHECK(pages_say == index_of(jsons.path().string()));
  CHECK(has(pages_say, "goodput 96.8 %"));
  CHECK(has(pages_say, "mean bus bandwidth"));
}

}  // namespace
}  // namespace simtrain::testing::page_forms_test
