#include <algorithm>

#include <doctest/doctest.h>

#include "tests/cli/program.h"
#include "tests/core/checkout.h"

namespace simtrain::testing::trace_test {
namespace {

const std::vector<std::string> kRun{
    "run", "scenarios/llama31_8b_h100.yaml", "--row", "bf16-8", "--set", "gbs=64"};

Outcome run_with(const std::vector<std::string>& more, std::vector<std::string> arguments = kRun) {
  arguments.insert(arguments.end(), more.begin(), more.end());
  return run_simtrain(arguments);
}

std::ptrdiff_t files_in(const TempFolder& folder) {
  const std::filesystem::directory_iterator files(folder.path());
  return std::distance(begin(files), end(files));
}

/// All but the wall-clock time of the engine.
std::string without_wall(const std::string& text) {
  std::istringstream lines(text);
  std::string kept;
  for (std::string line; std::getline(lines, line);) {
    if (line.find("wall") == std::string::npos) kept += line + "\n";
  }
  return kept;
}

TEST_CASE("A trace changes nothing of the report and says what it leaves out") {
  const TempFolder folder;
  const Outcome plain = run_with({"--format", "json"});
  for (const std::string name :
       {"x.pftrace", "x.perfetto-trace", "x.json", "x.json.gz", "x.pftrace.gz"}) {
    CAPTURE(name);
    const Outcome outcome = run_with({"--format", "json", "--trace", folder.file(name)});
    CHECK(outcome.status == 0);
    CHECK(without_wall(outcome.out) == without_wall(plain.out));
    CHECK(outcome.err == "simtrain: note: " + folder.file(name) +
                             " leaves out 7 of 8 ranks; kernels and messages of 14 of 16 "
                             "micro-batches; --trace-ranks and --trace-microbatches choose "
                             "others\n");
    CHECK(std::filesystem::file_size(folder.file(name)) > 1000);
  }
  CHECK(files_in(folder) == 5);
  CHECK(shell("gzip -t '" + folder.file("x.json.gz") + "'").status == 0);
  const Outcome all = run_with(
      {"--trace", folder.file("all.json"), "--trace-ranks", "all", "--trace-microbatches", "0-15"});
  CHECK(all.status == 0);
  CHECK(all.err.empty());
}

TEST_CASE("The same trace twice is the same file") {
  const TempFolder folder;
  for (const std::string name : {"a.pftrace", "b.pftrace", "a.json.gz", "b.json.gz"})
    CHECK(run_with({"--trace", folder.file(name)}).status == 0);
  CHECK(read_file(folder.file("a.pftrace")) == read_file(folder.file("b.pftrace")));
  CHECK(read_file(folder.file("a.json.gz")) == read_file(folder.file("b.json.gz")));
}

TEST_CASE("Traces that cannot be are refused in one line, and nothing is written") {
  const TempFolder folder;
  const std::string file = folder.file("x.json");
  const std::vector<std::pair<std::vector<std::string>, std::string>> wrong{
      {{"--trace", folder.file("x.txt")}, "gives no format"},
      {{"--trace", folder.file("no/x.json")}, "No such file or directory"},
      {{"--trace", folder.path().string() + ".json/"}, "gives no format"},
      {{"--trace", "/dev/full"}, "gives no format"},
      {{"--nccl-trace", "/dev/full"}, "is no regular file"},
      {{"--nccl-trace", folder.path().string()}, "is no regular file"},
      {{"--nccl-trace", folder.file("no/x.log")}, "No such file or directory"},
      {{"--trace", file, "--trace-ranks", "8"}, "--trace-ranks: there is no 8; 0 to 7 would do"},
      {{"--trace", file, "--trace-ranks", "x"}, "'x' is no list of numbers"},
      {{"--trace", file, "--trace-microbatches", "16"}, "there is no 16; 0 to 15 would do"},
      {{"--nccl-trace", file, "--trace-ranks", "0-99"}, "there is no 99"},
      {{"--trace-ranks", "0"}, "goes with --trace FILE"},
      {{"--trace-microbatches", "0"}, "goes with --trace FILE"},
      {{"--nccl-trace", file, "--trace-microbatches", "0"}, "goes with --trace FILE"},
      {{"--trace"}, "--trace"}};
  for (const auto& [arguments, message] : wrong) {
    const Outcome outcome = run_with(arguments);
    CAPTURE(outcome.err);
    CHECK(outcome.status == 2);
    CHECK(outcome.out.empty());
    CHECK(outcome.err.find(message) != std::string::npos);
    CHECK(std::count(outcome.err.begin(), outcome.err.end(), '\n') == 1);
  }
  const Outcome table =
      run_simtrain({"run", "scenarios/llama31_8b_h100.yaml", "--trace", folder.file("x.json")});
  CHECK(table.status == 2);
  CHECK(table.err.find("--row") != std::string::npos);
  CHECK(files_in(folder) == 0);
}

TEST_CASE("A device that fills up leaves no half a trace") {
  for (const std::string option : {"--trace x.json", "--trace x.pftrace", "--nccl-trace x.log"}) {
    CAPTURE(option);
    const TempFolder folder;
    CallOptions options;
    options.folder = folder.path().string();
    const Outcome outcome = shell(
        "trap '' XFSZ; ulimit -f 4; \"$SIMTRAIN\" run " + source_dir() +
            "/scenarios/llama31_70b_h100.yaml --row bf16-64 --set gbs=64 " + option + " >/dev/null",
        options);
    CHECK(outcome.status == 2);
    CHECK(outcome.err.find("cannot be written: File too large") != std::string::npos);
    CHECK(files_in(folder) == 0);
  }
}

TEST_CASE("The log of NCCL calls reads like NCCL's own") {
  const TempFolder folder;
  const std::string log = folder.file("nccl.log");
  const Outcome outcome =
      run_simtrain({"run", "scenarios/llama31_70b_h100.yaml", "--row", "bf16-64", "--set", "gbs=32",
                    "--nccl-trace", log, "--trace-ranks", "0,63"});
  CHECK(outcome.status == 0);
  CHECK(outcome.err.empty());
  const std::string call =
      "^[^ :]+:[0-9]+:[0-9]+ \\[[0-7]\\] NCCL INFO "
      "(AllReduce|AllGather|ReduceScatter|Send|Recv): opCount [0-9a-f]+ sendbuff [^ ]+ recvbuff "
      "[^ ]+ count [0-9]+ datatype [0-9]+ op [0-9]+ root [0-9]+ comm 0x[0-9a-f]+ "
      "\\[nranks=[0-9]+\\] "
      "stream 0x[0-9a-f]+$";
  const auto count = [&](const std::string& pattern) {
    return std::stoi(shell("grep -cE '" + pattern + "' '" + log + "'").out);
  };
  CHECK(count(call) > 100);
  CHECK(count(call) == count(" opCount "));
  CHECK(count("^# rank (0|63): ") == 2);
  CHECK(count("ncclCommInitRank .* Init COMPLETE$") >= 6);
  CHECK(shell("awk '!/NCCL INFO/ && !/^#/' '" + log + "'").out.empty());
  CHECK(run_with({"--nccl-trace", folder.file("x.log.gz")}).status == 0);
  CHECK(shell("gzip -dc '" + folder.file("x.log.gz") + "' | grep -c AllGather").status == 0);
}

}  // namespace
}  // namespace simtrain::testing::trace_test
