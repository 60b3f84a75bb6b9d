#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "tests/cli/bad_edit.h"
#include "tests/core/checkout.h"

namespace simtrain::testing::calibrate_test {
namespace {

constexpr std::string_view kParameters = R"(name: one
left_out_bounds: {mean: 10 %, max: 20 %}
parameters:
  - name: h100-bandwidth
    meaning: memory bandwidth
    unit: TB/s
    sets: [{file: gpus/h100-sxm.yaml, key: memory_bandwidth}]
    prior: {value: 3.35, standard_error: 0.2, source: assumed}
    range: [2, 4]
)";

/// Fits the smallest table with these parameters.
Outcome calibrate(const TempFolder& folder, const std::string& parameters,
                  const std::string& options = "") {
  folder.write("own.yaml", parameters);
  return run_simtrain(words("calibrate --rows nemotron-340b:bf16 --parameters own.yaml " + options),
                      {folder.path().string(), {}, ""});
}

TEST_CASE("calibrate prints values, errors before and after, and writes nothing by itself") {
  const TempFolder folder;
  const std::string gpu = source_dir() + "/hardware/gpus/h100-sxm.yaml";
  const std::string before = read_file(gpu);
  const Outcome outcome = calibrate(folder, std::string(kParameters));
  CHECK(outcome.status == 0);
  CHECK(outcome.err.empty());
  CHECK(outcome.out.starts_with("1 parameters fitted to 4 step times of 1 tables\n"));
  CHECK(outcome.out.find("\n  h100-bandwidth ") != std::string::npos);
  CHECK(outcome.out.find("\n  nemotron-340b:bf16 ") != std::string::npos);
  CHECK(read_file(gpu) == before);
  CHECK(calibrate(folder, std::string(kParameters)).out == outcome.out);
}

TEST_CASE("calibrate prints the same as JSON and writes values to a file of their own") {
  const TempFolder folder;
  const Outcome outcome =
      calibrate(folder, std::string(kParameters), "--format json --write fitted.yaml");
  const auto json = nlohmann::json::parse(outcome.out);
  CHECK(json.at("schema") == "simtrain.calibration/1");
  CHECK(json.at("converged") == true);
  CHECK(json.at("rows").size() == 4);
  const auto& parameter = json.at("parameters").at(0);
  CHECK(parameter.at("name") == "h100-bandwidth");
  CHECK(parameter.at("value") >= 2);
  CHECK(parameter.at("value") <= 4);
  CHECK(parameter.at("standard_error") > 0);
  CHECK(json.at("correlation") == nlohmann::json::array({nlohmann::json::array({1.0})}));
  const std::string written = read_file(folder.path() / "fitted.yaml");
  CHECK(written.starts_with("# simtrain calibrate: 1 parameters fitted to 4 step times"));
  CHECK(written.find("  - name: \"h100-bandwidth\"\n") != std::string::npos);
  check_refused(calibrate(folder, std::string(kParameters), "--write fitted.yaml"),
                "fitted.yaml: is there already; --force replaces it");
  check_refused(run_simtrain(words("calibrate --write fitted.yaml --parameters none.yaml"),
                             {folder.path().string(), {}, ""}),  // before any work
                "fitted.yaml: is there already; --force replaces it");
}

TEST_CASE("A parameter that does not fit the hardware files is refused at its place") {
  const TempFolder folder;
  for (const BadEdit& bad : std::vector<BadEdit>{
           {"h100-sxm.yaml", "h101-sxm.yaml",
            "7:12: file: 'h101-sxm' is not in hardware/gpus; did you mean 'h100-sxm'?"},
           {"gpus/h100-sxm.yaml", "h100",
            "7:12: file: 'h100' is not FAMILY/NAME.yaml below hardware/"},
           {"unit: TB/s", "unit: GB/s",
            "7:12: memory_bandwidth: is in 'TB/s' there, the parameter in 'GB/s'"},
           {"[2, 4]", "[3.4, 4]", "4:5: range: [3.4, 4] does not hold the prior 3.35"},
           {"key: memory_bandwidth", "key: gemm.tiles",
            "7:12: gemm.tiles: must name a number, found a list"},
           {"key: memory_bandwidth}",
            "key: memory_bandwidth}, {file: gpus/h200-sxm.yaml, key: "
            "memory_bandwidth}",
            "7:63: memory_bandwidth: is 4.8 there, but 3.35 at the first key"},
           {"standard_error: 0.2", "standard_error: 0",
            "8:42: parameters[0].prior.standard_error: '0' is out of range; 1e-12 to 1e+18 would "
            "do"}}) {
    CAPTURE(bad.by);
    check_refused(calibrate(folder, edited(std::string(kParameters), bad.replaced, bad.by)),
                  "own.yaml:" + bad.message);
  }
}

TEST_CASE("One number under two keys is refused") {
  const TempFolder folder;
  check_refused(calibrate(folder, edited(std::string(kParameters), "memory_bandwidth}",
                                         "memory_bandwidth}, {file: gpus/h100-sxm.yaml, key: "
                                         "memory_bandwidth.value}")),
                "own.yaml:7:63: memory_bandwidth.value: is set twice");
}

TEST_CASE("A key whose file takes whole numbers, or not the whole range, is refused") {
  const TempFolder folder;
  const std::string file = source_dir() + "/hardware/gpus/h100-sxm.yaml";
  const std::string plain = edited(std::string(kParameters), "    unit: TB/s\n", "");
  const auto with = [&](const std::string& key, const std::string& prior,
                        const std::string& range) {
    return calibrate(folder, edited(edited(edited(plain, "memory_bandwidth", key), "3.35", prior),
                                    "[2, 4]", range));
  };
  const Outcome whole = with("sm_count", "132", "[100, 144]");
  CHECK(whole.err.starts_with("simtrain: own.yaml:6:12: sm_count: cannot be 116.8"));
  CHECK(whole.status == 2);
  const Outcome far = with("streaming.element_wise", "0.86", "[0.5, 1.5]");
  CHECK(far.err.starts_with("simtrain: own.yaml:6:12: streaming.element_wise: cannot be 1.5: " +
                            file));
  CHECK(far.status == 2);
}

TEST_CASE("Headline tables are needed to fit and to leave out") {
  const TempFolder folder;
  const std::string root = folder.path().string();
  for (const char* part : {"hardware", "scenarios", "validation"})
    std::filesystem::copy(source_dir() + "/" + part, folder.path() / part,
                          std::filesystem::copy_options::recursive);
  std::string text = read_file(folder.path() / "validation/documented.yaml");
  while (text.find("use: headline") != std::string::npos)
    text = edited(std::move(text), "use: headline", "use: reported");
  folder.write("validation/documented.yaml", text);
  for (const char* command : {"calibrate", "validate --leave-one-table-out"})
    check_refused(run_simtrain(words(command), {root, {{"SIMTRAIN_DATA", root}}, ""}),
                  root + "/validation/documented.yaml: documents: holds no headline step times");
}

TEST_CASE("calibrate and --leave-one-table-out refuse what they do not take") {
  check_refused(run_simtrain(words("calibrate now")),
                "calibrate takes options only; 'simtrain help calibrate' shows them");
  check_refused(run_simtrain(words("calibrate --force")),
                "--force: replaces a file; name one with --write");
  check_refused(run_simtrain(words("calibrate --rows llama-71b")),
                "--rows: 'llama-71b' is no group or table; did you mean 'llama-70b'?");
  check_refused(run_simtrain(words("calibrate --parameters none.yaml")),
                "none.yaml: there is no such file");
  check_refused(run_simtrain(words("validate --leave-one-table-out --by document")),
                "--by: 'document' is not known; group or table would do");
  check_refused(run_simtrain(words("validate --leave-one-table-out own.yaml")),
                "--leave-one-table-out takes no files; it uses those of validation/");
  check_refused(run_simtrain(words("validate --leave-one-table-out --max-error -1")),
                "--max-error: must be a number of percent, 0 or more");
}

}  // namespace
}  // namespace simtrain::testing::calibrate_test
