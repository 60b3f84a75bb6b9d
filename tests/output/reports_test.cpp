#include <filesystem>
#include <sstream>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "sim/output/run/json_report.h"
#include "sim/output/run/text_report.h"
#include "sim/output/text/wrapped_text.h"
#include "sim/run/simulate.h"
#include "tests/core/checkout.h"

namespace simtrain::testing::reports_test {
namespace {

const DataFolder& data() {
  static const DataFolder folder(testing::source_dir());
  return folder;
}

/// A report to dress up: the flagship's, simulated once.
Report flagship() {
  static const Report report =
      simulate(ScenarioSource::from_file(data().root() + "/scenarios/llama405b_a4_224.yaml")
                   .scenario(data(), "", {}));
  return report;
}

std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> result;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) result.push_back(line);
  return result;
}

/// Characters of a line: UTF-8 bytes that continue one do not count.
std::size_t columns(const std::string& line) {
  return static_cast<std::size_t>(std::count_if(line.begin(), line.end(), [](char c) {
    return (static_cast<unsigned>(c) & 0xc0U) != 0x80U;
  }));
}

void check_columns(const std::string& text) {
  for (const std::string& line : lines(text)) {
    CAPTURE(line);
    CHECK(columns(line) <= 80);
    CHECK(!line.ends_with(" "));
  }
}

TEST_CASE("Every line of a report fits in 80 columns, of every scenario") {
  const TrainingGoal goal{1.5e13, 2.5};
  for (const std::string& name : data().names("scenarios")) {
    CAPTURE(name);
    const auto source = ScenarioSource::from_file(data().root() + "/scenarios/" + name + ".yaml");
    std::vector<std::string> rows = source.row_names();
    if (!source.has_table()) rows.emplace_back();
    std::vector<Report> reports;
    for (const std::string& row : rows) {
      reports.push_back(simulate(source.scenario(data(), row, {})));
      check_columns(text_report(reports.back(), goal));
      check_columns(recipe_text(reports.back()));
    }
    check_columns(text_table(rows, reports, goal));
  }
}

TEST_CASE("A long name is broken between words") {
  Report report = flagship();
  report.scenario = std::string(70, 'a') + " " + std::string(70, 'b') + " c";
  report.model = std::string(50, 'm') + " " + std::string(50, 'n');
  const std::vector<std::string> text = lines(text_report(report));
  CHECK(text[0] == std::string(70, 'a'));
  CHECK(text[1] == std::string(70, 'b') + " c");
  check_columns(text_report(report));
}

TEST_CASE("Control characters of a name do not reach the terminal") {
  Report report = flagship();
  report.scenario = "a\x1b[31mb\nc\x7f";
  CHECK(lines(text_report(report)).front() == "a?[31mb?c?");
  CHECK(lines(text_table({"\x1b"}, {report}))[1].starts_with("? "));
}

TEST_CASE("Names of any letters are shown as they are") {
  Report report = flagship();
  report.scenario = "Größe 数";
  CHECK(lines(text_report(report)).front() == "Größe 数");
  CHECK(nlohmann::json::parse(json_report(report)).at("scenario") == "Größe 数");
}

TEST_CASE("Quotes, backslashes and control characters survive JSON") {
  Report report = flagship();
  report.scenario = "a \"b\" \\ / \n \t \x01 end";
  report.source = "'";
  const auto json = nlohmann::json::parse(json_report(report));
  CHECK(json.at("scenario") == report.scenario);
  CHECK(json.at("source") == "'");
  CHECK(json_report(report).find("\\u0001") != std::string::npos);
}

TEST_CASE("Bytes that are not UTF-8 become replacement marks in JSON") {
  Report report = flagship();
  report.scenario = "a\xff\xc3";
  const auto json = nlohmann::json::parse(json_report(report));
  CHECK(json.at("scenario") == "a\xef\xbf\xbd\xef\xbf\xbd");
}

TEST_CASE("A table of results keeps the order of its rows") {
  const auto json = nlohmann::json::parse(json_table({"b", "a\""}, {flagship(), flagship()}));
  CHECK(json.at("schema") == "simtrain.results/1");
  CHECK(json.at("rows").at(0).at("row") == "b");
  CHECK(json.at("rows").at(1).at("row") == "a\"");
  CHECK(json.at("rows").at(0).at("result") == nlohmann::json::parse(json_report(flagship())));
}

TEST_CASE("Numbers of the headline carry their units") {
  Report report = flagship();
  report.step_time_s = 12.3456;
  report.tokens_per_s = 1000;
  report.gpus = 4;
  report.tflops_per_gpu = 500.5;
  report.peak_tflops_per_gpu = 1000;
  report.mfu = 0.5005;
  report.days_per_1t_tokens = 7.25;
  const std::string text = text_report(report);
  for (const char* line : {"  Step time         12.346 s\n",
                           "  Throughput        1000 tokens/s, 250.0 tokens/s per GPU\n",
                           "  Per GPU           500.50 TFLOP/s of 1000 TFLOP/s\n",
                           "  MFU               50.05 % (google-training-metrics)\n",
                           "  1T tokens in      7.25 days\n"}) {
    CAPTURE(line);
    CHECK(text.find(line) != std::string::npos);
  }
}

TEST_CASE("The breakdown picks the unit that fits and sums up to the step") {
  Report report = flagship();
  report.breakdown = {};
  part(report.breakdown, Share::gemm) = 1.5;
  part(report.breakdown, Share::attention) = 0.0125;
  part(report.breakdown, Share::host) = 2.5e-6;
  report.step_time_s = 1.5125025;
  const std::string text = text_report(report);
  CHECK(text.find("  gemm                       1.500 s   99.17 %  ###") != std::string::npos);
  CHECK(text.find("  attention                12.500 ms    0.83 %\n") != std::string::npos);
  CHECK(text.find("  host_launches               2.5 us    0.00 %\n") != std::string::npos);
  CHECK(text.find("  sum                        1.513 s  100.00 %\n") != std::string::npos);
  CHECK(text.find("pipeline_bubble") == std::string::npos);
}

TEST_CASE("What does not fit is reported") {
  Report report = flagship();
  CHECK(text_report(report).find("\n  fits, ") != std::string::npos);
  CHECK(text_table({"r"}, {report}).find("     fits\n") != std::string::npos);
  report.memory_capacity = 1e9;
  CHECK(text_report(report).find(" too much for 1.0 GB\n") != std::string::npos);
  CHECK(text_table({"r"}, {report}).find("   no fit\n") != std::string::npos);
  CHECK(nlohmann::json::parse(json_report(report)).at("memory").at("fits") == false);
}

TEST_CASE("A plan without room for fragmentation is reported as tight") {
  Report report = flagship();
  report.memory_capacity = report.fullest_stage().total();
  CHECK(report.fits());
  CHECK(report.tight());
  CHECK(text_report(report).find("\n  fits, but tight: 0.0 GB to spare of ") != std::string::npos);
  CHECK(text_table({"r"}, {report}).find("    tight\n") != std::string::npos);
  const auto memory = nlohmann::json::parse(json_report(report)).at("memory");
  CHECK(memory.at("tight") == true);
  CHECK(memory.at("margin_bytes") == 0);
  report.memory_capacity = report.fullest_stage().likely();
  CHECK(!report.tight());
  report.memory_capacity = 1e9;
  CHECK(!report.tight());
}

TEST_CASE("The items of the fullest stage's memory sum up to what it takes") {
  const Report report = flagship();
  const std::string text = text_report(report);
  const std::string table = text.substr(text.find("Memory of the fullest stage"));
  for (const char* item :
       {"weights ", "fp8_copies ", "gradients ", "optimizer ", "activations ", "gemm_workspaces ",
        "allocated ", "cuda_context ", "communicators ", "sum "})
    CHECK(table.find("\n  " + std::string(item)) != std::string::npos);
  const auto stages = nlohmann::json::parse(json_report(report)).at("memory").at("per_stage");
  for (const auto& stage : stages) {
    const auto of = [&](const char* key) { return stage.at(key).get<double>(); };
    CHECK(of("allocated_between_steps_bytes") ==
          doctest::Approx(of("weights_bytes") + of("gradients_bytes") + of("optimizer_bytes") +
                          of("gemm_workspaces_bytes")));
    CHECK(of("outside_allocator_bytes") ==
          doctest::Approx(of("cuda_context_bytes") + of("communicators_bytes") +
                          of("user_buffers_bytes")));
    CHECK(of("fp8_copies_bytes") <= of("weights_bytes"));
  }
}

TEST_CASE("The placement shows hops by distance and the busiest link between switches") {
  Report report = flagship();
  report.placement = {"random", "by-host", 4, 9, {{"dp", {0, 12, 3, 2, 1}}}, std::nullopt};
  const std::string table =
      "\nPlacement: random, 4 of 9 nodes, ranks by-host\n"
      "  hops        nvlink        unit       block      fabric\n"
      "  dp              12           3           2           1\n";
  CHECK(text_report(report).find(table + "\n") != std::string::npos);
  CHECK(!nlohmann::json::parse(json_report(report))["placement"].contains("busiest_link"));
  report.placement.busiest_link = BusyLink{"leaf 0.1 to spine 0.2", 0.25};
  CHECK(text_report(report).find(
            table + "  Busiest link      leaf 0.1 to spine 0.2, 25.0 % of the step\n") !=
        std::string::npos);
  const auto json = nlohmann::json::parse(json_report(report))["placement"];
  CHECK(json["kind"] == "random");
  CHECK(json["available_nodes"] == 9);
  CHECK(json["hops"][0]["group"] == "dp");
  CHECK(json["hops"][0]["unit"] == 3);
  CHECK(json["busiest_link"]["load"] == 0.25);
}

TEST_CASE("A text is shortened between characters") {
  CHECK(shortened("abcdef", 6) == "abcdef");
  CHECK(shortened("abcdefg", 6) == "abc...");
  CHECK(shortened("\u00e9\u00e9\u00e9\u00e9", 7) == "\u00e9\u00e9...");
  CHECK(shortened("\u00e9\u00e9\u00e9\u00e9", 6) == "\u00e9...");
}

TEST_CASE("The engine line has events, ranks and fingerprint, and no wall time") {
  Report report = flagship();
  report.engine = {1234, 0, 5.5, 8, 2, "0123456789abcdef"};
  CHECK(lines(text_report(report)).back() ==
        "Engine: 1234 events, 2 of 8 ranks simulated, fingerprint 0123456789abcdef");
}

}  // namespace
}  // namespace simtrain::testing::reports_test
