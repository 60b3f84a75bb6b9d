#include <algorithm>
#include <filesystem>
#include <fstream>

#include <doctest/doctest.h>
#include <simtrain/scenario.h>

#include "tests/cli/program.h"
#include "tests/core/checkout.h"

namespace simtrain::api::scenario_test {
namespace {

DataFolder source_data() { return DataFolder(testing::source_dir()); }
Scenario small() { return Scenario::from_data(source_data(), "llama31_8b_h100").row("bf16-8"); }

/// What is wrong with something that throws InputError.
template <class Work>
InputError error_of(const Work& work) {
  try {
    work();
  } catch (const InputError& error) {
    return error;
  }
  FAIL("nothing was thrown");
  return {"", {}, "", ""};
}

TEST_CASE("A data folder lists the names of its families") {
  const DataFolder data = source_data();
  CHECK(data.path() == testing::source_dir());
  for (const std::string& family : DataFolder::families()) {
    CAPTURE(family);
    const std::vector<std::string> names = data.names(family);
    CHECK(!names.empty());
    CHECK(std::is_sorted(names.begin(), names.end()));
  }
  const std::vector<std::string> gpus = data.names("gpus");
  CHECK(std::find(gpus.begin(), gpus.end(), "h100-sxm") != gpus.end());
  CHECK(error_of([&] { static_cast<void>(data.names("gpu")); }).reason().find("gpus") !=
        std::string::npos);
}

TEST_CASE("A folder without hardware is refused") {
  const testing::TempFolder empty;
  const InputError error = error_of([&] { DataFolder(empty.path().string()); });
  CHECK(error.place().file == empty.path().string());
  CHECK(error.what() ==
        empty.path().string() + ": is no data folder: it holds no folder 'hardware'");
}

TEST_CASE("A scenario of the data, of a file and of text are one") {
  const DataFolder data = source_data();
  const std::string path = testing::source_dir() + "/scenarios/llama405b_a4_224.yaml";
  const Scenario named = Scenario::from_data(data, "llama405b_a4_224");
  CHECK(named.rows().empty());
  CHECK(named.gpus() == 224);
  CHECK(named.yaml() == Scenario::from_file(data, path).yaml());
  CHECK(named.yaml() == Scenario::from_text(data, testing::read_file(path)).yaml());
  CHECK(error_of([&] { Scenario::from_data(data, "llama405b").check(); })
            .reason()
            .find("llama405b_a4") != std::string::npos);
}

TEST_CASE("Rows and keys give another scenario and leave the first as it is") {
  const Scenario file = Scenario::from_data(source_data(), "llama31_8b_h100");
  CHECK(file.rows().size() == 10);
  const Scenario row = file.row("bf16-8");
  const Scenario changed = row.with("tp", 2).with("nodes", 4).with("training.precision", "fp8");
  CHECK(row.gpus() == 8);
  CHECK(changed.gpus() == 32);
  CHECK(row.with("gpus", 16).gpus() == 16);
  CHECK(changed.name() != row.name());
  CHECK(row.name() == small().name());
}

TEST_CASE("The YAML of a changed scenario is a scenario that says the same") {
  const Scenario changed = small().with("tp", 2).with("hardware.nic_bandwidth", "200Gb/s");
  const Scenario again = Scenario::from_text(source_data(), changed.yaml(), "again.yaml");
  CHECK(again.rows().empty());
  CHECK(again.yaml() == changed.yaml());
}

TEST_CASE("Errors say file, line, column and key") {
  const DataFolder data = source_data();
  const InputError text =
      error_of([&] { Scenario::from_text(data, "name: mine\nsource: {\n", "mine.yaml").check(); });
  CHECK(text.place().file == "mine.yaml");
  CHECK(text.place().line >= 2);

  std::string yaml = small().yaml();
  const std::size_t at = yaml.find("global_batch_size: 128");
  REQUIRE(at != std::string::npos);
  yaml.replace(at, 22, "global_batch_size: many");
  const InputError value = error_of([&] { Scenario::from_text(data, yaml, "mine.yaml").check(); });
  CHECK(value.place().line ==
        1 + std::count(yaml.begin(), yaml.begin() + static_cast<long>(at), '\n'));
  CHECK(value.place().column > 0);
  CHECK(value.key() == "training.global_batch_size");
  CHECK(std::string(value.what()).ends_with(value.reason()));

  const InputError set = error_of([] { small().with("tp", "[").check(); });
  CHECK(set.place().file == "tp=[");
  const InputError key = error_of([] { small().with("training.seq_lenght", 4096).check(); });
  CHECK(key.place().file == "training.seq_lenght=4096");
  CHECK(key.reason().find("seq_length") != std::string::npos);
  const InputError illegal = error_of([] { small().with("tp", 3).check(); });
  CHECK(illegal.place().file == "tp=3");
}

TEST_CASE("A file with a table needs a row, and one without has none") {
  const DataFolder data = source_data();
  const Scenario table = Scenario::from_data(data, "llama31_8b_h100");
  CHECK(error_of([&] { table.check(); }).reason() ==
        "row: is missing: the file has a table; row 'bf16-8' would do");
  CHECK(error_of([&] { static_cast<void>(table.row("bf16-9")); }).reason().find("bf16-8") !=
        std::string::npos);
  const Scenario plain = Scenario::from_data(data, "llama405b_a4_224");
  CHECK(error_of([&] { static_cast<void>(plain.row("bf16-8")); }).key() == "row");
}

TEST_CASE("The installed data are those of SIMTRAIN_DATA where that is set") {
  CHECK(setenv("SIMTRAIN_DATA", "/nowhere", 1) == 0);
  CHECK(installed_data_path() == "/nowhere");
  CHECK_THROWS_AS(DataFolder::installed(), InputError);
  CHECK(unsetenv("SIMTRAIN_DATA") == 0);
  CHECK(DataFolder::installed().path() == testing::source_dir());
}

}  // namespace
}  // namespace simtrain::api::scenario_test
