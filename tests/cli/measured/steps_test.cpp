#include <algorithm>
#include <cmath>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "tests/cli/program.h"

namespace simtrain::testing::steps_test {
namespace {

using Json = nlohmann::json;

/// What a small run prints with further arguments.
std::string printed(const std::string& arguments) {
  CAPTURE(arguments);
  const Outcome outcome =
      run_simtrain(words("run scenarios/llama31_8b_h100.yaml --row bf16-8 " + arguments));
  CHECK(outcome.status == 0);
  CHECK(outcome.err.empty());
  return outcome.out;
}

Json result(const std::string& arguments) {
  Json json = Json::parse(printed(arguments + " --format json"));
  json.at("engine").erase("wall_s");
  return json;
}

TEST_CASE("--steps prints each step and their mean, deviation and range") {
  const Json json = result("--steps 20 --seed 3");
  const auto steps = json.at("steps_s").get<std::vector<double>>();
  const Json& time = json.at("step_time_s");
  REQUIRE(steps.size() == 20);
  CHECK(json.at("seed") == 3);
  double mean = 0;
  for (const double step : steps) mean += step / 20;
  double squares = 0;
  for (const double step : steps) squares += (step - mean) * (step - mean);
  CHECK(time.at("mean").get<double>() == doctest::Approx(mean).epsilon(1e-12));
  CHECK(time.at("std").get<double>() == doctest::Approx(std::sqrt(squares / 19)).epsilon(1e-9));
  CHECK(time.at("min") == *std::min_element(steps.begin(), steps.end()));
  CHECK(time.at("max") == *std::max_element(steps.begin(), steps.end()));
}

TEST_CASE("Steps scatter about the step that is printed without them, and change nothing else") {
  Json plain = result("");
  Json sampled = result("--steps 10000");
  const double expected = plain.at("step_time_s").at("mean");
  const double deviation = plain.at("step_time_s").at("expected_std");
  CHECK(std::abs(sampled.at("step_time_s").at("mean").get<double>() - expected) < deviation / 25);
  CHECK(sampled.at("step_time_s").at("std").get<double>() ==
        doctest::Approx(deviation).epsilon(0.05));
  CHECK(sampled.at("step_time_s").at("expected") == expected);
  CHECK(sampled.at("seed") == 0);
  for (const char* key : {"steps_s", "seed", "step_time_s"}) {
    plain.erase(key);
    sampled.erase(key);
  }
  CHECK(plain == sampled);
}

TEST_CASE("A seed prints the same bytes again, another one other steps") {
  CHECK(printed("--steps 50 --seed 1") == printed("--steps 50 --seed 1"));
  const Json one = result("--steps 50 --seed 1");
  CHECK(one.at("steps_s") == result("--steps 50 --seed 1 --unfold").at("steps_s"));
  CHECK(one.at("steps_s") != result("--steps 50 --seed 2").at("steps_s"));
  CHECK(result("--steps 1").at("steps_s").at(0) == result("--steps 2").at("steps_s").at(0));
}

TEST_CASE("One step has no deviation") {
  const Json time = result("--steps 1").at("step_time_s");
  CHECK(time.at("std") == 0);
  CHECK(time.at("min") == time.at("max"));
  CHECK(time.at("mean") == time.at("min"));
}

TEST_CASE("The text has a line of the steps where they are asked for") {
  CHECK(printed("--steps 20").find("\n  Steps             20 (seed 0): mean ") !=
        std::string::npos);
  CHECK(printed("").find("\n  Steps ") == std::string::npos);
}

}  // namespace
}  // namespace simtrain::testing::steps_test
