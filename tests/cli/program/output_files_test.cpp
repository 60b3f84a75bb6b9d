#include <doctest/doctest.h>

#include "tests/cli/data_copy.h"
#include "tests/cli/sweep_runs.h"

namespace simtrain::testing::output_files_test {
namespace {

namespace fs = std::filesystem;

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// Every option that writes a file, in a command that is at work in a folder with the base scenario
/// `base.yaml`; OUT is the file.
const std::vector<std::string> kOutputs{
    "run base.yaml --trace OUT",
    "run base.yaml --nccl-trace OUT",
    "run base.yaml --report OUT",
    "topology base.yaml --svg OUT",
    "topology base.yaml --report OUT",
    "scale base.yaml --gpus 32 --report OUT",
    "tune base.yaml --limit tp=2 --limit pp=2 --limit cp=1 --limit mbs=1 --report OUT",
    "tune base.yaml --limit tp=2 --limit pp=2 --limit cp=1 --limit mbs=1 --output OUT",
    "sweep base.yaml --vary tp=2 --hdf5 OUT",
    "sweep base.yaml --vary tp=2 --format csv --output OUT",
    "sweep base.yaml --vary tp=2 --report OUT",
    "validate base.yaml --report OUT",
    "validate --nccl base.yaml --report OUT",
    "compare base.yaml log.json --report OUT",
    "metrics log.json --scenario base.yaml --report OUT",
    "import base.yaml --output OUT",
    "calibrate --rows nemotron-15b:bf16 --parameters base.yaml --write OUT"};

std::string with_file(const std::string& command, const std::string& file) {
  return edited(command, "OUT", file);
}

/// The command at work in the folder of the copied data.
Outcome run_in(const Data& data, const std::string& line) {
  const std::string folder = fs::path(data.path("base.yaml")).parent_path();
  return run_simtrain(words(line), {folder, {{"SIMTRAIN_DATA", folder}}, ""});
}

TEST_CASE("No output takes the place of what its command reads, by any name, nor with --force") {
  const Data data;
  data.write("log.json", "{}\n");
  fs::create_symlink(data.path("base.yaml"), data.path("link.json"));
  fs::create_hard_link(data.path("base.yaml"), data.path("twin.json"));
  for (const std::string& command : kOutputs) {
    for (const std::string file : {"./base.yaml", "scenarios/../link.json", "twin.json"}) {
      for (const std::string force : {"", " --force"}) {
        const bool both = command.starts_with("run base.yaml --trace") && file == "./base.yaml";
        if (both) continue;  // its name gives no format
        CAPTURE(command);
        CAPTURE(file);
        CAPTURE(force);
        const Outcome outcome = run_in(data, with_file(command, file) + force);
        CHECK(outcome.status == 2);
        CHECK(outcome.out.empty());
        CHECK(std::count(outcome.err.begin(), outcome.err.end(), '\n') == 1);
        CHECK(holds(outcome.err, "; name another"));
        CHECK(data.read("base.yaml") == kBaseScenario);
      }
    }
  }
  CHECK(fs::is_symlink(data.path("link.json")));
}

TEST_CASE("No output takes the place of a hardware file that its command reads") {
  const Data data;
  const std::string gpu = data.read("hardware/gpus/h100-sxm.yaml");
  fs::create_symlink(data.path("hardware/gpus/h100-sxm.yaml"), data.path("gpu.json"));
  for (const std::string& command : kOutputs) {
    if (!command.starts_with("run") && !command.starts_with("topology") &&
        !command.starts_with("sweep"))
      continue;
    CAPTURE(command);
    const Outcome outcome = run_in(data, with_file(command, "gpu.json") + " --force");
    CHECK(outcome.status == 2);
    CHECK(holds(outcome.err, ": is a file of hardware; name another"));
    CHECK(data.read("hardware/gpus/h100-sxm.yaml") == gpu);
  }
}

TEST_CASE(
    "An output takes the place of an earlier one of its kind, of any file with --force only") {
  const Data data;
  for (const std::string name :
       {"trace t.json", "trace t.json.gz", "trace t.pftrace", "trace t.pftrace.gz",
        "nccl-trace n.log", "nccl-trace n.log.gz", "report r.html"}) {
    const std::string file = words(name)[1];
    const std::string line = "run base.yaml --" + name;
    CAPTURE(line);
    data.write(file, "");
    CHECK(run_in(data, line).status == 0);
    const std::string written = data.read(file);
    CHECK(!written.empty());
    CHECK(run_in(data, line).status == 0);
    CHECK(data.read(file) == written);
    for (const std::string other : {"{\"traceEvents\":[]}", "<!doctype html>\n<p>mine", "mine\n",
                                    "a:1:1 [0] NCCL INFO ncclCommInitRank comm 0x1 rank 0\n"}) {
      data.write(file, other);
      const Outcome outcome = run_in(data, line);
      CHECK(outcome.status == 2);
      CHECK(outcome.out.empty());
      CHECK(holds(outcome.err, file + ": is there already, and no "));
      CHECK(holds(outcome.err, "; --force replaces it\n"));
      CHECK(data.read(file) == other);
    }
    CHECK(run_in(data, line + " --force").status == 0);
    CHECK(data.read(file) == written);
  }
  const std::string drawing = "topology base.yaml --svg d.svg";
  CHECK(run_in(data, drawing).status == 0);
  CHECK(run_in(data, drawing).status == 0);
  data.write("d.svg", "<svg xmlns=\"http://www.w3.org/2000/svg\"><title>mine</title></svg>");
  CHECK(holds(run_in(data, drawing).err, "d.svg: is there already, and no drawing of simtrain"));
  CHECK(run_in(data, drawing + " --force").status == 0);
  CHECK(run_in(data, "run base.yaml --force").err ==
        "simtrain: --force: replaces a file; name one with --trace or --nccl-trace or --step-log "
        "or --report\n");
}

TEST_CASE("A name that leaves no room beside it is refused before the work") {
  const Data data;
  const std::string name(245, 'n');
  for (const std::string& line : {"sweep base.yaml --vary tp=2 --hdf5 " + name,
                                  "sweep base.yaml --vary tp=2 --output " + name + name + ".csv",
                                  "run base.yaml --report " + name + name}) {
    CAPTURE(line);
    const Outcome outcome = run_in(data, line);
    CHECK(outcome.status == 2);
    CHECK(outcome.out.empty());
    CHECK(holds(outcome.err, "File name too long") != holds(outcome.err, "its name is too long"));
  }
}

/// Whether files in a folder end so.
bool any_ends(const fs::path& folder, const std::string& end) {
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().string().ends_with(end)) return true;
  }
  return false;
}

TEST_CASE("A signal that ends a command takes the parts of its files along") {
  const TempFolder folder;
  const std::string trace = folder.file("t.json");
  for (const int signal : {SIGINT, SIGTERM}) {
    Running run(
        simtrain_command(words("run scenarios/llama31_405b_h100.yaml --row bf16-512 "
                               "--trace-ranks 0-63 --trace-microbatches all --trace " +
                               trace)));
    for (int i = 0; i < 3000 && !any_ends(folder.path(), ".partial"); ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    REQUIRE(any_ends(folder.path(), ".partial"));
    run.signal(signal);
    CHECK(run.finish().signal == signal);
    CHECK(fs::is_empty(folder.path()));
  }
}

}  // namespace
}  // namespace simtrain::testing::output_files_test
