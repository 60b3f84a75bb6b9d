#include <cstring>

#include <doctest/doctest.h>

#include "sim/measured/run_facts.h"
#include "sim/measured/run_metrics.h"
#include "tests/measured/lines.h"

namespace simtrain::testing::framework_logs_test {
namespace {

std::string titan_line(int step, const std::string& clock, int rank = 0) {
  return fmt::format(
      "[rank{}]:[titan] 2025-06-16 {} - root - INFO - step: {:2}  loss:  6.1384  memory: "
      "49.66GiB(52.28%)  tps: 5,856  tflops: 339.16  mfu: 34.29%\n",
      rank, clock, step);
}

std::string why(const MeasuredRun& run, std::size_t at = 0) {
  return fmt::format("{}: {}", run.skipped.named.at(at).line, run.skipped.named.at(at).why);
}

}  // namespace

TEST_CASE("torchtitan: the time of a step is that between lines") {
  const MeasuredRun run =
      read_text(titan_line(10, "23:59:50,500") + titan_line(10, "23:59:50,501", 1) +
                    "[rank0]:[titan] 2025-06-16 23:59:59,000 - root - INFO - "
                    "[GC] Peforming periodical GC collection. 0.06 seconds.\n" +
                    titan_line(20, "23:59:58,500") + titan_line(20, "23:59:58,600", 1),
                all_steps());
  CHECK(run.format == "torchtitan");
  REQUIRE(run.steps.size() == 1);
  CHECK(run.steps[0].number == 20);
  CHECK(run.steps[0].seconds == doctest::Approx(0.8));
  CHECK(run.steps[0].tflops == 339.16);
  CHECK(run.steps[0].loss == 6.1384F);
  CHECK(why(run) ==
        "1: is the first of its steps: the time of a step is that since the line "
        "before");
}

TEST_CASE("torchtitan: midnight, leap days, colours and a restart") {
  std::string over = titan_line(1, "23:59:59,000") + titan_line(2, "00:00:01,000");
  over.replace(over.rfind("06-16"), 5, "06-17");
  CHECK(read_text(over, all_steps()).steps.at(0).seconds == doctest::Approx(2));
  std::string leap = titan_line(1, "23:59:59,000") + titan_line(2, "00:00:00,250");
  leap.replace(leap.find("2025-06-16"), 10, "2024-02-29");
  leap.replace(leap.rfind("2025-06-16"), 10, "2024-03-01");
  CHECK(read_text(leap, all_steps()).steps.at(0).seconds == doctest::Approx(1.25));
  std::string coloured = titan_line(3, "10:00:00,000") + titan_line(4, "10:00:01,500");
  for (const std::string label : {"step:", "loss:", "tps:", "tflops:"}) {
    for (std::size_t at = 0; (at = coloured.find(label, at)) != std::string::npos; at += 10)
      coloured.insert(at, "\x1b[32m");
  }
  CHECK(read_text(coloured, all_steps()).steps.at(0).seconds == doctest::Approx(1.5));
  const MeasuredRun resumed =
      read_text(titan_line(30, "10:00:00,000") + titan_line(40, "10:00:10,000") +
                    titan_line(31, "11:00:00,000") + titan_line(32, "11:00:01,000"),
                all_steps());
  CHECK(resumed.steps.size() == 2);
  CHECK(resumed.skipped.count == 2);
  CHECK(resumed.steps[0].seconds == doctest::Approx(1));
}

TEST_CASE("torchtitan: the job is in its first line, and lines without a time are skipped") {
  const MeasuredRun run = read_text(
      "[titan] Training starts at step 1, with local batch size 2, global batch size 64, sequence "
      "length 8192, total steps 100 (warmup 2)\n" +
      titan_line(1, "10:00:00,000") + titan_line(2, "10:00:01,000") +
      "step: 3  loss: 6.1  memory: 49GiB(52.2%)  tps: 5,856  tflops: 339.16\n");
  const RunFacts facts = facts_of_log(run.facts);
  CHECK(facts.global_batch_size->value == 64);
  CHECK(facts.seq_length->value == 8192);
  CHECK(why(run, 1) == "4: holds no time of its own, which step times are made of");
}

TEST_CASE("MaxText: a line a step, from 0") {
  const std::string line =
      "completed step: 10, seconds: 28.291, TFLOP/s/device: 1520.400, Tokens/s/device: 579.100, "
      "total_weights: 4194304, loss: 13.702\n";
  const MeasuredRun run = read_text("I0101 " + line);
  CHECK(run.format == "maxtext");
  REQUIRE(run.steps.size() == 1);
  CHECK(run.steps[0].number == 10);
  CHECK(run.steps[0].seconds == 28.291);
  CHECK(run.steps[0].tflops == 1520.4);
  CHECK(run.steps[0].loss == 13.702F);
  const MeasuredRun broken =
      read_text(line + "completed step: 11, seconds: 28.2[rank\n" + line.substr(0, 40) + line +
                "completed step: x, seconds: 1.0, loss: 1\n");
  CHECK(broken.steps.size() == 1);
  CHECK(broken.skipped.count == 3);
}

TEST_CASE("nanotron: numbers of three digits and a letter") {
  const std::string line =
      "08/31/2024 14:37:31 [INFO|DP=0|PP=0|TP=0]: iteration: 12 / 15 | consumed_tokens: 512 | "
      "elapsed_time_per_iteration_ms: 4.71K | global_batch_size: 2 | lm_loss: 5.32 | lr: 0.00015 "
      "| model_tflops_per_gpu: 187 | grad_norm: 2.96 | hd_free_memory_tb: 1.18T\n";
  const MeasuredRun run = read_text(line);
  CHECK(run.format == "nanotron");
  REQUIRE(run.steps.size() == 1);
  CHECK(run.steps[0].number == 12);
  CHECK(run.steps[0].seconds == doctest::Approx(4.71));
  CHECK(run.steps[0].tflops == 187);
  CHECK(run.facts.global_batch_size == 2);
  std::string other = line;
  other.replace(other.find("4.71K"), 5, "4.7xK");
  CHECK(why(read_text(line + other)) == "2: its step time is cut off or no number");
}

TEST_CASE("Primus: the mean behind a slash does not count") {
  const MeasuredRun run = read_text(
      "[20251202 06:56:28][rank-7/8][INFO ] [--trainer.py:2560] : iteration 40/ 5000 | consumed "
      "samples: 5120 | elapsed time per iteration (ms): 13100.0/13240.9 | throughput per GPU "
      "(TFLOP/s/GPU): 579.4/573.6 | tokens per GPU (tokens/s/GPU): 10005.5/9903.7 | global batch "
      "size: 128 | lm loss: 4.1E-03 |\n");
  CHECK(run.format == "megatron");
  REQUIRE(run.steps.size() == 1);
  CHECK(run.steps[0].seconds == 13.1);
  CHECK(run.steps[0].tflops == 579.4);
  CHECK(run.facts.global_batch_size == 128);
}

TEST_CASE("Composer: the metrics of a batch are below its head") {
  const std::string first =
      "[batch=1/100]:\n\t Train time/batch: 0\n\t Train loss/train/total: 9.5\n";
  const std::string second =
      "[batch=20/100]:\n\t Train throughput/batches_per_sec: 0.5000\n\t Train "
      "throughput/device/batches_per_sec: 0.0625\n\t Train throughput/device/flops_per_sec: "
      "400000000000000.0000\n\t Train loss/train/total: 8.5\n";
  const MeasuredRun run =
      read_text(first + second + "[batch=21/100]:\n\t Train trainer/x: 1\n", all_steps());
  CHECK(run.format == "composer");
  REQUIRE(run.steps.size() == 1);
  CHECK(run.steps[0].number == 20);
  CHECK(run.steps[0].seconds == 2);
  CHECK(run.steps[0].tflops == 400);
  CHECK(run.steps[0].loss == 8.5F);
}

TEST_CASE("MLPerf: tracked statistics are steps, other records the job") {
  const auto record = [](const std::string& key, const std::string& value,
                         const std::string& metadata) {
    return fmt::format(
        ":::MLLOG {{\"namespace\": \"\", \"time_ms\": 1700000000000, "
        "\"event_type\": \"POINT_IN_TIME\", \"key\": \"{}\", \"value\": {}, "
        "\"metadata\": {{\"file\": \"x.py\", {}}}}}\n",
        key, value, metadata);
  };
  const std::string head = record("global_batch_size", "2048", "\"lineno\": 7") +
                           record("max_sequence_length", "2048", "\"lineno\": 8");
  const MeasuredRun run = read_text(
      "0: " + head + record("tracked_stats", "{\"train_step_time\": 9.5}", "\"step\": 20") +
          record("eval_accuracy", "2.7", "\"step\": 20") +
          record("tracked_stats", "{\"throughput\": 256.0}", "\"step\": 21") +
          record("tracked_stats", "{\"eval_time\": 3.0}", "\"step\": 22") +
          record("tracked_stats", "{\"throughput\": 256.0}", "\"samples_count\": 49152") +
          ":::MLLOG {\"key\": \n",
      all_steps());
  CHECK(run.format == "mlperf");
  REQUIRE(run.steps.size() == 3);
  CHECK(run.steps[0].seconds == 9.5);
  CHECK(run.steps[1].seconds == 8);
  CHECK(run.steps[2].number == 24);
  CHECK(why(run).ends_with("is no JSON record that can be read"));
  const RunFacts facts = facts_of_log(run.facts);
  CHECK(facts.global_batch_size->value == 2048);
  CHECK(facts.seq_length->value == 2048);
}

TEST_CASE("tables of TensorBoard and Weights & Biases by their names") {
  const MeasuredRun titan =
      read_text("Step,run - time_metrics/end_to_end(s),run - tflops\n20,1.25,339.5\n30,1.5,340\n",
                all_steps());
  CHECK(titan.format == "csv");
  CHECK(titan.steps.at(1).seconds == 1.5);
  CHECK(titan.steps.at(0).tflops == 339.5);
  CHECK(read_text("time/batch,throughput/batches_per_sec\n9,0.25\n", all_steps())
            .steps.at(0)
            .seconds == 4);
  const MeasuredRun walls = read_text(
      "Wall time,Step,Value\n1713455596.5,0,45.123\n1713455609.0,1,12.456\n1713455634.0,3,12.5\n",
      all_steps());
  REQUIRE(walls.steps.size() == 2);
  CHECK(walls.steps[0].seconds == 12.5);
  CHECK(walls.steps[1].seconds == 12.5);
  CHECK(walls.skipped.count == 1);
}

TEST_CASE("a chart of Weights & Biases has its least and most beside each value") {
  std::string text =
      "\"Step\",\"run-7 - iteration-time\",\"run-7 - iteration-time__MIN\",\"run-7 - "
      "iteration-time__MAX\",\"run-8 - iteration-time\"\n";
  for (const char* row :
       {"\"1\",\"12.5\",\"1\",\"99\",\"7\"\n", "\"2\",\"12.25\",\"1\",\"99\",\"7\"\n"})
    text += row;
  const MeasuredRun run = read_text(text, all_steps());
  REQUIRE(run.steps.size() == 2);
  CHECK(run.steps[0].seconds == 12.5);
  CHECK(run.steps[1].seconds == 12.25);
  CHECK(run.skipped.count == 1);  // the times of the second run
}

TEST_CASE("the history of a run by Weights & Biases has rows of other things") {
  const MeasuredRun timed = read_text(
      "_step,_runtime,_timestamp,iteration-time,lm loss,validation loss\n"
      "1,13.5,1713455600.5,12.5,8.25,\n1,15.5,1713455602.5,,,7.1\n2,28.5,1713455615.5,12.75,8,\n",
      all_steps());
  REQUIRE(timed.steps.size() == 2);
  CHECK(timed.steps[0].seconds == 12.5);
  CHECK(timed.steps[0].loss == 8.25);
  CHECK(timed.steps[1].seconds == 12.75);
  CHECK(timed.skipped.count == 0);
  // Without a metric of step times those between rows count.
  const MeasuredRun clocked =
      read_text("_step,_runtime,loss\n10,120.5,8\n20,245.5,7\n30,370.5,6\n", all_steps());
  REQUIRE(clocked.steps.size() == 2);
  CHECK(clocked.steps[0].seconds == 12.5);
  CHECK(clocked.steps[1].number == 30);
}

namespace {

std::string varint(std::uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7) bytes += static_cast<char>((value & 0x7f) | 0x80);
  return bytes + static_cast<char>(value);
}

std::string field(int number, const std::string& bytes) {
  return varint(static_cast<std::uint64_t>(number) << 3 | 2) + varint(bytes.size()) + bytes;
}

template <class T>
std::string raw(T value) {
  std::string bytes(sizeof value, '\0');
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

/// A record of an event file; checksums are not read.
std::string event_record(const std::string& event) {
  return raw(std::uint64_t{event.size()}) + "crc1" + event + "crc2";
}

std::string event(std::int64_t step, const std::string& summary) {
  return event_record("\x09" + raw(1.7e9) + "\x10" + varint(static_cast<std::uint64_t>(step)) +
                      field(5, summary));
}

std::string simple_scalar(const std::string& tag, float value) {
  return field(1, field(1, tag) + "\x15" + raw(value));
}

/// As PyTorch's newer writers and TensorFlow 2 put them.
std::string tensor_scalar(const std::string& tag, float value) {
  return field(1, field(1, tag) + field(8, "\x08\x01" + field(4, raw(value))));
}

const std::string kVersion = event_record("\x09" + raw(1.7e9) + field(3, "brain.Event:2"));

}  // namespace

TEST_CASE("an event file of TensorBoard holds scalars of steps") {
  const std::string file = kVersion + event(10, simple_scalar("iteration-time", 2.5F)) +
                           event(10, simple_scalar("lm loss", 7.5F)) +
                           event(11, tensor_scalar("iteration-time", 2.25F)) +
                           event(12, simple_scalar("learning-rate", 1.0F));
  for (const std::size_t piece : {std::size_t{1}, std::size_t{7}, std::size_t{65536}}) {
    const MeasuredRun run = read_text(file, all_steps(), piece);
    CHECK(run.format == "tensorboard");
    REQUIRE(run.steps.size() == 2);
    CHECK(run.steps[0].number == 10);
    CHECK(run.steps[0].seconds == 2.5);
    CHECK(run.steps[0].loss == 7.5F);
    CHECK(run.steps[1].seconds == 2.25);
    CHECK(run.lines == 5);
    CHECK(run.bytes == static_cast<std::int64_t>(file.size()));
    CHECK(run.skipped.count == 0);
  }
}

TEST_CASE("an event file that is cut off, damaged or without step times") {
  const std::string good = kVersion + event(10, simple_scalar("iteration-time", 2.5F));
  for (std::size_t size = kVersion.size(); size < good.size(); ++size) {
    CAPTURE(size);
    CHECK(read_text(good.substr(0, size), all_steps()).steps.empty());
  }
  const MeasuredRun damaged = read_text(
      good + event_record("\x2a\x7f") + event(11, simple_scalar("iteration-time", 3)), all_steps());
  CHECK(damaged.steps.size() == 2);
  CHECK(why(damaged) == "3: is no event that can be read");
  // Fields of the known numbers, written in another way, are of another kind of file.
  const MeasuredRun otherwise = read_text(
      good + event_record("\x12\x01x\x28\x05") + event(12, field(1, "\x08\x05\x12\x01x\x40\x01")),
      all_steps());
  CHECK(otherwise.steps.size() == 1);
  const MeasuredRun endless = read_text(good + raw(std::uint64_t{1} << 40) + "crc1", all_steps());
  CHECK(why(endless) == "3: is longer than events are; what follows is not read");
  const MeasuredRun other = read_text(kVersion + event(1, simple_scalar("accuracy", 2.5F)));
  CHECK(other.steps.empty());
  CHECK(run_metrics(other, {}).why.find("in which no scalar (accuracy) is a step time") !=
        std::string::npos);
}

}  // namespace simtrain::testing::framework_logs_test
