#include <doctest/doctest.h>

#include "sim/measured/run_metrics.h"
#include "tests/cli/program.h"
#include "tests/measured/lines.h"
#include "tests/measured/profiles.h"

namespace simtrain::testing::foreign_format_test {
namespace {

struct Sample {
  std::string line;
  std::string name;
};

const std::vector<Sample>& logs() {
  static const std::vector<Sample> samples{
      {"[2025-01-01] [INFO] [Rank 0] step=10, skipped=0, lr=[0.001], mom=[0.9]",
       "DeepSpeed's log, which is not read yet"},
      {"{'loss': 1.5, 'grad_norm': 0.5, 'learning_rate': 1e-05, 'epoch': 0.1}",
       "the log of Hugging Face's Trainer"},
      {"{\"_timestamp\": 1.5, \"_step\": 3}", "the history of Weights & Biases; its export as CSV"},
      {"host:1:1 [0] NCCL INFO AllReduce: opCount 1",
       "a log of NCCL's calls; 'simtrain profile' reads it"},
      {"# nThread 1 nGpus 8 minBytes 8 maxBytes 64 step: 2(factor)",
       "the output of nccl-tests; 'simtrain validate --nccl' reads it"}};
  return samples;
}

TEST_CASE("a log that is not read is recognized, and the formats that are read are named") {
  for (const Sample& sample : logs()) {
    CAPTURE(sample.name);
    const MeasuredRun run = read_text("starting\n" + sample.line + "\nmore\n");
    CHECK(run.format.empty());
    const std::string why = run_metrics(run, {}).why;
    CHECK(why.find("it looks like " + sample.name) != std::string::npos);
    CHECK(
        why.find("formats that are read: dllogger, nemo, nemo-progress-bar, megatron, torchtitan, "
                 "maxtext, nanotron, composer, mlperf, csv, tensorboard") != std::string::npos);
  }
  CHECK(run_metrics(read_text("hello\n"), {})
            .why.starts_with("the log holds no step that can be read; formats that are read: "));
}

TEST_CASE("a log that is read is not taken for another by words in it") {
  CHECK(read_text(logs()[0].line + "\n" + nemo_line(3, "1.5")).foreign.empty());
}

TEST_CASE("a profile that is not read is recognized too") {
  const std::vector<Sample> samples{
      {" Time (%)  Total Time (ns)  Instances  Avg (ns)  Name", "a text table of nsys stats"},
      {megatron_line(3, "1500.0"), "a training log; 'simtrain metrics' reads it"},
      {"completed step: 7, seconds: 12.5, TFLOP/s/device: 400.1, loss: 9.1",
       "MaxText's log; 'simtrain metrics' reads it"},
      {"\"Name\",\"Calls\",\"TotalDurationNs\",\"AverageNs\",\"Percentage\"",
       "a table of rocprof, which is not read yet"}};
  const TempFolder folder;
  for (const Sample& sample : samples) {
    CAPTURE(sample.name);
    folder.write("profile", sample.line + "\n");
    const std::string message = error_of([&] { read_profile_file(folder.file("profile"), ""); });
    CHECK(message.find("it looks like " + sample.name) != std::string::npos);
    CHECK(message.find("nccl-log") != std::string::npos);
    CHECK(message.find("kineto-trace") != std::string::npos);
  }
}

TEST_CASE("step times of several runs in one table: those that do not count are reported") {
  const MeasuredRun run = read_text(
      "Step,run-1 - train_step_timing in s,run-2 - train_step_timing in s\n1,2.5,3.5\n2,2.5,3.5\n",
      all_steps());
  REQUIRE(run.steps.size() == 2);
  CHECK(run.steps[0].seconds == 2.5);
  CHECK(run.skipped.named.at(0).why ==
        "names step times of several runs; only the first of them count");
}

}  // namespace
}  // namespace simtrain::testing::foreign_format_test
