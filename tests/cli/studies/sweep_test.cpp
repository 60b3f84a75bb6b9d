#include <cmath>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "tests/cli/base_scenario.h"
#include "tests/cli/sweep_runs.h"

namespace simtrain::testing::sweep_test {
namespace {

const std::string kBlock = "sweep: {tp: [1, 2, 3], mbs: 1:2}\n";

nlohmann::json table(const std::vector<std::string>& arguments, const CallOptions& options = {}) {
  const Outcome outcome = run_simtrain(with(arguments, {"--format", "json"}), options);
  CHECK(outcome.status == 0);
  CHECK(outcome.err.empty());
  return nlohmann::json::parse(outcome.out);
}

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST_CASE("sweep prints the best ten and counts the rest") {
  const Outcome outcome = run_simtrain(cheap_sweep(48));
  CHECK(outcome.status == 0);
  CHECK(outcome.err.empty());
  const std::vector<std::string> all = lines(outcome.out);
  REQUIRE(all.size() >= 15);
  CHECK(all[0] == "Sweep of llama31_8b_h100.yaml [bf16-8] with model_overrides.num_layers=2");
  CHECK(all[2].starts_with("tp  optimizer.bucket_size_mb "));
  CHECK(all[14] == "48 of 48 candidates: 36 ok, 0 does_not_fit, 12 illegal");
  CHECK(holds(all[15], "12  parallelism.tensor_model_parallel_size: 3 does not divide"));
}

TEST_CASE("a row of a sweep is what run says") {
  const nlohmann::json json = table(cheap_sweep(16));
  CHECK(json.at("schema") == "simtrain.sweep/1");
  CHECK(json.at("complete") == true);
  REQUIRE(json.at("rows").size() == 16);
  const nlohmann::json& row = json.at("rows").at(6);
  CHECK(row.at("tp") == 2);
  CHECK(row.at("optimizer.bucket_size_mb") == 103);
  const Outcome run = run_simtrain(
      words("run scenarios/llama31_8b_h100.yaml --row bf16-8 --set model_overrides.num_layers=2 "
            "--set tp=2 --set optimizer.bucket_size_mb=103 --format json"));
  const nlohmann::json result = nlohmann::json::parse(run.out);
  CHECK(row.at("step_time_s") == result.at("step_time_s").at("mean"));
  CHECK(row.at("mfu") == result.at("mfu"));
  CHECK(row.at("fingerprint") == result.at("engine").at("fingerprint"));
  CHECK(row.at("joules_per_token") == result.at("energy").at("joules_per_token"));
  CHECK(row.at("tp_exposed_s") == result.at("breakdown_s").at("tp_exposed"));
  CHECK(row.at("dp") == 2);
  CHECK(json.at("columns").at("step_time_s").at("unit") == "s");
  const nlohmann::json& illegal = json.at("rows").at(8);
  CHECK(illegal.at("tp") == 3);
  CHECK(illegal.at("status") == "illegal");
  CHECK(illegal.at("step_time_s").is_null());
  CHECK(!illegal.at("reason").get<std::string>().empty());
}

TEST_CASE("threads change nothing") {
  const TempFolder folder;
  for (const std::string jobs : {"1", "2", "5"}) {
    const Outcome outcome =
        run_simtrain(with(cheap_sweep(80), {"--jobs", jobs, "--hdf5", folder.file(jobs + ".h5"),
                                            "--output", folder.file(jobs + ".csv")}));
    CHECK(outcome.status == 0);
    CHECK(read_file(folder.file(jobs + ".h5")) == read_file(folder.file("1.h5")));
    CHECK(read_file(folder.file(jobs + ".csv")) == read_file(folder.file("1.csv")));
    CHECK(!std::filesystem::exists(folder.file(jobs + ".h5.journal")));
  }
  CHECK(line_count(folder.file("1.csv")) == 81);
}

TEST_CASE("a scenario says itself what to vary; --vary and --set come before it") {
  const TempFolder folder;
  folder.write("own.yaml", std::string(kBaseScenario) + kBlock);
  const CallOptions here{folder.path().string(), {}, ""};
  CHECK(table({"sweep", "own.yaml"}, here).at("rows").size() == 6);
  CHECK(table({"sweep", "own.yaml", "--vary", "tp=2"}, here).at("rows").size() == 2);
  CHECK(table({"sweep", "own.yaml", "--vary", "gbs=32,64"}, here).at("rows").size() == 12);
  CHECK(table({"sweep", "own.yaml", "--set", "tp=2"}, here).at("rows").size() == 2);
  folder.write("plain.yaml", kBaseScenario);
  CHECK(run_simtrain({"own.yaml"}, here).out == run_simtrain({"plain.yaml"}, here).out);
}

TEST_CASE("a wrong sweep block is refused at its place, by every command") {
  const TempFolder folder;
  const CallOptions here{folder.path().string(), {}, ""};
  const auto message = [&](const std::string& block) {
    folder.write("own.yaml", std::string(kBaseScenario) + block);
    const Outcome outcome = run_simtrain({"sweep", "own.yaml"}, here);
    CHECK(outcome.status == 2);
    CHECK(lines(outcome.err).size() == 1);
    return outcome.err;
  };
  CHECK(holds(message("sweep: {tq: [1]}\n"), "own.yaml:25:9: tq: is no key of a scenario"));
  CHECK(holds(message("sweep: {tp: []}\n"), "lists no value"));
  CHECK(holds(message("sweep: {tp: 4:1}\n"), "own.yaml:25:13: "));
  CHECK(holds(message("sweep: {tp: [1, x]}\n"), "'x'"));
  CHECK(holds(message("sweep: {tp: {a: 1}}\n"), "must be"));
  CHECK(holds(message("sweep: {tp: 1, parallelism.tensor_model_parallel_size: 2}\n"),
              "appears twice"));
  CHECK(holds(message("sweep: [tp]\n"), "must be a map of keys, found a list"));
  CHECK(holds(message("sweep:\n"), "must be a map of keys, found nothing"));
  folder.write("own.yaml", std::string(kBaseScenario) + "sweep: {tq: [1]}\n");
  CHECK(run_simtrain({"own.yaml"}, here).status == 2);
}

TEST_CASE("what can never be answered is one line, and nothing is written") {
  const TempFolder folder;
  const std::string file = folder.file("plans.h5");
  for (const char* wrong :
       {"--vary tp=1,two", "--vary tp=0:3", "--vary model=llama9", "--vary tq=1", "--vary tp=",
        "--vary tp", "--vary vp=9:1", "--vary tp=1 --set tp=2", "--jobs 0 --vary tp=1",
        "--jobs x --vary tp=1", "--format xml --vary tp=1", "--vary tp=1 --resume --force",
        "--vary tp=1 --vary tp=2", "--vary gbs=1:9000000 --vary mbs=1:9", "--set tp=2",
        "--vary tp=1 --output /nowhere/at/all.csv", "--vary tp=1 --output plans.txt"}) {
    CAPTURE(wrong);
    const Outcome outcome = run_simtrain(
        with(words("sweep scenarios/llama31_8b_h100.yaml --row bf16-8 " + std::string(wrong)),
             {"--hdf5", file}));
    CHECK(outcome.status == 2);
    CHECK(outcome.out.empty());
    CHECK(lines(outcome.err).size() == 1);
  }
  CHECK(std::filesystem::is_empty(folder.path()));
  CHECK(run_simtrain(words("sweep scenarios/llama31_8b_h100.yaml --vary tp=1")).status == 2);
  CHECK(run_simtrain(words("sweep scenarios/none.yaml --vary tp=1")).status == 2);
  CHECK(run_simtrain({"sweep"}).status == 2);
  CHECK(run_simtrain(with(cheap_sweep(4), {"--resume"})).status == 2);
}

TEST_CASE("finished files are made anew, not replaced by another sweep, and --resume leaves them") {
  const TempFolder folder;
  const std::string h5 = folder.file("plans.h5");
  for (const std::string option : {"--hdf5", "--output"}) {
    for (const std::string name : {"plans.h5", "plans.csv", "plans.json"}) {
      if ((option == "--hdf5") != name.ends_with(".h5")) continue;
      const std::string file = folder.file(name);
      CAPTURE(name);
      const auto files = std::vector<std::string>{option, file};
      CHECK(run_simtrain(with(cheap_sweep(8), files)).status == 0);
      const std::string whole = read_file(file);
      CHECK(run_simtrain(with(cheap_sweep(8), files)).status == 0);
      CHECK(read_file(file) == whole);
      Outcome outcome = run_simtrain(with(cheap_sweep(12), files));
      CHECK(outcome.status == 2);
      CHECK(holds(outcome.err, "answers another question"));
      outcome = run_simtrain(with(with(cheap_sweep(8), files), {"--resume"}));
      CHECK(outcome.status == 0);
      CHECK(outcome.out == file + " is complete already\n");
      outcome = run_simtrain(with(with(cheap_sweep(12), files), {"--resume"}));
      CHECK(outcome.status == 2);
      CHECK(holds(outcome.err, "answers another question"));
      CHECK(read_file(file) == whole);
      CHECK(run_simtrain(with(with(cheap_sweep(12), files), {"--force"})).status == 0);
      CHECK(read_file(file) != whole);
      folder.write(name, "something else\n");
      outcome = run_simtrain(with(with(cheap_sweep(8), files), {"--resume"}));
      CHECK(holds(outcome.err, "is there already, and no table of a sweep; --force replaces it"));
      CHECK(read_file(file) == "something else\n");
    }
  }
}

TEST_CASE("what lies where a sweep goes on is looked at before it is read") {
  const TempFolder folder;
  const std::string deep(100'000, '[');
  const auto message = [&](const std::string& name) {
    const Outcome outcome = run_simtrain(
        with(cheap_sweep(8),
             {"--resume", name.ends_with(".h5") ? "--hdf5" : "--output", folder.file(name)}));
    CHECK(outcome.status == 2);
    CHECK(outcome.out.empty());
    CHECK(lines(outcome.err).size() == 1);
    return outcome.err;
  };
  const std::string no_table = ": is there already, and no table of a sweep; --force replaces it";
  CHECK(run_simtrain(with(cheap_sweep(8), {"--hdf5", folder.file("p.h5")})).status == 0);
  CHECK(run_simtrain(with(cheap_sweep(8), {"--output", folder.file("p.json")})).status == 0);
  const std::string h5 = read_file(folder.file("p.h5"));
  for (const std::size_t at : {h5.find("complete"), h5.find("question"), h5.size() / 2}) {
    std::string changed = h5;
    changed[at] = static_cast<char>(changed[at] ^ 1);
    folder.write("p.h5", changed);
    CHECK(holds(message("p.h5"), no_table));
  }
  const std::string json = read_file(folder.file("p.json"));
  folder.write("p.json", edited(json, "\"simtrain.sweep/1\"", deep));
  CHECK(holds(message("p.json"), no_table));
  folder.write("p.json", edited(json, "\"status\":\"ok\"", "\"status\":" + deep));
  CHECK(run_simtrain(with(cheap_sweep(8), {"--resume", "--output", folder.file("p.json"),
                                           "--report", folder.file("r.html")}))
            .err.find("is damaged: no whole JSON") != std::string::npos);
  for (const std::string name : {"sparse.h5", "sparse.csv", "sparse.csv.journal"}) {
    folder.write(name, name == "sparse.h5" ? "\x89HDF\r\n\x1a\n" : "");
    std::filesystem::resize_file(folder.path() / name, 10'000'000'000);
  }
  CHECK(holds(message("sparse.h5"), no_table));
  CHECK(holds(message("sparse.csv"), no_table));
  std::filesystem::remove(folder.path() / "sparse.csv");
  CHECK(holds(message("sparse.csv"), "sparse.csv.journal: is larger than 1 MiB; none that"));
}

TEST_CASE("a value that no table has room for is refused") {
  const Outcome outcome =
      run_simtrain(with(cheap_sweep(8), {"--vary", "name=" + std::string(70'000, 'n')}));
  CHECK(outcome.status == 2);
  CHECK(holds(outcome.err, "name: has a value of 70000 bytes; up to 65536 would do"));
}

TEST_CASE("memory of a row is whole bytes, the nearest to what run says") {
  const std::string plan =
      " scenarios/llama31_8b_h100.yaml --row bf16-64 --set gbs=56 --set tp=2 --set cp=1 ";
  const nlohmann::json json = table(words("sweep" + plan + "--vary nodes=7"));
  const nlohmann::json run =
      nlohmann::json::parse(run_simtrain(words("run" + plan + "--set nodes=7 --format json")).out);
  const double peak = run.at("memory").at("peak_bytes");
  CHECK(peak - std::floor(peak) > 0.5);
  CHECK(json.at("rows").at(0).at("peak_memory_bytes") == std::llround(peak));
}

/// What the page's reader prints; without h5py and pandas the case says so and is left.
TEST_CASE(
    "HDF5 files of others are no sweep to go on with, whatever they hold in a sweep's place") {
  if (shell("/usr/bin/python3 -c 'import h5py'").status != 0) {
    MESSAGE("skipped: no h5py here; tools/setup.sh test installs it");
    return;
  }
  const TempFolder folder;
  folder.write("write.py", R"(import h5py, numpy
def made(name, complete, question):
    with h5py.File(name, "w") as file:
        file.attrs["schema"] = numpy.bytes_("simtrain.sweep/1")
        file.attrs["complete"] = complete
        file.attrs["question"] = question
        file.create_group("rows")
made("array.h5", numpy.arange(1000), numpy.bytes_("0123456789abcdef"))
made("text.h5", 1, "of variable length")
made("number.h5", "yes", 7)
)");
  REQUIRE(shell("/usr/bin/python3 write.py", {folder.path().string(), {}, ""}).err.empty());
  for (const std::string name : {"array.h5", "text.h5", "number.h5"}) {
    CAPTURE(name);
    const std::string before = read_file(folder.file(name));
    const Outcome outcome =
        run_simtrain(with(cheap_sweep(4), {"--hdf5", folder.file(name), "--resume"}));
    CHECK(outcome.status == 2);
    CHECK(outcome.err.find("is there already, and no table of a sweep") != std::string::npos);
    CHECK(read_file(folder.file(name)) == before);
  }
}

TEST_CASE("h5py and pandas read the HDF5 file") {
  if (shell("/usr/bin/python3 -c 'import h5py, pandas'").status != 0) {
    MESSAGE("skipped: no h5py and pandas here; tools/setup.sh test installs them");
    return;
  }
  const TempFolder folder;
  const auto files = std::vector<std::string>{"--hdf5", folder.file("plans.h5"), "--output",
                                              folder.file("plans.csv")};
  CHECK(run_simtrain(with(cheap_sweep(16), files)).status == 0);
  folder.write("read.py", R"(import h5py, pandas
with h5py.File("plans.h5") as file:
    assert file.attrs["schema"] == b"simtrain.sweep/1" and file.attrs["complete"] == 1
    columns = file["rows"]
    assert columns["step_time_s"].attrs["unit"] == b"s"
    assert columns["tp"].attrs["key"] == b"parallelism.tensor_model_parallel_size"
    assert columns["step_time_s"].chunks is not None
    table = pandas.DataFrame({name: column.asstr()[:] if column.dtype.kind == "S" else column[:]
                              for name, column in columns.items()})
csv = pandas.read_csv("plans.csv")
assert list(table.columns) == list(csv.columns)[:-1], list(table.columns)
for name in ("index", "tp", "step_time_s", "mfu", "gemm_s"):
    pandas.testing.assert_series_equal(table[name], csv[name])
assert list(table["status"]) == list(csv["status"])
assert list(table["reason"]) == list(csv["reason"].fillna(""))
print(len(table), table["status"].value_counts().to_dict())
)");
  const Outcome read = shell("/usr/bin/python3 read.py", {folder.path().string(), {}, ""});
  CHECK(read.err == "");
  CHECK(read.out == "16 {'ok': 12, 'illegal': 4}\n");
}

}  // namespace
}  // namespace simtrain::testing::sweep_test
