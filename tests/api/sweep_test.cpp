#include <thread>

#include <doctest/doctest.h>
#include <simtrain/simulate.h>

#include "tests/core/checkout.h"

namespace simtrain::api::sweep_test {
namespace {

Scenario small() {
  return Scenario::from_data(DataFolder(testing::source_dir()), "llama31_8b_h100").row("bf16-8");
}

using Values = std::vector<std::pair<std::string, std::string>>;

TEST_CASE("A sweep says of each combination what a simulation of it says") {
  const Scenario scenario = small();
  const std::vector<SweepRow> rows = sweep(scenario, {{"tp", "1,2,3"}, {"mbs", "1:2"}});
  REQUIRE(rows.size() == 6);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const SweepRow& row = rows[i];
    CAPTURE(i);
    CHECK(row.index == i);
    REQUIRE(row.values.size() == 2);
    CHECK(row.values[0].first == "tp");
    const Scenario single =
        scenario.with("tp", row.values[0].second).with("mbs", row.values[1].second);
    if (row.status == SweepStatus::illegal) {
      CHECK_THROWS_AS(single.check(), InputError);
      CHECK(row.step_time_s == 0);
      CHECK(!row.reason.empty());
      continue;
    }
    const Result result = simulate(single);
    CHECK((row.status == SweepStatus::ok) == result.fits);
    CHECK(row.step_time_s == result.step_time_s);
    CHECK(row.fingerprint == result.fingerprint);
    CHECK(row.data_parallel_size == result.data_parallel_size);
    CHECK(row.breakdown.size() == result.breakdown.size());
  }
  CHECK(rows[2].values == Values{{"tp", "2"}, {"mbs", "1"}});
  CHECK(rows[4].status == SweepStatus::illegal);
}

TEST_CASE("The fastest row is one that fits") {
  const std::vector<SweepRow> rows = sweep(small(), {{"tp", "1,2,4"}});
  const SweepRow* best = fastest(rows);
  REQUIRE(best != nullptr);
  CHECK(best->status == SweepStatus::ok);
  for (const SweepRow& row : rows) {
    if (row.status == SweepStatus::ok) CHECK(row.step_time_s >= best->step_time_s);
  }
  CHECK(fastest({}) == nullptr);
}

TEST_CASE("Rows are the same for any number of threads") {
  const std::vector<Axis> axes{{"tp", "1,2,4"}, {"cp", "1,2"}};
  SweepOptions one;
  one.threads = 1;
  SweepOptions many;
  many.threads = 8;
  const std::vector<SweepRow> a = sweep(small(), axes, one);
  const std::vector<SweepRow> b = sweep(small(), axes, many);
  REQUIRE(a.size() == b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    CHECK(a[i].values == b[i].values);
    CHECK(a[i].fingerprint == b[i].fingerprint);
    CHECK(a[i].step_time_s == b[i].step_time_s);
  }
}

TEST_CASE("The callback is called in the caller's thread, once a row") {
  std::vector<std::uint64_t> seen;
  const auto caller = std::this_thread::get_id();
  const std::size_t done =
      sweep(small(), {{"tp", "1,2"}, {"mbs", "1,2"}}, [&](const SweepRow& row) {
        CHECK(std::this_thread::get_id() == caller);
        seen.push_back(row.index);
      });
  CHECK(done == 4);
  std::sort(seen.begin(), seen.end());
  CHECK(seen == std::vector<std::uint64_t>{0, 1, 2, 3});
}

TEST_CASE("A sweep ends where it is stopped, and with what its callback throws") {
  std::stop_source source;
  SweepOptions options;
  options.threads = 2;
  options.stop = source.get_token();
  std::size_t rows = 0;
  const auto count = [&](const SweepRow&) {
    ++rows;
    source.request_stop();
  };
  const std::size_t done = sweep(small(), {{"gbs", "64:6400:64"}}, count, options);
  CHECK(done == rows);
  CHECK(done >= 1);
  CHECK(done < 100);

  struct Enough {};
  const auto refuse = [](const SweepRow&) { throw Enough(); };
  CHECK_THROWS_AS(sweep(small(), {{"tp", "1,2,4"}}, refuse), Enough);
}

TEST_CASE("Wrong axes are errors before anything is simulated") {
  const Scenario scenario = small();
  const auto swept = [&](const std::vector<Axis>& axes) {
    static_cast<void>(sweep(scenario, axes));
  };
  CHECK_THROWS_AS(swept({}), InputError);
  CHECK_THROWS_AS(swept({{"tq", "1,2"}}), InputError);
  CHECK_THROWS_AS(swept({{"tp", ""}}), InputError);
  CHECK_THROWS_AS(swept({{"tp", "1,none"}}), InputError);
  CHECK_THROWS_AS(swept({{"tp", "1,2"}, {"tp", "4"}}), InputError);
  CHECK_THROWS_AS(static_cast<void>(sweep(scenario.with("tp", 2), {{"tp", "1,2"}})), InputError);
  SweepOptions options;
  options.threads = -1;
  CHECK_THROWS_AS(static_cast<void>(sweep(scenario, {{"tp", "1,2"}}, options)), InputError);
  const Scenario table = Scenario::from_data(DataFolder(testing::source_dir()), "llama31_8b_h100");
  CHECK_THROWS_AS(static_cast<void>(sweep(table, {{"tp", "1,2"}})), InputError);
}

TEST_CASE("A scenario from text is swept by its own block") {
  const DataFolder data(testing::source_dir());
  const Scenario text =
      Scenario::from_text(data, small().yaml() + "sweep: {tp: [1, 2]}\n", "a.yaml");
  CHECK(sweep(text, {}).size() == 2);
  CHECK(sweep(text, {{"mbs", "1,2"}}).size() == 4);
  CHECK(sweep(text, {{"tp", "4"}}).size() == 1);
}

}  // namespace
}  // namespace simtrain::api::sweep_test
