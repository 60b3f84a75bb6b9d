#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "tests/cli/program.h"
#include "tests/core/checkout.h"

namespace simtrain::testing::tune_test {
namespace {

using Json = nlohmann::json;

const std::string kScenario = source_dir() + "/scenarios/llama31_8b_h100.yaml";
/// Few plans, short steps.
const std::string kQuick = " --row bf16-16 --set gbs=32 --limit cp=1,2 --limit mbs=1,2";

Outcome tune(const std::string& options, const CallOptions& call = {}) {
  return run_simtrain(words("tune " + kScenario + " " + options), call);
}
Outcome scale(const std::string& options) {
  return run_simtrain(words("scale " + kScenario + " " + options));
}

/// Wrong input: one line on standard error that says `part`, nothing else, exit status 2.
void refuses(const Outcome& outcome, const std::string& part) {
  CHECK(outcome.err.starts_with("simtrain: "));
  CHECK(outcome.err.find(part) != std::string::npos);
  CHECK(outcome.err.find('\n') == outcome.err.size() - 1);
  CHECK(outcome.out.empty());
  CHECK(outcome.status == 2);
}

TEST_CASE("tune prints the best plans, why the first wins, the knobs and the counts") {
  const Outcome outcome = tune(kQuick);
  CHECK(outcome.status == 0);
  CHECK(outcome.err.empty());
  for (const char* part : {"Best plans by step_time\n", "step time",
                           "The file's own plan on 16 GPUs", "Why the first is ahead of the second",
                           "gemm", "What each knob is worth", "\nPlans: ", " simulated\n"})
    CHECK(outcome.out.find(part) != std::string::npos);
  CHECK(tune(kQuick).out == outcome.out);
}

TEST_CASE("tune's JSON holds the same; every plan of it runs as it says") {
  const Outcome outcome = tune(kQuick + " --top 3 --price 2.5 --tokens 15T --format json");
  REQUIRE(outcome.status == 0);
  const Json json = Json::parse(outcome.out);
  CHECK(json.at("schema") == "simtrain.tune/1");
  REQUIRE(json.at("best").size() == 3);
  double before = 0;
  for (const Json& best : json.at("best")) {
    const Json& plan = best.at("plan");
    CHECK(best.at("fits") == true);
    CHECK(best.at("step_time_s") >= before);
    before = best.at("step_time_s");
    CHECK(best.at("cost_usd").get<double>() ==
          doctest::Approx(2.5 * 15e12 / best.at("tokens_per_s").get<double>() / 3600 * 16));
    std::string run = "run " + kScenario + " --row bf16-16 --set gbs=32 --format json";
    for (const char* key : {"tp", "pp", "vp", "cp", "mbs"})
      run += std::string(" --set ") + key + "=" + plan.at(key).dump();
    run += " --set recompute=" + plan.at("recompute").get<std::string>();
    const bool both = plan.at("account") == "both";
    for (const char* key : {"embedding", "loss"}) {
      run += " --set parallelism.account_for_" + std::string(key) +
             "_in_pipeline_split=" + (both || plan.at("account") == key ? "true" : "false");
    }
    const Json alone = Json::parse(run_simtrain(words(run)).out);
    CHECK(alone.at("step_time_s").at("mean") == best.at("step_time_s"));
    CHECK(alone.at("memory").at("fits") == true);
  }
  CHECK(json.at("spaces").at(0).at("legal") > json.at("spaces").at(0).at("fitting"));
  CHECK(json.at("simulated") < json.at("spaces").at(0).at("fitting"));
  CHECK(!json.at("sensitivity").empty());
}

TEST_CASE("tune finds the same with --exhaustive") {
  Json quick = Json::parse(tune(kQuick + " --format json").out);
  Json all = Json::parse(tune(kQuick + " --exhaustive --format json").out);
  CHECK(all.at("simulated") == all.at("spaces").at(0).at("fitting"));
  quick.erase("simulated");
  all.erase("simulated");
  CHECK(quick == all);
}

TEST_CASE("tune writes the best as a scenario that runs to the same step time") {
  const TempFolder folder;
  const std::string file = folder.file("tuned.yaml");
  const Json json =
      Json::parse(tune(kQuick + " --gpus 16,24 --by mfu --format json --output " + file).out);
  const Json run = Json::parse(run_simtrain({"run", file, "--format", "json"}).out);
  CHECK(run.at("step_time_s").at("mean") == json.at("best").at(0).at("step_time_s"));
  CHECK(run.at("gpus") == json.at("best").at(0).at("plan").at("gpus"));
  const std::string written = read_file(file);
  refuses(tune(kQuick + " --output " + file), "is there already; --force replaces it");
  CHECK(tune(kQuick + " --force --output " + file).status == 0);
  CHECK(read_file(file) != written);
}

/// A report without its line breaks and indentations.
std::string unwrapped(const std::string& text) {
  std::string line;
  for (const std::string& word : words(text)) line += word + " ";
  return line;
}

TEST_CASE("where no plan fits tune says by how much, writes nothing and exits with 1") {
  const TempFolder folder;
  const std::string file = folder.file("tuned.yaml");
  const Outcome outcome = tune(kQuick + " --memory-margin 95 --output " + file);
  CHECK(outcome.status == 1);
  CHECK(outcome.err.empty());
  CHECK(outcome.out.find("No plan fits: the smallest of ") != std::string::npos);
  CHECK(unwrapped(outcome.out).find(" GB are there with a margin of 95 % 16 GPUs: TP 8") !=
        std::string::npos);
  CHECK(!std::filesystem::exists(file));
  const Outcome none = tune(kQuick + " --limit tp=3");
  CHECK(none.status == 1);
  CHECK(none.out.find("No plan is legal: no values that the limits allow") != std::string::npos);
  const Outcome illegal = tune(kQuick + " --limit tp=16");
  CHECK(illegal.status == 1);
  CHECK(unwrapped(illegal.out).find("16 does not divide the query groups (8)") !=
        std::string::npos);
  const Outcome json = tune(kQuick + " --memory-margin 95 --format json");
  CHECK(json.status == 1);
  CHECK(Json::parse(json.out).at("best").empty());
}

TEST_CASE("tune recommends no plan that run calls tight, says what one would give, or ranks it") {
  const std::string tight = "tune " + source_dir() +
                            "/scenarios/llama31_405b_h100.yaml --row fp8-64 "
                            "--limit cp=1 --limit mbs=1 --top 1 ";
  const TempFolder folder;
  const auto memory_of = [&](const std::string& options, const std::string& name) {
    REQUIRE(run_simtrain(words(tight + options + " --output " + folder.file(name))).status == 0);
    return Json::parse(run_simtrain({"run", folder.file(name), "--format", "json"}).out)
        .at("memory");
  };
  CHECK(memory_of("", "safe.yaml").at("tight") == false);
  CHECK(memory_of("--allow-tight", "tight.yaml").at("tight") == true);
  CHECK(read_file(folder.file("safe.yaml")).find("that fit with room to spare") !=
        std::string::npos);
  CHECK(read_file(folder.file("tight.yaml")).find("# It is tight") != std::string::npos);
  const std::string text = run_simtrain(words(tight)).out;
  CHECK(unwrapped(text).find("tight plans would be better than the first, the best by -") !=
        std::string::npos);
  CHECK(run_simtrain(words(tight + "--allow-tight")).out.find("\n 1*") != std::string::npos);
  const Json json = Json::parse(run_simtrain(words(tight + "--format json")).out);
  const Json allowed = Json::parse(run_simtrain(words(tight + "--allow-tight --format json")).out);
  CHECK(json.at("best").at(0).at("tight") == false);
  CHECK(json.at("tight_ahead").at("best") == allowed.at("best").at(0));
}

TEST_CASE("a step longer than 11 days is one skipped candidate of tune, sweep and scale") {
  const std::string reason = "the step takes more than 11 days";
  const std::string big = " --row bf16-8 --set gbs=16777216 ";
  const Outcome tuned = tune(big + "--limit tp=8 --limit recompute=none");
  CHECK(tuned.status == 1);
  CHECK(tuned.err.empty());
  CHECK(tuned.out.find("No plan can be simulated: none of the ") != std::string::npos);
  CHECK(unwrapped(tuned.out).find(" skipped: " + reason) != std::string::npos);
  const Json sizes =
      Json::parse(scale(big + "--set mbs=16384 --mode strong --gpus 8,16 --format json").out)
          .at("sizes");
  CHECK(sizes.at(0).at("illegal").get<std::string>().starts_with(reason));
  CHECK(sizes.at(1).at("step_time_s") > 500'000);
  const Outcome swept = run_simtrain(
      words("sweep " + kScenario + big + "--set mbs=16384 --vary nodes=1,2 --format json"));
  CHECK(swept.status == 0);
  CHECK(swept.out.find(reason) != std::string::npos);
}

TEST_CASE("tune refuses wrong input in one line") {
  refuses(tune(""), "--row: is missing; known are bf16-8, ");
  for (const auto& [options, message] : std::vector<std::pair<std::string, std::string>>{
           {"--limit tp", "must be KEY=VALUES"},
           {"--limit tp=1 --limit tp=2", "'tp' has a limit already"},
           {"--gpus 12", "--gpus: 12 are no whole number of nodes of 8 GPUs"},
           {"--gpus 0", "is neither a number of 1 or more nor a range"},
           {"--gpus 16 --nodes 2", "--nodes: goes without --gpus"},
           {"--nodes 2000000", "'2000000' is out of range"},
           {"--by speed", "'speed' is not known; step_time, mfu or cost would do"},
           {"--by cost", "cost needs --price"},
           {"--price -1", "--price: must be the dollars of a GPU hour"},
           {"--price nan", "--price: must be the dollars of a GPU hour"},
           {"--tokens 5X", "--tokens: '5X' is no number of tokens"},
           {"--tokens 0", "--tokens: '0' is no number of tokens"},
           {"--memory-margin 100", "--memory-margin: must be below 100"},
           {"--memory-margin -1", "--memory-margin: must be a number of percent"},
           {"--top 0", "--top: must be a number from 1 to 1000"},
           {"--limit ep=2:8", "--limit ep: is of experts, which"},
           {"--limit dispatch=alltoall", "--limit dispatch: is of experts, which"},
           {"--force", "--force: replaces a file; name one with --output or --report"},
           {"--output /dev/full", "is no regular file"},
           {"--output /nowhere/x.yaml", "cannot be written"},
           {"--format xml", "'xml'"},
           {"--set tp", "must be KEY=VALUE"},
           {"--set cluster.placement=nope", "'nope' is not known here"}}) {
    const auto& shown = options;
    CAPTURE(shown);
    refuses(tune("--row bf16-16 " + options), message);
  }
}

TEST_CASE("tune says where its output cannot be printed") {
  CHECK(tune(kQuick, {source_dir(), {}, "/dev/full"}).status == 3);
}

TEST_CASE("scale prints a line a size, and why one is illegal") {
  const Outcome outcome = scale("--row bf16-8 --set gbs=16 --gpus 8:32:x2,12 --price 2");
  CHECK(outcome.status == 0);
  CHECK(outcome.err.empty());
  for (const char* part : {"weak scaling", "efficiency", "\n     8     16", "\n    32     64",
                           "\n    12  illegal: --gpus: 12 are no whole number", "$ "})
    CHECK(outcome.out.find(part) != std::string::npos);
}

TEST_CASE("scale's JSON holds the same") {
  const Json json = Json::parse(
      scale("--row bf16-8 --set gbs=16 --gpus 8,12,16 --mode strong --tokens 300B --format json")
          .out);
  CHECK(json.at("schema") == "simtrain.scale/1");
  CHECK(json.at("mode") == "strong");
  REQUIRE(json.at("sizes").size() == 3);
  const Json& first = json.at("sizes").at(0);
  CHECK(first.at("efficiency") == 1);
  CHECK(first.at("days").get<double>() ==
        doctest::Approx(3e11 / first.at("tokens_per_s").get<double>() / 86400));
  CHECK(!first.contains("cost_usd"));
  CHECK(json.at("sizes").at(1).contains("illegal"));
  CHECK(json.at("sizes").at(2).at("global_batch_size") == 16);
}

TEST_CASE("scale refuses wrong input in one line") {
  for (const auto& [options, message] : std::vector<std::pair<std::string, std::string>>{
           {"", "--gpus: is missing"},
           {"--gpus 1:9999", "names more than 1000 numbers"},
           {"--gpus 8:4", "is neither a number of 1 or more nor a range"},
           {"--gpus 8 --mode hard", "'hard' is not known; weak or strong would do"},
           {"--gpus 8 --set gbs=7", "7 is no multiple of DP"},
           {"--gpus 8 --price 0", "--price: must be the dollars of a GPU hour"}}) {
    const auto& shown = options;
    CAPTURE(shown);
    refuses(scale("--row bf16-8 " + options), message);
  }
}

}  // namespace
}  // namespace simtrain::testing::tune_test
