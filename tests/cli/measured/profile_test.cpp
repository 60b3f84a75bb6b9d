#include <algorithm>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "tests/cli/browser.h"
#include "tests/cli/program.h"
#include "tests/core/checkout.h"
#include "tests/output/page.h"

namespace simtrain::testing::profile_test {
namespace {

using nlohmann::json;

const std::string kTable = source_dir() + "/tests/measured/data/nsys-kern-sum.csv";
const std::string kScenario = "scenarios/llama31_8b_h100.yaml";

Outcome profile(std::vector<std::string> more) {
  std::vector<std::string> arguments{"profile", kScenario, "--row", "bf16-8"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return run_simtrain(arguments);
}

struct Job {
  std::string scenario;
  std::string row;  ///< empty: no table
  std::vector<std::string> settings;
  std::string ranks;
};

TEST_CASE("What run writes of NCCL, profile reads back without a difference") {
  // The first is the flagship with CP 2, user buffers and FP8; then CP over two nodes, several
  // ranks.
  const std::vector<Job> jobs{
      {"scenarios/llama405b_a4_224.yaml", "", {}, "0,113,208"},
      {kScenario, "bf16-8", {"--set", "nodes=2", "--set", "cp=4"}, "all"},
      {"scenarios/llama31_70b_h100.yaml", "fp8-64", {"--set", "gbs=32"}, "0,63"}};
  for (const Job& job : jobs) {
    CAPTURE(job.scenario);
    const TempFolder folder;
    const std::string log = folder.file("nccl.log.gz");
    std::vector<std::string> common = job.settings;
    if (!job.row.empty()) common.insert(common.end(), {"--row", job.row});
    std::vector<std::string> run{"run", job.scenario,    "--nccl-trace",
                                 log,   "--trace-ranks", job.ranks};
    run.insert(run.end(), common.begin(), common.end());
    REQUIRE(run_simtrain(run).status == 0);
    std::vector<std::string> read{"profile", job.scenario, log, "--format", "json"};
    read.insert(read.end(), common.begin(), common.end());
    const Outcome outcome = run_simtrain(read);
    REQUIRE(outcome.status == 0);
    const json document = json::parse(outcome.out);
    CHECK(document.at("schema") == "simtrain.profile/1");
    const json& one = document.at("profiles").at(0);
    CHECK(one.at("skipped_lines") == 0);
    CHECK(one.at("comparisons").size() >= 2);
    for (const json& comparison : one.at("comparisons")) {
      CHECK(comparison.at("steps") == 1);
      CHECK(comparison.at("calls").size() >= 3);
      for (const json& call : comparison.at("calls"))
        CHECK(call.at("predicted") == call.at("logged"));
    }
  }
}

TEST_CASE(
    "A log of several steps gives their number, and what is missing or more in it is marked") {
  const TempFolder folder;
  const std::string log = folder.file("nccl.log");
  REQUIRE(run_simtrain({"run", kScenario, "--row", "bf16-8", "--nccl-trace", log}).status == 0);
  const std::string once = read_file(log);
  folder.write("three.log", once + once + once);
  const Outcome three = profile({folder.file("three.log")});
  CHECK(three.status == 0);
  CHECK(three.out.find("Steps             3: by 7 of 7 kinds of calls") != std::string::npos);
  CHECK(three.out.find("7 of 7 kinds as predicted") != std::string::npos);
  std::string other;
  std::istringstream lines(once);
  for (std::string line; std::getline(lines, line);) {
    if (line.find("[nranks=8] stream") != std::string::npos &&
        line.find("AllReduce") != std::string::npos)
      continue;
    other += line + "\n";
  }
  other +=
      "node0:1000:1000 [0] NCCL INFO Broadcast: opCount 0 sendbuff (nil) recvbuff (nil) count 77 "
      "datatype 7 op 0 root 0 comm 0x1 [nranks=8] stream 0x1\n"
      "node0:1000:1000 [0] NCCL INFO Broadcast: opCount 0 sendbuff (nil) recv\n";
  folder.write("other.log", other);
  const Outcome changed = profile({folder.file("other.log")});
  CHECK(changed.status == 0);
  CHECK(changed.out.find("1       0 missing") != std::string::npos);
  CHECK(changed.out.find("0       1 extra") != std::string::npos);
  CHECK(changed.out.find("Skipped 1 of") != std::string::npos);
  CHECK(changed.out.find("its count is missing, cut off or no number") != std::string::npos);
}

TEST_CASE("Many differing calls are cut short, and processes that are alike are listed once") {
  const TempFolder folder;
  std::string log;
  for (const int process : {0, 1}) {
    const std::string name = "node0:100" + std::to_string(process) + ":1 [0] NCCL INFO ";
    log += name + "x comm 0x1 rank " + std::to_string(process) + " nranks 8 Init COMPLETE\n";
    for (int count = 1; count <= 30; ++count)
      log += name + "AllReduce: opCount 0 count " + std::to_string(1000 + count) +
             " datatype 7 op 0 [nranks=8] stream 0x1\n";
  }
  folder.write("two.log", log);
  const Outcome outcome = profile({folder.file("two.log"), "--steps", "1"});
  CHECK(outcome.status == 0);
  CHECK(outcome.out.find("17 more differ; --format json has all") != std::string::npos);
  CHECK(outcome.out.find("Calls             as of process node0:1000\n") != std::string::npos);
  const Outcome one = profile({folder.file("two.log"), "--steps", "1", "--rank", "1"});
  CHECK(one.out.find("process node0:1001") != std::string::npos);
  CHECK(one.out.find("process node0:1000") == std::string::npos);
}

TEST_CASE("Kernels of nsys stats beside predicted ones, by kind") {
  const Outcome text = profile({kTable});
  CHECK(text.status == 0);
  CHECK(text.err.empty());
  CHECK(text.out.find("Steps             4: by 3 of 3 kinds of collectives") != std::string::npos);
  CHECK(text.out.find("_histogram_of_tokens") != std::string::npos);
  const Outcome outcome = profile({kTable, "--format", "json", "--rank", "3", "--steps", "2"});
  REQUIRE(outcome.status == 0);
  const json comparison = json::parse(outcome.out).at("profiles").at(0).at("comparisons").at(0);
  CHECK(comparison.at("rank") == 3);
  CHECK(comparison.at("steps") == 2);
  CHECK(comparison.at("unclassified").at(0).at("calls") == 4);
  const json& kernels = comparison.at("kernels");
  const auto gemm = std::find_if(kernels.begin(), kernels.end(),
                                 [](const json& row) { return row.at("kind") == "gemm"; });
  REQUIRE(gemm != kernels.end());
  CHECK(gemm->at("measured_s").get<double>() == doctest::Approx(17.6));
  CHECK(gemm->at("measured_calls") == 24608);
  CHECK(gemm->at("predicted_s").get<double>() > 8);
  CHECK(gemm->at("predicted_s").get<double>() < 9);
}

TEST_CASE("A trace of torch.profiler, plain and packed, names its rank and its steps") {
  const TempFolder folder;
  const std::string trace = source_dir() + "/tests/measured/data/kineto-rank3.json";
  const std::string packed = folder.file("trace.json.gz");
  REQUIRE(shell("gzip -c '" + trace + "' > '" + packed + "'").status == 0);
  for (const std::string& path : {trace, packed}) {
    const Outcome outcome = profile({path, "--format", "json"});
    REQUIRE(outcome.status == 0);
    const json one = json::parse(outcome.out).at("profiles").at(0);
    CHECK(one.at("format") == "kineto-trace");
    CHECK(one.at("comparisons").at(0).at("rank") == 3);
    CHECK(one.at("comparisons").at(0).at("steps") == 2);
  }
  const std::string whole = read_file(packed);
  folder.write("half.json.gz", whole.substr(0, whole.size() - 20));
  const Outcome half = profile({folder.file("half.json.gz")});
  CHECK(half.status == 0);
  CHECK(half.out.find("the compressed data ends too early") != std::string::npos);
}

TEST_CASE("A trace says how long the GPU was busy, beside the prediction") {
  const std::string trace = source_dir() + "/tests/measured/data/kineto-rank3.json";
  const json one = json::parse(profile({trace, "--format", "json"}).out)
                       .at("profiles")
                       .at(0)
                       .at("comparisons")
                       .at(0);
  CHECK(one.at("measured_busy_s") > 0);
  CHECK(one.at("measured_busy_s") <= one.at("measured_s"));
  CHECK(one.at("predicted_busy_s") > 0);
  CHECK(one.at("predicted_busy_s") <= one.at("predicted_s"));
  CHECK(profile({trace}).out.find("  GPU busy          ") != std::string::npos);
  const json table = json::parse(profile({kTable, "--format", "json"}).out);
  CHECK(table.at("profiles").at(0).at("comparisons").at(0).at("measured_busy_s").is_null());
}

TEST_CASE("profile --report is a page of what the text says") {
  const TempFolder folder;
  const std::string log = folder.file("nccl.log");
  REQUIRE(run_simtrain({"run", kScenario, "--row", "bf16-8", "--nccl-trace", log}).status == 0);
  folder.write("three.log", read_file(log) + read_file(log) + read_file(log));
  const std::string trace = source_dir() + "/tests/measured/data/kineto-rank3.json";
  const std::string page = folder.file("profile.html");
  const Outcome outcome = profile({kTable, trace, folder.file("three.log"), "--report", page});
  CHECK(outcome.status == 0);
  CHECK(outcome.err.empty());
  CHECK(outcome.out == profile({kTable, trace, folder.file("three.log")}).out);
  const std::string text = read_file(page);
  check_whole(text);
  for (const char* part :
       {"<h3>Kernels in a step, by kind</h3>", "<h3>Busy and idle</h3>",
        "The profile gives no times of single kernels", "<h3>Calls of NCCL</h3>",
        "7 of 7 kinds as predicted", "<h3>Kernels of no known kind</h3>", "_histogram_of_tokens"}) {
    CAPTURE(part);
    CHECK(has(text, part));
  }
  CHECK(data_of(text).at("kernels").size() == 2);
  CHECK(profile({kTable, "--report", page}).status == 0);  // takes the place of its own pages
  CHECK(profile({kTable, "--report", kTable}).status == 2);
  CHECK(profile({kTable, "--report", log}).status == 2);
  CHECK(profile({kTable, "--force"}).status == 2);
  CHECK(run_simtrain({"profile", kTable, "--report", page})
            .err.find("--report: goes with a scenario") != std::string::npos);
  // A log of calls alone has no charts.
  CHECK(profile({folder.file("three.log"), "--report", page}).status == 0);
  CHECK(!has(read_file(page), "id=\"data\""));
  if (!browser_here()) return;
  CHECK(profile({kTable, "--report", page}).status == 0);
  const std::string dom = in_browser(page).out;
  CHECK(!has(dom, "Uncaught"));
  CHECK(drawn(dom, "kernels-0", "<svg"));
  CHECK(width_on_phone(page) <= 390);
}

TEST_CASE("Predicted kernels fill the step of a rank that waits for nobody") {
  const Outcome outcome = profile({kTable, "--format", "json"});
  const json comparison = json::parse(outcome.out).at("profiles").at(0).at("comparisons").at(0);
  double busy = 0;
  for (const json& row : comparison.at("kernels")) {
    const auto kind = row.at("kind").get<std::string>();
    if (!kind.starts_with("nccl")) busy += row.at("predicted_s").get<double>();
  }
  const json report =
      json::parse(run_simtrain({kScenario, "--row", "bf16-8", "--format", "json"}).out);
  const double step = report.at("step_time_s").at("mean").get<double>();
  CHECK(busy < step);
  CHECK(busy > 0.95 * step);
}

TEST_CASE("Profiles that cannot be compared are refused in one line") {
  const TempFolder folder;
  folder.write("empty", "");
  folder.write("text", "no profile\nat all\n");
  folder.write("quiet.log", "node0:1:1 [0] NCCL INFO NCCL version 2.25.1\n");
  folder.write("odd.csv",
               "Time (%),Total Time (ns),Instances,Name\n1,5,7,ncclDevKernel_AllGather\n");
  folder.write("bad.csv", "Time (%),Total Time (ns),Instances,Name\n1,x,7,a\n");
  std::string two;
  for (const int process : {1, 2})
    two += "n:" + std::to_string(process) +
           ":1 [0] NCCL INFO AllReduce: opCount 0 count 1 datatype 7 [nranks=8] stream 0x1\n";
  folder.write("two.log", two);
  const std::string no_format =
      "is no log of NCCL calls (nccl-log), no CSV of nsys stats (nsys-csv), no SQLite export of "
      "nsys (nsys-sqlite) and no trace of torch.profiler (kineto-trace)";
  const std::vector<std::pair<std::vector<std::string>, std::string>> wrong{
      {{}, "profile takes profiles, with or without a scenario before them"},
      {{folder.file("none")}, "there is no such file"},
      {{folder.file("empty")}, no_format},
      {{folder.file("text")}, no_format},
      {{kTable, folder.file("text")}, no_format},
      {{folder.file("quiet.log")},
       "holds no call of NCCL that can be read; NCCL_DEBUG_SUBSYS=INIT,COLL logs them"},
      {{folder.file("odd.csv")}, "--steps: marks no steps"},
      {{folder.file("bad.csv")}, "skipped 1 of 2 lines, first line 2: its time"},
      {{folder.file("two.log")}, "calls of 2 processes whose ranks are unknown"},
      {{kTable, "--profile-format", "nccl-log"}, "holds no call of NCCL"},
      {{kTable, "--profile-format", "nccl-lg"}, "did you mean 'nccl-log'?"},
      {{kTable, "--rank", "8"}, "--rank: there is no 8; 0 to 7 would do"},
      {{kTable, "--rank", "-1"}, "--rank: must be a whole number of 0 or more"},
      {{kTable, "--steps", "0"}, "--steps: must be a whole number from 1 to 1e9"},
      {{kTable, "--steps", "x"}, "for option '--steps' is invalid"},
      {{kTable, "--format", "csv"}, "text or json would do"}};
  for (const auto& [arguments, message] : wrong) {
    const Outcome outcome = profile(arguments);
    CAPTURE(outcome.err);
    CHECK(outcome.status == 2);
    CHECK(outcome.out.empty());
    CHECK(outcome.err.find(message) != std::string::npos);
    CHECK(std::count(outcome.err.begin(), outcome.err.end(), '\n') == 1);
  }
  const Outcome table = run_simtrain({"profile", kScenario, kTable});
  CHECK(table.status == 2);
  CHECK(table.err.find("the scenario has a table") != std::string::npos);
}

TEST_CASE("Profiles alone are summarized") {
  const Outcome text = run_simtrain({"profile", kTable});
  CHECK(text.status == 0);
  for (const char* part : {"nsys-kern-sum.csv (nsys-csv)", "Kernels by kind", "  gemm ",
                           "Those that take longest", "not marked"}) {
    CAPTURE(part);
    CHECK(text.out.find(part) != std::string::npos);
  }
  std::istringstream lines(text.out);
  for (std::string line; std::getline(lines, line);) {
    if (line.find(kTable) == std::string::npos) CHECK(line.size() <= 80);
  }
  const json summary = json::parse(run_simtrain({"profile", kTable, "--format", "json"}).out);
  CHECK(summary.at("scenario").is_null());
  const json compared = json::parse(profile({kTable, "--format", "json"}).out);
  const json& kernels = compared.at("profiles").at(0).at("comparisons").at(0).at("kernels");
  const double steps = compared.at("profiles").at(0).at("comparisons").at(0).at("steps");
  double expected = 0;
  for (const json& row : kernels) expected += row.at("measured_s").get<double>() * steps;
  double sum = 0;
  for (const json& row : summary.at("profiles").at(0).at("kernels"))
    sum += row.at("time_s").get<double>();
  CHECK(sum == doctest::Approx(expected));
  for (const json& row : kernels) {
    const double predicted = row.at("predicted_s");
    const double measured = row.at("measured_s");
    if (predicted > 0 && measured > 0)
      CHECK(row.at("error").get<double>() == doctest::Approx(predicted / measured - 1));
    else
      CHECK(row.at("error").is_null());
  }
}

TEST_CASE("A log of several processes whose ranks are unknown is summarized") {
  const TempFolder folder;
  std::string log;
  for (const char* process : {"node0:10:11", "node0:20:21"})
    log += std::string(process) +
           " [0] NCCL INFO AllGather: opCount 1 sendbuff 0x1 recvbuff 0x2 count 2097152 datatype 7 "
           "op 0 root 0 comm 0x3 [nranks=2] stream 0x4\n";
  folder.write("nccl.log", log);
  const Outcome text = run_simtrain({"profile", folder.file("nccl.log")});
  CHECK(text.status == 0);
  CHECK(text.out.find("Calls of NCCL by process node0:10, by kind and size") != std::string::npos);
  CHECK(text.out.find("process node0:20 calls the same as node0:10") != std::string::npos);
  const Outcome wrong = run_simtrain({"profile", folder.file("nccl.log"), "--steps", "3"});
  CHECK(wrong.status == 2);
  CHECK(wrong.err.starts_with("simtrain: --steps: goes with a scenario"));
}

}  // namespace
}  // namespace simtrain::testing::profile_test
