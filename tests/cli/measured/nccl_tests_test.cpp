// simtrain validate --nccl with the output of nccl-tests.
#include <cmath>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tests/cli/program.h"
#include "tests/core/checkout.h"

namespace simtrain::testing::nccl_tests_test {
namespace {

/// From the root of the checkout, where the program runs: reports name it as it was given.
const std::string kSample = "tests/measured/data/nccl-tests-all-reduce.txt";

Outcome validate(const std::string& arguments, const CallOptions& options = {}) {
  return run_simtrain(words("validate --nccl " + arguments), options);
}

nlohmann::json points(const std::string& arguments) {
  const Outcome outcome = validate(arguments + " --format json");
  CAPTURE(outcome.err);
  REQUIRE(outcome.status == 0);
  return nlohmann::json::parse(outcome.out);
}

TEST_CASE("validate --nccl LOG: each size beside its prediction, ranks and hosts as logged") {
  const auto json = points(kSample + " --cluster dgx-superpod-h100");
  CHECK(json.at("schema") == "simtrain.nccl-validation/1");
  CHECK(json.at("tests").size() == 1);
  const auto& test = json.at("tests").at(0);
  CHECK(test.at("collective") == "all_reduce");
  CHECK(test.at("gpus") == 16);
  CHECK(test.at("nodes") == 2);
  CHECK(test.at("nccl_version") == "2.27.3");
  CHECK(test.at("disagree").empty());
  CHECK(json.at("points").size() == 22);
  const auto predicted = nlohmann::json::parse(
      run_simtrain(words("nccl dgx-superpod-h100 --op all_reduce --gpus 16 --min 1K --max 1G "
                         "--factor 4 --format json"))
          .out);
  for (std::size_t i = 0; i < json.at("points").size(); ++i) {
    const auto& point = json.at("points").at(i);
    const auto& size = predicted.at("sizes").at(i / 2);
    CHECK(point.at("bytes") == size.at("bytes"));
    CHECK(point.at("predicted_s") == size.at("time_s"));
    CHECK(point.at("placement") == (i % 2 == 0 ? "out of place" : "in place"));
    CHECK(point.at("error").get<double>() ==
          doctest::Approx(
              point.at("predicted_s").get<double>() / point.at("measured_s").get<double>() - 1));
  }
  const Outcome text = validate(kSample + " --cluster dgx-superpod-h100");
  CHECK(text.status == 0);
  for (const char* part :
       {"errors are predicted over measured\ntime, less one", "all_reduce on 16 GPUs of 2 nodes",
        "1 MiB and more", "NVIDIA H100 80GB HBM3"}) {
    CAPTURE(part);
    CHECK(text.out.find(part) != std::string::npos);
  }
  std::istringstream lines(text.out);
  for (std::string line; std::getline(lines, line);) CHECK(line.size() <= 80);
}

TEST_CASE("validate --nccl reads back what simtrain nccl prints, without an error") {
  const TempFolder folder;
  for (const std::string operation : {"all_reduce", "all_gather", "reduce_scatter", "alltoall"}) {
    CAPTURE(operation);
    folder.write("log", run_simtrain(words("nccl dgx-superpod-h100 --gpus 16 --min 1M --max 64M "
                                           "--op " +
                                           operation))
                            .out);
    const auto json =
        points(folder.file("log") + " --cluster dgx-superpod-h100 --gpus 16 --op " + operation);
    CHECK(json.at("points").size() == 14);
    for (const auto& point : json.at("points"))
      CHECK(std::abs(point.at("error").get<double>()) < 1e-3);
  }
}

TEST_CASE("validate --nccl LOG tells sums from sends by their bandwidths") {
  const TempFolder folder;
  const auto operation = [&](const std::string& bus, const std::string& gpus) {
    folder.write("log", "     1048576        262144     float     sum      -1    84.30   12.44   " +
                            bus + "      0    84.30   12.44   " + bus + "      0\n");
    return validate(folder.file("log") + " --cluster dgx-superpod-h100 --gpus " + gpus).out;
  };
  CHECK(operation("21.77", "8").find("all_reduce") != std::string::npos);
  CHECK(operation("12.44", "8").find("send_receive") != std::string::npos);
  CHECK(operation("12.44", "2").empty());
}

TEST_CASE("validate --nccl LOG says what speaks against it") {
  const auto json = points(kSample + " --cluster dgx-superpod-a100 --gpus 8 --nodes 1");
  CHECK(json.at("tests").at(0).at("disagree").size() == 3);
}

TEST_CASE("validate --nccl LOG: what is missing or wrong is one line") {
  const TempFolder folder;
  folder.write("other.log", edited(edited(read_file(kSample), "all_reduce_perf", "reduce_perf"),
                                   "all_reduce_perf", "reduce_perf"));
  folder.write("bare.log",
               "     1048576        131072  bfloat16    none      -1    84.30   12.44   "
               "12.44    N/A    83.06   12.62   12.62    N/A\n");
  folder.write("none.log", "hello\n");
  const CallOptions here{folder.path().string(), {}, ""};
  const std::string sample = source_dir() + "/" + kSample;
  const std::vector<std::pair<std::string, std::string>> cases{
      {sample, "--cluster: is missing; the output of nccl-tests"},
      {sample + " --cluster dgx-superpod-h10", "--cluster: "},
      {"other.log --cluster dgx-superpod-h100",
       "other.log: is of reduce_perf, which is not predicted; all_reduce"},
      {"bare.log --cluster dgx-superpod-h100", "bare.log: --gpus: is missing; the log names no"},
      {"bare.log --cluster dgx-superpod-h100 --gpus 8", "bare.log:1: --op: is missing; the log"},
      {"bare.log --cluster dgx-superpod-h100 --gpus 8 --op x", "--op: 'x' is not known here"},
      {"bare.log --cluster dgx-superpod-h100 --gpus 9 --nodes 2 --op alltoall",
       "--gpus: 9 do not spread evenly over 2 nodes of 8"},
      {"none.log --cluster dgx-superpod-h100", "none.log: holds no row of nccl-tests"},
      {"--cluster dgx-superpod-h100", "--cluster: is for the output of nccl-tests; name such"}};
  for (const auto& [arguments, message] : cases) {
    const auto& shown = arguments;
    CAPTURE(shown);
    const Outcome outcome = validate(arguments, here);
    CHECK(outcome.status == 2);
    CHECK(outcome.out.empty());
    CAPTURE(outcome.err);
    CHECK(outcome.err.starts_with("simtrain: " + message));
  }
}

}  // namespace
}  // namespace simtrain::testing::nccl_tests_test
