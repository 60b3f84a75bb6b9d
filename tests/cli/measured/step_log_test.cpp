#include <doctest/doctest.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tests/cli/program.h"

namespace simtrain::testing::step_log_test {
namespace {

using LogJson = nlohmann::json;

constexpr const char* kRun = "run scenarios/llama31_8b_h100.yaml --row bf16-8 --steps 60 --seed 4 ";

std::string told_of(const Outcome& outcome) {
  CAPTURE(outcome.err);
  REQUIRE(outcome.status == 0);
  const std::size_t at = outcome.out.find("Step log\n  ");
  REQUIRE(at != std::string::npos);
  return outcome.out.substr(at);
}

TEST_CASE("A step log reads back to the figures that its run prints") {
  const TempFolder folder;
  for (const std::string name : {"run.json", "run.log"}) {
    CAPTURE(name);
    const std::string file = folder.file(name);
    const std::string told = told_of(run_simtrain(words(kRun + ("--step-log " + file))));
    const Outcome read = run_simtrain(words("metrics " + file + " --format json"));
    REQUIRE(read.status == 0);
    const LogJson run = LogJson::parse(read.out).at("runs").at(0);
    const LogJson& time = run.at("step_time_s");
    CHECK(run.at("status") == "Success");
    CHECK(run.at("inputs").at("global_batch_size").at("value") == 128);
    CHECK(told.find(fmt::format("reads {:.3f} s, std {:.3f} s", time.at("mean").get<double>(),
                                time.at("std").get<double>())) != std::string::npos);
  }
}

TEST_CASE("gpu-recipes' training_metrics reads the DLLogger log, its first steps a running mean") {
  const TempFolder folder;
  const std::string file = folder.file("dllogger.json");
  const std::string told = told_of(run_simtrain(words(kRun + ("--step-log " + file))));
  const Outcome read = run_simtrain(words("metrics --file " + file +
                                          " --batch_size 128 --num_accelerators 8 --model_type "
                                          "llama3.1-8b --accelerator_type h100"));
  REQUIRE(read.status == 0);
  const double mean = std::stod(read.out.substr(read.out.find(": ") + 2));
  CHECK(told.find(fmt::format("(steps 10 to 30) reads {:.3f} s", mean)) != std::string::npos);
  const std::string text = read_file(file);
  std::vector<double> logged;
  for (std::size_t at = text.find("train_step_timing"); at != std::string::npos;
       at = text.find("train_step_timing", at + 1))
    logged.push_back(std::stod(text.substr(text.find(':', at) + 1)));
  REQUIRE(logged.size() == 60);
  CHECK(logged[0] > 1.5 * logged[4]);  // the first step is in the means of the first five
  CHECK(logged[4] > 1.1 * logged[5]);
}

TEST_CASE("The log of a job has its validations and checkpoints on its clock, and costs no step") {
  const TempFolder folder;
  const std::string job = "run scenarios/llama31_405b_job_h100.yaml --steps 40 --step-log ";
  const auto elapsed = [&](const std::string& name, const std::string& more) {
    const Outcome outcome = run_simtrain(words(job + folder.file(name) + " " + more));
    CAPTURE(outcome.err);
    REQUIRE(outcome.status == 0);
    const std::string text = read_file(folder.file(name));
    const std::size_t last = text.rfind("\"elapsedtime\":\"") + 15;
    return std::stod(text.substr(last));
  };
  const double often = elapsed("a.json", "--set job.checkpoint.save_interval=10");
  const double seldom = elapsed("b.json", "--set job.checkpoint.save_interval=100");
  CHECK(often > seldom);
}

TEST_CASE("A step log needs steps, a known ending and a place of its own") {
  const TempFolder folder;
  const std::string run = "run scenarios/llama31_8b_h100.yaml --row bf16-8 ";
  const auto refusal = [](const std::string& arguments) {
    const Outcome outcome = run_simtrain(words(arguments));
    CHECK(outcome.status == 2);
    return outcome.err;
  };
  CHECK(refusal(run + "--step-log x.json").find("--step-log: goes with --steps N") !=
        std::string::npos);
  CHECK(refusal(run + "--steps 5 --step-log x.csv").find("ends in neither .json") !=
        std::string::npos);
  folder.write("there.log", "measured\n");
  CHECK(refusal(run + "--steps 5 --step-log " + folder.file("there.log"))
            .find("--force replaces it") != std::string::npos);
  CHECK(read_file(folder.file("there.log")) == "measured\n");
}

}  // namespace
}  // namespace simtrain::testing::step_log_test
