#include <cmath>

#include <doctest/doctest.h>

#include "tests/measured/lines.h"

namespace simtrain::testing::log_formats_test {
namespace {

/// The only line that was skipped, and why.
std::string skipped(const MeasuredRun& run) {
  REQUIRE(run.skipped.count == 1);
  return fmt::format("{}: {}", run.skipped.named[0].line, run.skipped.named[0].why);
}

TEST_CASE("nemo: fields of a line, and the step by iteration where global_step is missing") {
  const MeasuredRun run = read_text(
      "0: Training epoch 0, iteration 11/49 | grad_norm: 2.5 | reduced_train_loss: 11.96 | "
      "train_step_timing in s: 21.54 | TFLOPS_per_GPU: 1600.74\n");
  CHECK(run.format == "nemo");
  REQUIRE(run.steps.size() == 1);
  CHECK(run.steps[0].number == 11);
  CHECK(run.steps[0].seconds == 21.54);
  CHECK(run.steps[0].tflops == 1600.74);
  CHECK(run.steps[0].loss == 11.96F);
  CHECK(run.steps[0].finite);
  CHECK(!run.facts.global_batch_size);
}

TEST_CASE("nemo: the log without its end, at each of its bytes") {
  const std::string whole = nemo_line(11, "12.39") + nemo_line(12, "12.40");
  const std::size_t first = nemo_line(11, "12.39").size();
  for (std::size_t size = first; size < whole.size(); ++size) {
    const MeasuredRun run = read_text(whole.substr(0, size));
    CAPTURE(whole.substr(first, size - first));
    for (const MeasuredStep& step : run.steps)
      CHECK(step.seconds == (step.number == 11 ? 12.39 : 12.40));
    CHECK(run.steps.size() + static_cast<std::size_t>(run.skipped.count) <= 2);
    if (run.steps.size() == 1 && size > first + 40) CHECK(run.skipped.count == 1);
  }
}

TEST_CASE("nemo: lines that others were written into are named") {
  const std::string line = nemo_line(12, "12.40");
  const std::string good = nemo_line(11, "12.39");
  CHECK(skipped(read_text(good + line.substr(0, 60) + good)) ==
        "2: holds two steps: another line was written into it");
  CHECK(skipped(read_text(good + line.substr(0, 60) + "\n")) ==
        "2: is a training step without 'train_step_timing in s'");
  CHECK(skipped(read_text(good + line.substr(90))) ==
        "2: its step number is missing, cut off or no number");
  CHECK(skipped(read_text(good + nemo_line(12, "12.[rank3]: hello"))) ==
        "2: its step time is cut off or no number");
  CHECK(skipped(read_text(good + nemo_line(12, "nan"))) ==
        "2: its step time is not a positive number of seconds");
  CHECK(skipped(read_text(good + nemo_line(12, "-1"))) ==
        "2: its step time is not a positive number of seconds");
}

TEST_CASE("nemo-progress-bar: pieces between carriage returns; large numbers by the bar's count") {
  const MeasuredRun run =
      read_text(bar_line(11, "3.590") + bar_line(12, "3.600") +
                    "\rEpoch 0: : 12%|█▏   | 123457/200000 [00:57<07:00, global_step=1.23e+5, "
                    "consumed_samples=3.16e+7, train_step_timing in s=3.610]\n",
                all_steps());
  CHECK(run.format == "nemo-progress-bar");
  REQUIRE(run.steps.size() == 3);
  CHECK(run.steps[1].number == 12);
  CHECK(run.steps[1].seconds == 3.6);
  CHECK(run.steps[2].number == 123456);
  CHECK(run.facts.batch_from_samples.value() == 256);
  CHECK(run.lines == 1);
  CHECK(skipped(read_text(bar_line(11, "3.590") + bar_line(12, "3.600").substr(0, 120))) ==
        "1: is a progress bar without 'train_step_timing in s'");
}

TEST_CASE("megatron: fields, arguments, and the TFLOP/s of Megatron-Bridge's own line") {
  const MeasuredRun run = read_text(
      "------------------------ arguments ------------------------\n"
      "  seq_length ...................................... 8192\n"
      "  world_size ...................................... 64\n"
      "-------------------- end of arguments ---------------------\n"
      " > padded vocab (size: 50257) with 943 dummy tokens (new size: 51200)\n" +
          megatron_line(1, "50000.0") +
          "Step Time : 5.41s GPU utilization: 763.5MODEL_TFLOP/s/GPU\n"
          " iteration        2/      50 | elapsed time per iteration (ms): 5412.3 | lm loss: nan "
          "|\n"
          " iteration        3/      50 | elapsed time per iteration (s): 5.5 |\n"
          " validation loss at iteration 3 | lm loss value: 1.0 |\n",
      all_steps());
  CHECK(run.format == "megatron");
  CHECK(run.skipped.count == 0);
  REQUIRE(run.steps.size() == 3);
  CHECK(run.steps[0].seconds == 50.0);
  CHECK(run.steps[0].tflops == 612.1);
  CHECK(run.steps[0].loss == 11.96F);
  CHECK(run.steps[1].tflops == 763.5);
  CHECK(!run.steps[1].finite);
  CHECK(run.steps[2].seconds == 5.5);
  CHECK(std::isnan(run.steps[2].tflops));
  CHECK(run.facts.global_batch_size.value() == 128);
  CHECK(run.facts.configuration.at("seq_length") == "8192");
  CHECK(run.facts.configuration.at("world_size") == "64");
  CHECK(run.facts.configuration.at("padded_vocab_size") == "51200");
  CHECK(skipped(read_text(megatron_line(1, "5.0") + megatron_line(2, "5.0").substr(0, 80))) ==
        "2: is a training step without 'elapsed time per iteration'");
  CHECK(skipped(read_text(megatron_line(1, "5.0") + megatron_line(2, "5.0x"))) ==
        "2: its step time is cut off or no number");
  const MeasuredRun cut = read_text(
      "iteration        1/      50 | elapsed time per iteration (ms): 5000.0 |\n"
      "[default0]:iteration        2/      50 | elapsed time per iteration (ms): 5100.0 |\n",
      all_steps());
  REQUIRE(cut.steps.size() == 2);
  CHECK(cut.steps[1].seconds == 5.1);
  const std::string blank = " iteration     /      50 | elapsed time per iteration (ms): 5.0 |\n";
  CHECK(skipped(read_text(megatron_line(1, "5.0") + blank)) ==
        "2: its step number is missing, cut off or no number");
}

TEST_CASE("dllogger: prefix or not, one line or several, configuration, steps as lists") {
  const std::string step = dllogger_line(12, "118.5");
  const std::string bare = step.substr(5);
  std::string spread = step;
  for (std::size_t at = 0; (at = spread.find(", ", at)) != std::string::npos; at += 2)
    spread.replace(at, 2, ",\n  ");
  for (const std::string& text : {step, bare, spread, "rank0: " + step, spread.substr(5)}) {
    CAPTURE(text);
    const MeasuredRun run = read_text(text);
    CHECK(run.format == "dllogger");
    CHECK(run.skipped.count == 0);
    REQUIRE(run.steps.size() == 1);
    CHECK(run.steps[0].number == 12);
    CHECK(run.steps[0].seconds == 118.5);
    CHECK(run.facts.batch_from_samples.value() == 2016);
  }
  const MeasuredRun run = read_text(
      R"(DLLL {"step": "PARAMETER", "data": {"cfg/num_layers": 126, "cfg/fp8": "True", "cfg/x": [1]}})"
      "\n"
      R"({"data": {"train_step_timing in s": 1.5, "grad_norm": NaN}, "step": [0, 3]})"
      "\n"
      R"({"data": {"throughput": 5}, "step": []})"
      "\n",
      all_steps());
  CHECK(run.skipped.count == 0);
  CHECK(run.facts.configuration.at("cfg/num_layers") == "126");
  CHECK(run.facts.configuration.at("cfg/fp8") == "True");
  CHECK(run.facts.configuration.size() == 2);
  REQUIRE(run.steps.size() == 1);
  CHECK(run.steps[0].number == 3);
  CHECK(!run.steps[0].finite);
}

TEST_CASE("dllogger: records that are cut off or mixed are named, those around them read") {
  const std::string a = dllogger_line(11, "118.5");
  const std::string b = dllogger_line(12, "118.6");
  const std::string why = "is a record that is cut off, or that other lines were written into";
  const MeasuredRun cut = read_text(a + b.substr(0, 90) + "\n" + dllogger_line(13, "118.7"));
  CHECK(skipped(cut) == "2: " + why);
  CHECK(cut.steps.size() == 2);
  CHECK(skipped(read_text(a + b.substr(0, 90))) == "2: " + why);
  const MeasuredRun mixed = read_text(a + b.substr(0, 90) + "\nwarning: hello\n" + b.substr(90));
  CHECK(mixed.skipped.count == 1);
  CHECK(mixed.steps.size() == 1);
  const MeasuredRun glued = read_text(a.substr(0, a.size() - 1) + b);
  CHECK(glued.steps.size() == 2);
  CHECK(glued.skipped.count == 0);
  CHECK(skipped(read_text(a + "DLLL {\"step\": 12, \"data\": {\"a\" 5}}\n")) ==
        "2: is no JSON record that can be read");
}

TEST_CASE("csv: the names of columns, quotes, a row that is short, one of other figures") {
  const MeasuredRun run = read_text(
      "\xef\xbb\xbf\"Step\",\"run-7 - train_step_timing in s\",loss,note\r\n"
      "0,30.5,12.5,\"a, b\"\r\n1,12.5,nan,\r\n2,12.75\r\n3,,1,\r\n",
      all_steps());
  CHECK(run.format == "csv");
  REQUIRE(run.steps.size() == 2);
  CHECK(run.steps[0].seconds == 30.5);
  CHECK(run.steps[0].loss == 12.5F);
  CHECK(!run.steps[1].finite);
  REQUIRE(run.skipped.count == 1);
  CHECK(run.skipped.named[0].line == 4);
  CHECK(read_text("iteration,step_time_ms\n7,12500\n", all_steps()).steps[0].seconds == 12.5);
  CHECK(read_text("iteration,step_time_ms\n7,12500\n8,125", all_steps()).steps.size() == 1);
}

TEST_CASE("a log of no known format has no steps, and one format can be asked for") {
  CHECK(read_text("hello\n{\n").format.empty());
  CHECK(read_text("").steps.empty());
  CHECK(read_text(nemo_line(11, "1.5"), {{}, "megatron"}).format.empty());
  CHECK(error_of([] {
          read_text("", {{}, "nem"});
        }) == "--log-format: 'nem' is no format of logs; did you mean 'nemo'?");
}

TEST_CASE("the format's own window, another where it is empty, nothing where one is asked for") {
  std::string log;
  for (int step = 0; step < 50; ++step) log += nemo_line(step, "12.5");
  const MeasuredRun run = read_text(log);
  CHECK(run.steps.size() == 34);
  CHECK(run.steps.front().number == 11);
  CHECK(run.steps.back().number == 44);
  CHECK(run.steps_seen == 50);
  CHECK(run.first_step == 0);
  CHECK(run.last_step == 49);
  CHECK(!run.missed);
  const std::string early = nemo_line(2, "12.5") + nemo_line(3, "12.6");
  CHECK(read_text(early).missed);
  CHECK(read_text(early).steps[0].number == 3);
  CHECK(read_text(early, {parse_window("11:44", ""), ""}).steps.empty());
}

TEST_CASE("of a step that occurs twice the last counts: a restart, several ranks") {
  std::string log;
  for (const int step : {0, 1, 2, 3}) log += nemo_line(step, "10.0");
  for (const int step : {2, 3, 4}) log += nemo_line(step, "12.0");
  const MeasuredRun run = read_text(log, all_steps());
  REQUIRE(run.steps.size() == 5);
  CHECK(run.steps[1].seconds == 10);
  CHECK(run.steps[2].seconds == 12);
  CHECK(run.repeated.count == 2);
  CHECK(run.repeated.largest_difference == doctest::Approx(0.2));
}

TEST_CASE("a batch that grows: the last one counts, found by consumed samples") {
  const MeasuredRun run =
      read_text("step,step_time_s,consumed_samples\n0,1,16\n1,1,32\n2,1,64\n3,1,96\n", all_steps());
  CHECK(run.facts.batch_from_samples.value() == 32);
}

TEST_CASE("dllogger: deep nesting is no way to break the reader") {
  const std::string open(100'000, '[');
  const std::string close(100'000, ']');
  for (const std::string& text :
       {"DLLL {\"step\": " + open + close + ", \"data\": {\"train_step_timing in s\": 1.0}}\n",
        "DLLL {\"step\": 5, \"data\": {\"x\": " + open + close + "}}\n",
        "DLLL {\"step\": \"PARAMETER\", \"data\": {\"x\": " + open + "\n", "DLLL " + open + "\n",
        "DLLL " + std::string(100'000, '{') + "\n"})
    CHECK(read_text(text).steps.empty());
}

}  // namespace
}  // namespace simtrain::testing::log_formats_test
