#include <doctest/doctest.h>

#include "sim/measured/run_metrics.h"
#include "tests/cli/program.h"
#include "tests/measured/lines.h"
#include "tests/measured/profiles.h"

namespace simtrain::testing {
namespace {

struct Sample {
  std::string line;
  std::string name;
};

const std::vector<Sample>& logs() {
  static const std::vector<Sample> samples{
      {"[rank0]:[titan] 2025-01-01 10:00:00,000 - root - INFO - step: 20  loss:  7.1  memory: "
       "40.0GiB(50.0%)  tps: 5,000  tflops: 300.0  mfu: 30.0%",
       "torchtitan's log, which is not read yet"},
      {"completed step: 7, seconds: 12.5, TFLOP/s/device: 400.1, loss: 9.1",
       "MaxText's log, which is not read yet"},
      {"iteration: 3 / 9 | consumed_tokens: 96 | elapsed_time_per_iteration_ms: 1.5K | lm_loss: 9",
       "nanotron's log, which is not read yet"},
      {"[rank-0/8] : iteration 8/ 50 | elapsed time per iteration (ms): 900.0/910.5 | tokens per "
       "GPU (tokens/s/GPU): 900.1/899.0 |",
       "Primus' log, which is not read yet"},
      {":::MLLOG {\"namespace\": \"\", \"key\": \"tracked_stats\"}", "MLPerf's log"},
      {"{'loss': 1.5, 'grad_norm': 0.5, 'learning_rate': 1e-05, 'epoch': 0.1}",
       "the log of Hugging Face's Trainer"},
      {"Wall time,Step,Value", "a CSV of TensorBoard, which does not name its values"},
      {std::string("\x18\0\0\0\0\0\0\0", 8) + "brain.Event:2", "an event file of TensorBoard"},
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
    CHECK(why.find("formats that are read: dllogger, nemo, nemo-progress-bar, megatron, csv") !=
          std::string::npos);
  }
  CHECK(run_metrics(read_text("hello\n"), {})
            .why.starts_with("the log holds no step that can be read; formats that are read: "));
}

TEST_CASE("a log that is read is not taken for another by words in it") {
  CHECK(read_text(logs()[0].line + "\n" + nemo_line(3, "1.5")).foreign.empty());
}

TEST_CASE("a profile that is not read is recognized too") {
  const std::vector<Sample> samples{
      {std::string("SQLite format 3\0\x10", 17), "an SQLite export of nsys; 'nsys stats"},
      {" Time (%)  Total Time (ns)  Instances  Avg (ns)  Name", "a text table of nsys stats"},
      {megatron_line(3, "1500.0"), "a training log; 'simtrain metrics' reads it"},
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
}  // namespace simtrain::testing
