// `validate --measured` as a user types it.
#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "tests/cli/program.h"

using namespace simtrain;
using namespace simtrain::testing;

TEST_CASE("validate --measured prints sources and groups; its bound decides the exit status") {
  const Outcome outcome = run_simtrain({"validate", "--measured", "--max-mean-error", "50"});
  CHECK(outcome.status == 0);
  for (const char* text : {"by source\n", "  bloom ", "by GPU\n", "  a100-sxm ", "by grade\n"})
    CHECK(outcome.out.find(text) != std::string::npos);
  CHECK(run_simtrain({"validate", "--measured", "--max-mean-error", "1"}).status == 1);
}

TEST_CASE("its JSON holds every row with its interval") {
  const Outcome outcome = run_simtrain({"validate", "--measured", "--format", "json"});
  REQUIRE(outcome.status == 0);
  const auto json = nlohmann::json::parse(outcome.out);
  CHECK(json.at("schema") == "simtrain.measured-validation/1");
  CHECK(json.at("rows").size() == json.at("groupings").at(0).at("groups").at(0).at("rows"));
  for (const auto& row : json.at("rows")) {
    CHECK(row.at("interval_90_s").at(0) < row.at("predicted_s"));
    CHECK(row.at("interval_90_s").at(1) > row.at("predicted_s"));
  }
}
