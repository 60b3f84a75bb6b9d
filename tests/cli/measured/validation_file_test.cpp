#include <nlohmann/json.hpp>

#include "tests/cli/bad_edit.h"
#include "tests/cli/own_validation.h"
#include "tests/core/checkout.h"
#include "tests/output/page.h"

namespace simtrain::testing::validation_file_test {
namespace {

Outcome validate(const std::string& text, const std::string& options = "") {
  const TempFolder folder;
  folder.write("own.yaml", text);
  return run_simtrain(words("validate own.yaml " + options), {folder.path().string(), {}, ""});
}

TEST_CASE("A validation file of one's own is compared") {
  const Outcome outcome = validate(std::string(kOwnValidation));
  CHECK(outcome.status == 0);
  CHECK(
      outcome.out.starts_with("Errors are predicted over measured, less one.\n\none (own.txt)\n"));
  CHECK(outcome.out.find("All: 1 row, ") != std::string::npos);
}

TEST_CASE("validate exits with 0 inside its bound and with 1 outside, and prints either way") {
  const Outcome good = validate(std::string(kOwnValidation), "--max-mean-error 50");
  CHECK(good.status == 0);
  CHECK(good.err.empty());
  const Outcome bad = validate(std::string(kOwnValidation), "--max-mean-error 0");
  CHECK(bad.status == 1);
  CHECK(bad.err.empty());
  CHECK(bad.out.starts_with(good.out));
  CHECK(bad.out.find("Outside its bound: own: mean absolute error ") == good.out.size());
}

TEST_CASE("The bounds that a file states decide the exit status") {
  const std::string file(kOwnValidation);
  const auto with = [&](const std::string& keys) {
    return validate(edited(file, "        figures:", keys + "        figures:"));
  };
  CHECK(with("        bounds: {mean: 50 %, max: 50 %}\n").status == 0);
  const Outcome outside = with("        bounds: {mean: 0 %, max: 50 %}\n");
  CHECK(outside.status == 1);
  CHECK(outside.out.find("\nOutside its bound: one: mean absolute error ") != std::string::npos);
  CHECK(validate("bounds: {mean: 0 %, max: 50 %}\n" + file).status == 1);
}

TEST_CASE("A report is one HTML page, written whole, and the text stays the same") {
  const TempFolder folder;
  folder.write("own.yaml", std::string(kOwnValidation));
  const CallOptions here{folder.path().string(), {}, ""};
  const Outcome plain = run_simtrain(words("validate own.yaml"), here);
  const Outcome outcome = run_simtrain(words("validate own.yaml --report own.html"), here);
  CHECK(outcome.status == 0);
  CHECK(outcome.out == plain.out);
  const std::string page = read_file(folder.path() / "own.html");
  check_whole(page);
  CHECK(page.find("12.5") != std::string::npos);
  check_refused(run_simtrain(words("validate own.yaml --report missing/own.html"), here),
                "missing/own.html: cannot be written: its folder: No such file or directory");
}

TEST_CASE("--breakdown adds where the step goes") {
  CHECK(validate(std::string(kOwnValidation)).out.find("gemm") == std::string::npos);
  CHECK(validate(std::string(kOwnValidation), "--breakdown").out.find("\n  gemm ") !=
        std::string::npos);
}

TEST_CASE("validate prints its rows as JSON") {
  const auto json =
      nlohmann::json::parse(validate(std::string(kOwnValidation), "--format json").out);
  CHECK(json.at("schema") == "simtrain.validation/1");
  CHECK(json.at("summary").at("rows") == 1);
  const auto& row = json.at("tables").at(0).at("rows").at(0);
  CHECK(row.at("printed") == "12.5");
  CHECK(row.at("error").get<double>() ==
        doctest::Approx(row.at("predicted_s").get<double>() / 12.5 - 1));
}

TEST_CASE("A broken validation file is refused at its place") {
  for (const BadEdit& bad : std::vector<BadEdit>{
           {"\"12.5\"", "fast", "14:13: step-time: must be a number, found 'fast'"},
           {"\"12.5\"", "0",
            "14:13: step-time: '0' is out of range; 1e-06 to 1000000000000000 would do"},
           {"last-step", "first-step",
            "12:57: documents[0].tables[0].figures[0].kind: 'first-step' is not known here; did "
            "you mean "
            "'last-step'?"},
           {"row: bf16-8, ", "rwo: bf16-8, ",
            "14:14: documents[0].tables[0].rows[0].rwo: is not known here; did you mean 'row'?"}}) {
    CAPTURE(bad.by);
    check_refused(validate(edited(std::string(kOwnValidation), bad.replaced, bad.by)),
                  "own.yaml:" + bad.message);
  }
}

TEST_CASE("A validation file without rows is refused") {
  check_refused(validate("name: own\ndocuments: []\n"), "own.yaml: documents: holds no rows");
}

TEST_CASE("A validation file that names no scenario or no row is refused") {
  const std::string scenarios = source_dir() + "/scenarios/";
  check_refused(validate(edited(std::string(kOwnValidation), "llama31_8b_h100", "llama31_9b_h100")),
                scenarios + "llama31_9b_h100.yaml: there is no such file");
  check_refused(validate(edited(std::string(kOwnValidation), "bf16-8", "bf16-80")),
                scenarios +
                    "llama31_8b_h100.yaml: --row: 'bf16-80' is no row of the table; did you mean "
                    "'bf16-8'?");
}

}  // namespace
}  // namespace simtrain::testing::validation_file_test
