// `validate --measured` as a user types it, on two sources; validation/measured_sources_test looks
// at all.
#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "tests/cli/data_copy.h"
#include "tests/core/checkout.h"

namespace simtrain::testing::measured_sources_test {

namespace {

Outcome measured(const std::string& options) {
  static const Data data;
  static const bool copied = [] {
    const std::filesystem::path from(source_dir() + "/validation/measured");
    const std::filesystem::path to = data.path("validation/measured");
    std::filesystem::create_directories(to);
    for (const char* file : {"korthikanti.yaml", "bridge_llama3_70b.yaml"})
      std::filesystem::copy(from / file, to / file);
    std::filesystem::copy(from / "scenarios", to / "scenarios");
    return true;
  }();
  REQUIRE(copied);
  CallOptions there;
  there.environment["SIMTRAIN_DATA"] = data.path(".");
  return run_simtrain(words("validate --measured " + options), there);
}

}  // namespace

TEST_CASE("validate --measured prints sources and groups; its bound decides the exit status") {
  const Outcome outcome = measured("--max-mean-error 50");
  CHECK(outcome.status == 0);
  for (const char* text : {"by source\n", "  korthikanti ", "  megatron-bridge ", "by GPU\n",
                           "  a100-sxm ", "by grade\n"})
    CHECK(outcome.out.find(text) != std::string::npos);
  CHECK(measured("--max-mean-error 1").status == 1);
}

TEST_CASE("its JSON holds every row with its interval") {
  const Outcome outcome = measured("--format json");
  REQUIRE(outcome.status == 0);
  const auto json = nlohmann::json::parse(outcome.out);
  CHECK(json.at("schema") == "simtrain.measured-validation/1");
  CHECK(json.at("rows").size() == json.at("groupings").at(0).at("groups").at(0).at("rows"));
  for (const auto& row : json.at("rows")) {
    CHECK(row.at("interval_90_s").at(0) < row.at("predicted_s"));
    CHECK(row.at("interval_90_s").at(1) > row.at("predicted_s"));
  }
}

}  // namespace simtrain::testing::measured_sources_test
