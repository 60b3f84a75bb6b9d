// Jobs that are published with their failures or their goodput; docs/goodput.md has the table.

#include "sim/study/what_if/goodput.h"

#include <cmath>

#include <doctest/doctest.h>

#include "tests/run/scenarios.h"

namespace simtrain::testing {
namespace {

/// A row of validation/jobs/llama3_405b_h100.yaml.
Goodput published(const std::string& row, const std::vector<std::string>& settings = {}) {
  const auto source = ScenarioSource::from_file(std::string(SIMTRAIN_SOURCE_DIR) +
                                                "/validation/jobs/llama3_405b_h100.yaml");
  std::vector<Setting> parsed{parse_setting("job.runs=100")};
  for (const std::string& text : settings) parsed.push_back(parse_setting(text));
  return goodput(load_job(data_folder(), source.scenario(data_folder(), row, parsed),
                          source.tree(row, parsed)),
                 {.changes = false});
}

TEST_CASE("Llama 3 405B on 16,384 H100: 419 interruptions in 54 days, over 90 % effective") {
  const Goodput own = published("llama3-16384");
  // 413 of its 419 end the job; the six silent corruptions go on until they are noticed.
  CHECK(own.summary.interruptions.mean == doctest::Approx(413).epsilon(0.02));
  CHECK(1 / own.plan.interruptions_per_s() == doctest::Approx(3.1 * 3600).epsilon(0.02));
  CHECK(own.summary.effective_time.mean > 0.90);
  SUBCASE("rates of another cluster predict its goodput within four points") {
    for (const std::string row : {"llama3-16384-rsc", "llama3-16384-ft-hsdp"}) {
      CAPTURE(row);
      CHECK(std::abs(published(row).summary.effective_time.mean - own.summary.effective_time.mean) <
            0.04);
    }
  }
}

TEST_CASE("9,600 GPUs at 97 % (ByteRobust), with rates of others within four points") {
  for (const std::string row : {"dense-9600", "dense-9600-rsc"}) {
    CAPTURE(row);
    CHECK(std::abs(published(row).summary.effective_time.mean - 0.97) <= 0.04);
  }
}

TEST_CASE("MegaScale on 12,288 GPUs: over 100 recoveries in weeks, over 90 % effective") {
  const Goodput megascale = published("dense-12288");
  CHECK(megascale.summary.interruptions.mean > 100);
  CHECK(megascale.summary.effective_time.mean > 0.90);
}

TEST_CASE("Meta's projections: a failure every 1.8 h on 16,384 GPUs, every 0.23 h on 131,072") {
  const FailureSpec rsc = load_failures(data_folder(), "meta-rsc-a100", {}, "failures");
  double per_node = 0;
  for (const FailureRow& row : rsc.components) per_node += rate_per_unit(rsc.observed, row);
  CHECK(1 / (per_node * 2048) == doctest::Approx(1.8 * 3600).epsilon(0.01));
  CHECK(1 / (per_node * 16384) == doctest::Approx(0.23 * 3600).epsilon(0.03));
}

}  // namespace
}  // namespace simtrain::testing
