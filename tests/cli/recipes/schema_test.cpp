// simtrain schema as a user types it.
#include "sim/output/schema/schema.h"

#include <algorithm>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "sim/output/results/result_kinds.h"
#include "tests/cli/program.h"

namespace simtrain::testing::schema_test {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::size_t files_in(const fs::path& folder) {
  return static_cast<std::size_t>(
      std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

/// One line of an error, and nothing else.
void check_no_schema(const Outcome& outcome, const std::string& part) {
  CHECK(outcome.status == 2);
  CHECK(outcome.out.empty());
  CHECK(std::count(outcome.err.begin(), outcome.err.end(), '\n') == 1);
  CHECK_MESSAGE(holds(outcome.err, part), outcome.err);
}

TEST_CASE("schema --all writes every schema and prints which files are of which kind") {
  const TempFolder folder;
  const std::string made = folder.file("schemas");
  const Outcome outcome = run_simtrain({"schema", "--all", made});
  CHECK(outcome.status == 0);
  CHECK(outcome.err.empty());
  const Json settings = Json::parse(outcome.out).at("yaml.schemas");
  CHECK(settings.at(made + "/gpu.json") == Json{"hardware/gpus/*.yaml"});
  CHECK(settings.at(made + "/scenario.json").size() > 3);
  CHECK(!settings.contains(made + "/result.json"));
  CHECK(files_in(made) == schema_names().size());
  for (const std::string& kind : schema_names()) {
    CAPTURE(kind);
    const std::string text = read_file(made + "/" + kind + ".json");
    CHECK(text == run_simtrain({"schema", kind}).out);
    CHECK(is_own_schema(text));
  }
  for (const auto& [file, patterns] : settings.items()) CHECK(fs::exists(file));
}

TEST_CASE("schema --all takes the place of its own files alone, and writes all or none") {
  const TempFolder folder;
  const std::string made = folder.file("schemas");
  CHECK(run_simtrain({"schema", "--all", made}).status == 0);
  std::ofstream(made + "/gpu.json") << "{\"mine\": true}\n";
  fs::remove(made + "/topology.json");
  check_no_schema(run_simtrain({"schema", "--all", made}),
                  "gpu.json: is there already, and no schema of simtrain; --force replaces it");
  CHECK(read_file(made + "/gpu.json") == "{\"mine\": true}\n");
  CHECK(!fs::exists(made + "/topology.json"));
  CHECK(run_simtrain({"schema", "--all", made, "--force"}).status == 0);
  CHECK(run_simtrain({"schema", "--all", made}).status == 0);
  CHECK(files_in(made) == schema_names().size());
}

TEST_CASE("schema --all into nowhere is refused and leaves nothing") {
  const TempFolder folder;
  folder.write("file", "");
  check_no_schema(run_simtrain({"schema", "--all", folder.file("no/where")}), "cannot be made");
  check_no_schema(run_simtrain({"schema", "--all", folder.file("file")}), "file");
  check_no_schema(run_simtrain({"schema", "--all", ""}), "names no folder");
  check_no_schema(run_simtrain({"schema", "gpu", "--all", folder.file("made")}), "of all kinds");
  check_no_schema(run_simtrain({"schema", "--force"}), "--force");
  CHECK(files_in(folder.path()) == 1);
  fs::create_directory(folder.file("full"));
  fs::create_directory(folder.file("full/topology.json"));
  check_no_schema(run_simtrain({"schema", "--all", folder.file("full")}), "topology.json");
  CHECK(files_in(folder.file("full")) == 1);
}

TEST_CASE("A kind without a schema is refused with the closest that has one") {
  check_no_schema(run_simtrain({"schema", "gpus"}), "'gpus' has no schema; did you mean 'gpu'?");
  check_no_schema(run_simtrain({"schema", "gpu", "node"}), "takes one kind");
}

TEST_CASE("Every document has a schema that names it") {
  for (const DocumentKind& kind : document_kinds()) {
    const std::string name(kind.schema == "machine" ? "machine-fit" : kind.schema);
    CAPTURE(name);
    const std::string text = run_simtrain({"schema", name}).out;
    CHECK(holds(text, "\"const\": \"simtrain." + std::string(kind.schema) + "/1\""));
  }
}

}  // namespace
}  // namespace simtrain::testing::schema_test
