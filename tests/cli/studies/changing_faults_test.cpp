#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "tests/cli/program.h"
#include "tests/core/checkout.h"

namespace simtrain::testing::changing_faults_test {
namespace {

const std::string kRun =
    "run " + source_dir() + "/scenarios/llama31_70b_h100.yaml --row bf16-64 --set gbs=16 ";

Outcome typed(const std::string& arguments) { return shell("$SIMTRAIN " + arguments); }

std::string with_fault(const std::string& times) {
  return std::string("--set 'cluster.faults.gpus=[{host: 3, gpu: 5, slowdown: 1.5") + times +
         "}]' ";
}

}  // namespace

TEST_CASE("A run says which steps a fault that comes and goes slows, as text and as JSON") {
  const Outcome text = typed(kRun + with_fault(", start: 2.5 s, for: 4 s"));
  CHECK(text.status == 0);
  CHECK(text.out.find("kernels take 1.5 times as long, from 2.5 s") != std::string::npos);
  CHECK(text.out.find("step 1, from 0 s on") != std::string::npos);
  CHECK(text.out.find("and all after it") != std::string::npos);
  const Outcome outcome = typed(kRun + with_fault(", start: 2.5 s, for: 4 s") + "--format json");
  const auto json = nlohmann::json::parse(outcome.out);
  const auto& rows = json.at("steps_in_row");
  REQUIRE(rows.size() >= 4);
  CHECK(rows.front().at("slower_s") == 0);
  CHECK(rows.front().at("step_time_s") == json.at("step_time_s").at("mean"));
  CHECK(rows[1].at("slower_s") > 0);
  CHECK(rows.back().at("count") == 0);
  CHECK(rows.back().at("slower_s") == 0);
}

TEST_CASE("A run without such faults says nothing of steps in a row") {
  for (const std::string& fault : {std::string(), with_fault("")}) {
    const Outcome outcome = typed(kRun + fault + "--format json");
    CHECK(outcome.status == 0);
    CHECK_FALSE(nlohmann::json::parse(outcome.out).contains("steps_in_row"));
  }
}

TEST_CASE("A trace, a page and --explain are of the first step, whatever holds when") {
  const TempFolder folder;
  const Outcome outcome =
      typed(kRun + with_fault(", start: 0.5 s, for: 1 s") + "--explain --kernels --trace " +
            folder.file("step.json") + " --report " + folder.file("step.html"));
  CHECK(outcome.err.starts_with("simtrain: note: "));
  CHECK(outcome.status == 0);
  CHECK(read_file(folder.file("step.html")).find("In a row: step 1") != std::string::npos);
}

TEST_CASE("Who asks about steps that are alike refuses faults that come and go, in one line") {
  const Outcome tuned =
      typed("tune " + source_dir() + "/scenarios/llama31_70b_h100.yaml --row bf16-64 " +
            with_fault(", for: 4 s"));
  CHECK(tuned.status == 2);
  CHECK(tuned.err.find("cluster.faults: tune asks about steps that are all alike; a fault without "
                       "start and for would do\n") != std::string::npos);
  const Outcome job = typed("goodput " + source_dir() + "/scenarios/llama31_405b_job_h100.yaml " +
                            with_fault(", for: 4 s"));
  CHECK(job.status == 2);
  CHECK(job.err.find("cluster.faults: goodput asks about steps") != std::string::npos);
}

}  // namespace simtrain::testing::changing_faults_test
