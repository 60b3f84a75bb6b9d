#include <doctest/doctest.h>
#include <nlohmann/json.hpp>
#include <simtrain/simtrain.h>

#include "tests/cli/program.h"
#include "tests/core/checkout.h"

namespace simtrain::api::profile_test {
namespace {

using Json = nlohmann::json;

std::string at(const std::string& path) { return testing::source_dir() + path; }
const std::string kFile = at("/scenarios/llama31_8b_h100.yaml");
const std::string kTable = at("/tests/measured/data/nsys-kern-sum.csv");
const std::string kTrace = at("/tests/measured/data/kineto-rank3.json");

Scenario profiled_scenario() {
  return Scenario::from_file(DataFolder(testing::source_dir()), kFile).row("bf16-8");
}

std::string printed(std::vector<std::string> words, const std::string& format) {
  words.insert(words.begin(), "profile");
  words.insert(words.end(), {"--format", format});
  return testing::run_simtrain(words).out;
}

TEST_CASE("Profiles beside their scenario are those of the command, figure by figure") {
  const std::vector<std::string> words{kFile, kTrace, kTable, "--row", "bf16-8"};
  std::size_t read = 0;
  const Profile found =
      profile({kTrace, kTable}, profiled_scenario(), {}, [&](std::size_t done, std::size_t all) {
        CHECK(all == 2);
        read = done;
      });
  const Json document = Json::parse(printed(words, "json"));
  CHECK(read == 2);
  CHECK(Json::parse(found.json) == document);
  CHECK(found.text == printed(words, "text"));
  CHECK(found.scenario == document["scenario"]);
  REQUIRE(found.profiles.size() == 2);
  for (std::size_t i = 0; i < 2; ++i) {
    const ProfiledFile& file = found.profiles[i];
    const Json& told = document["profiles"][i];
    CHECK(file.format == told["format"]);
    CHECK(file.lines == told["lines"]);
    REQUIRE(file.comparisons.size() == told["comparisons"].size());
    const ProfiledRank& rank = file.comparisons.front();
    const Json& printed_rank = told["comparisons"][0];
    CHECK(rank.rank_from == printed_rank["rank_from"]);
    CHECK(rank.steps == printed_rank["steps"]);
    CHECK(*rank.predicted_s == printed_rank["predicted_s"]);
    CHECK(rank.measured_s.has_value() == printed_rank["measured_s"].is_number());
    REQUIRE(rank.kernels.size() == printed_rank["kernels"].size());
    for (std::size_t k = 0; k < rank.kernels.size(); ++k) {
      CHECK(rank.kernels[k].kind == printed_rank["kernels"][k]["kind"]);
      CHECK(rank.kernels[k].measured_s == printed_rank["kernels"][k]["measured_s"]);
      CHECK(rank.kernels[k].error.has_value() == printed_rank["kernels"][k]["error"].is_number());
    }
  }
}

TEST_CASE("Calls of NCCL that a run writes are predicted by the profile of it, each of them") {
  const testing::TempFolder folder;
  const std::string log = folder.file("nccl.log");
  REQUIRE(testing::run_simtrain({"run", kFile, "--row", "bf16-8", "--nccl-trace", log}).status ==
          0);
  const Profile found = profile({log}, profiled_scenario());
  REQUIRE_FALSE(found.profiles.front().comparisons.empty());
  for (const ProfiledRank& rank : found.profiles.front().comparisons) {
    CHECK_FALSE(rank.process.empty());
    CHECK_FALSE(rank.predicted_s.has_value());
    CHECK(rank.kernels.empty());
    REQUIRE_FALSE(rank.calls.empty());
    for (const NcclCalls& call : rank.calls) {
      CHECK(call.predicted == call.logged);
      CHECK(call.bytes % call.count == 0);
    }
  }
}

TEST_CASE("Without a scenario a log of NCCL says what each process calls") {
  const testing::TempFolder folder;
  const std::string log = folder.file("nccl.log");
  REQUIRE(testing::run_simtrain({"run", kFile, "--row", "bf16-8", "--nccl-trace", log}).status ==
          0);
  const Profile found = profile({log});
  const Json told = Json::parse(found.json)["profiles"][0];
  const ProfiledFile& file = found.profiles.front();
  REQUIRE(file.processes.size() == told["processes"].size());
  const NcclProcess& process = file.processes.front();
  CHECK(process.process == told["processes"][0]["process"]);
  CHECK(*process.rank == told["processes"][0]["told_rank"]["rank"]);
  REQUIRE(process.calls.size() == told["processes"][0]["calls"].size());
  CHECK(process.calls[0].logged == told["processes"][0]["calls"][0]["calls"]);
  CHECK_FALSE(process.calls[0].predicted.has_value());
}

TEST_CASE("Without a scenario a profile says what it holds") {
  const Profile found = profile({kTable});
  CHECK(found.scenario.empty());
  CHECK(found.text == printed({kTable}, "text"));
  const ProfiledFile& file = found.profiles.front();
  CHECK(file.comparisons.empty());
  REQUIRE(file.kernels.size() > 3);
  CHECK(file.kernels[0].time_s >= file.kernels[1].time_s);
}

TEST_CASE("What is wrong with profiles is said by path or key") {
  const auto throws = [](const std::vector<std::string>& paths,
                         const std::optional<Scenario>& scenario, const ProfileOptions& options) {
    CHECK_THROWS_AS(static_cast<void>(profile(paths, scenario, options)), InputError);
  };
  throws({}, {}, {});
  throws({at("/no/such.sqlite")}, {}, {});
  throws({at("/README.md")}, {}, {});
  throws({kTable}, {}, {.rank = {}, .steps = {}, .format = "nsyss"});
  throws({kTable}, {}, {.rank = 1, .steps = {}, .format = ""});
  throws({kTable}, profiled_scenario(), {.rank = -1, .steps = {}, .format = ""});
  throws({kTable}, profiled_scenario(), {.rank = {}, .steps = 0, .format = ""});
  const auto key = [](const std::optional<int>& rank, const std::optional<std::int64_t>& steps) {
    try {
      static_cast<void>(profile({kTable}, profiled_scenario(), {rank, steps, ""}));
    } catch (const InputError& error) {
      CHECK(std::string(error.what()).find("--") == std::string::npos);
      return error.key();
    }
    return std::string();
  };
  CHECK(key(4096, {}) == "rank");
  CHECK(key({}, -1) == "steps");
}

}  // namespace
}  // namespace simtrain::api::profile_test
