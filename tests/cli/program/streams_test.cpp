#include <doctest/doctest.h>

#include "tests/cli/program.h"

namespace simtrain::testing::streams_test {
namespace {

const std::string kRow = "scenarios/llama31_8b_h100.yaml --row bf16-8";

TEST_CASE("A full device is reported") {
  CallOptions options;
  options.standard_output = "/dev/full";
  const Outcome outcome = run_simtrain(words(kRow), options);
  CHECK(outcome.status == 3);
  CHECK(outcome.err == "simtrain: standard output cannot be written\n");
}

TEST_CASE("A closed standard output is reported") {
  CallOptions options;
  options.standard_output = "-";
  const Outcome outcome = run_simtrain(words(kRow), options);
  CHECK(outcome.status == 3);
  CHECK(outcome.err == "simtrain: standard output cannot be written\n");
}

TEST_CASE("A reader that stops early gets its line and no complaint") {
  const Outcome outcome = shell("\"$SIMTRAIN\" " + kRow + " | head -1");
  CHECK(outcome.status == 0);
  CHECK(outcome.out == "Llama 3.1 8B on H100, 8 to 128 GPUs [bf16-8]\n");
  CHECK(outcome.err.empty());
}

TEST_CASE("A reader that is gone ends the program as it ends any other") {
  const Outcome outcome = shell("{ sleep 0.3; \"$SIMTRAIN\" list scenarios; echo $? >&2; } | :");
  CHECK((outcome.err == "141\n" ||  // by SIGPIPE
         outcome.err == "simtrain: standard output cannot be written\n3\n"));
}

TEST_CASE("Output in a file is the output on a pipe") {
  const TempFolder folder;
  CallOptions options;
  options.standard_output = folder.file("report.txt");
  CHECK(run_simtrain(words(kRow), options).status == 0);
  CHECK(read_file(folder.file("report.txt")) == shell("\"$SIMTRAIN\" " + kRow + " | cat").out);
}

}  // namespace
}  // namespace simtrain::testing::streams_test
