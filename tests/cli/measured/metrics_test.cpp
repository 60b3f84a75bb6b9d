#include <doctest/doctest.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tests/cli/browser.h"
#include "tests/cli/program.h"
#include "tests/measured/lines.h"
#include "tests/output/page.h"

namespace simtrain::testing::metrics_test {
namespace {

const std::string kData = "tests/measured/data/";

std::string steps(int count, const std::string& seconds) {
  std::string log;
  for (int step = 0; step < count; ++step) log += nemo_line(step, seconds);
  return log;
}

TEST_CASE("the options of training_metrics print its three lines") {
  const Outcome outcome = run_simtrain(
      words("metrics --file " + kData +
            "dllogger-step-12.json --batch_size 2016 --num_accelerators 224 --precision fp8 "
            "--model_type llama3.1-405b --accelerator_type b200"));
  CHECK(outcome.status == 0);
  CHECK(outcome.err.empty());
  CHECK(outcome.out ==
        "Average step time: 118.18969259\nTFLOPS/Accelerator: 1648.87221318\nMFU: 0.36641605\n");
}

TEST_CASE("wrong options of training_metrics are refused in one line") {
  const std::string call = "metrics --file " + kData + "dllogger-step-12.json --batch_size 2016 ";
  const std::string rest = "--num_accelerators 224 ";
  const std::vector<std::pair<std::string, std::string>> cases{
      {"", "--num_accelerators: is missing; the options of training_metrics need it"},
      {rest, "--model_type: give either this or --model_flops"},
      {rest + "--model_flops 1e15 --model_type llama3.1-405b",
       "--model_type: give either this or --model_flops"},
      {rest + "--model_type llama3.1-45b --max_flops 989",
       "--model_type: 'llama3.1-45b' is not in the tool's table; did you mean 'llama3.1-405b'?"},
      {rest + "--model_flops 1e15", "--accelerator_type: give either this or --max_flops"},
      {rest + "--model_flops 1e15 --accelerator_type a100 --precision fp8",
       "--precision: the tool's table has no fp8 rate of 'a100'"},
      {rest + "--model_flops -1 --max_flops 989", "--model_flops: must be a number above 0"},
      {rest + "--model_flops 1e15 --max_flops 989 --start_step 13",
       kData + "dllogger-step-12.json: holds steps 12 to 12, none of 13 to 30"},
      {rest + "--model_flops 1e15 --max_flops 989 --start_step 13 --end_step 12",
       "--start_step: 13 comes behind the last step that counts, 12"},
      {rest + "a.log", "--batch_size: goes with --file LOG, without another log"},
      {rest + "--gpus 5", "--gpus: does not go with the options of training_metrics"}};
  for (const auto& [options, message] : cases) {
    const auto& shown = options;
    CAPTURE(shown);
    const Outcome outcome = run_simtrain(words(call + options));
    CHECK(outcome.status == 2);
    CHECK(outcome.out.empty());
    CHECK(outcome.err == "simtrain: " + message + "\n");
  }
}

TEST_CASE("one log as text: figures, where inputs come from, what is missing") {
  const Outcome outcome = run_simtrain(words("metrics " + kData +
                                             "log-llama31-8b-step-49.out "
                                             "--scenario scenarios/llama31_8b_h100.yaml --row "
                                             "bf16-8"));
  CHECK(outcome.status == 0);
  for (const std::string part :
       {"12.390 s, of one step", "step 49, all that the log holds", "84631 tokens/s",
        "61.95 % (nvidia-dgxc)", "136.76 days", "128 samples (log: global batch size)",
        "h100-sxm (scenarios/llama31_8b_h100.yaml, bf16-8)"}) {
    CAPTURE(part);
    CHECK(outcome.out.find(part) != std::string::npos);
  }
  const Outcome bare = run_simtrain({"metrics", kData + "log-llama31-8b-step-49.out"});
  CHECK(bare.status == 0);
  CHECK(bare.out.find("tokens/s: not known is the sequence length (--seq-length)") !=
        std::string::npos);
}

TEST_CASE("what the log gives counts more than the scenario, and the difference is reported") {
  const std::string call = "metrics " + kData +
                           "log-llama31-8b-step-49.out --scenario scenarios/llama31_8b_h100.yaml "
                           "--row bf16-8 --set gbs=256";
  const std::string difference =
      "global batch size: 128 (log: global batch size) counts, not 256\n"
      "    (scenarios/llama31_8b_h100.yaml, bf16-8)";
  CHECK(run_simtrain(words(call)).out.find(difference) != std::string::npos);
  CHECK(run_simtrain(words(call + " --gbs 64")).out.find("64 (--gbs)") != std::string::npos);
}

// 003_f297fc10c3e3377f.txt, lines 104 to 108: the title, the head and the layout of a row. The
// times are made to give the printed mean and deviation; they are not the run's.
TEST_CASE("several logs print the table of parse_train_timing.sh") {
  const std::string name =
      "pretrain_nemotron4_340b_fp8_gpus128_tp8_pp4_cp1_vp12_mbs1_gbs512_389757";
  const TempFolder folder;
  std::string log;
  for (int step = 0; step < 50; ++step) {
    const bool even = step % 2 == 0;
    log += fmt::format(
        "Training epoch 0, iteration {0}/49 | global_step: {0} | train_step_timing in s: {1} | "
        "TFLOPS_per_GPU: {2}\n",
        step,
        step < 11 ? "60.0"
        : even    ? "21.552"
                  : "21.532",
        even ? "1601.52" : "1599.96");
  }
  folder.write("log-" + name + ".out", log);
  const Outcome outcome =
      run_simtrain({"metrics", folder.path().string(), "--summary", "--steps", "11:44"});
  CHECK(outcome.status == 0);
  CHECK(
      outcome.out ==
      "Train Step Timing and TFLOPS Analysis (iterations 11-44)\n" + std::string(80, '=') +
          "\n"
          "Experiment                                                                           "
          "       Status Time Mean (s) Time Std (s) TFLOPS_per_GPU Mean TFLOPS_per_GPU Std\n" +
          std::string(90, '-') +
          " -------- ------------- ------------ ------------------- ------------------\n" + name +
          "                     Success        21.542        0.010             1600.74             "
          "  0.78\n");
}

TEST_CASE("a run without steps or with NaN is marked by its status and exit status 1") {
  const TempFolder folder;
  folder.write("good.out", steps(50, "1.5"));
  folder.write("none.out", "hello\n");
  folder.write("nan.out", edited(steps(50, "1.5"), "global_step: 20 | reduced_train_loss: 11.96",
                                 "global_step: 20 | reduced_train_loss: nan"));
  const CallOptions here{folder.path().string(), {}, ""};
  CHECK(run_simtrain({"metrics", "good.out"}, here).status == 0);
  const Outcome all = run_simtrain({"metrics", "good.out", "none.out", "nan.out"}, here);
  CHECK(all.status == 1);
  CHECK(all.out.find("none.out: No steps, the log holds no step that can be read") !=
        std::string::npos);
  CHECK(all.out.find("nan.out: NaN, a loss or gradient norm is NaN or infinite") !=
        std::string::npos);
  CHECK(run_simtrain({"metrics", "none.out"}, here).status == 1);
  CHECK(run_simtrain({"metrics", "good.out", "--steps", "90:99"}, here).status == 1);
}

TEST_CASE("JSON and CSV hold the same as the text") {
  const std::string call = "metrics " + kData +
                           "log-llama31-8b-step-49.out --scenario scenarios/llama31_8b_h100.yaml "
                           "--row bf16-8 --format ";
  const auto json = nlohmann::json::parse(run_simtrain(words(call + "json")).out);
  CHECK(json["schema"] == "simtrain.metrics/1");
  const auto& run = json["runs"][0];
  CHECK(run["format"] == "nemo");
  CHECK(run["step_time_s"]["mean"] == 12.39);
  CHECK(run["inputs"]["gpus"]["value"] == 8);
  CHECK(run["inputs"]["global_batch_size"]["source"] == "log: global batch size");
  CHECK(run["steps"][0]["step"] == 49);
  CHECK(run["window"]["last_step_instead"] == true);
  const std::string csv = run_simtrain(words(call + "csv")).out;
  CHECK(csv.starts_with("name,path,format,status,steps,step_time_s,"));
  CHECK(csv.find("\nllama31-8b-step-49," + kData +
                 "log-llama31-8b-step-49.out,nemo,Partial,1,12.39,") != std::string::npos);
}

TEST_CASE("gzip reads as the file it holds; one that is cut off or damaged is reported") {
  const TempFolder folder;
  folder.write("log-run.out", steps(50, "1.5") + nemo_line(50, "nan"));
  const CallOptions here{folder.path().string(), {}, ""};
  const Outcome plain = run_simtrain({"metrics", "log-run.out", "--format", "csv"}, here);
  CHECK(shell("gzip -k log-run.out && gzip -c log-run.out | head -c 300 > cut.gz", here).status ==
        0);
  const Outcome zipped = run_simtrain({"metrics", "log-run.out.gz", "--format", "csv"}, here);
  CHECK(zipped.out == edited(plain.out, "log-run.out,", "log-run.out.gz,"));
  CHECK(zipped.err.find("line 51: its step time is not a positive number") != std::string::npos);
  const Outcome cut = run_simtrain({"metrics", "cut.gz", "--steps", "all"}, here);
  CHECK(cut.out.find("the compressed data ends too early") != std::string::npos);
  CHECK(cut.signal == 0);
  std::string damaged = read_file(folder.path() / "log-run.out.gz");
  damaged[damaged.size() / 2] = static_cast<char>(damaged[damaged.size() / 2] ^ 0x55);
  folder.write("damaged.gz", damaged);
  CHECK(run_simtrain({"metrics", "damaged.gz"}, here).out.find("the compressed data") !=
        std::string::npos);
}

TEST_CASE("a pipe can be read, and a folder of runs") {
  const TempFolder folder;
  folder.write("log-a.out", steps(50, "1.5"));
  std::filesystem::create_directories(folder.path() / "one/two");
  folder.write("one/two/log-b.out", steps(50, "2.5"));
  folder.write("one/dllogger.json", dllogger_line(12, "3.5"));
  folder.write("one/other.txt", steps(50, "9.5"));
  const CallOptions here{folder.path().string(), {}, ""};
  CHECK(shell("cat log-a.out | \"$SIMTRAIN\" metrics /dev/stdin", here).out.find("1.500 s") !=
        std::string::npos);
  const std::string table = run_simtrain({"metrics", "."}, here).out;
  for (const std::string part : {"\na ", "\nb ", "\ndllogger ", "1.500", "2.500", "3.500"})
    CHECK(table.find(part) != std::string::npos);
  CHECK(table.find("9.500") == std::string::npos);
}

TEST_CASE("what is no log is refused in one line") {
  const TempFolder folder;
  const CallOptions here{folder.path().string(), {}, ""};
  const std::vector<std::pair<std::string, std::string>> cases{
      {"", "metrics takes logs; 'simtrain help metrics' shows how"},
      {"none.out", "none.out: there is no such file"},
      {".", ".: holds no log-*.out and no dllogger.json; name the logs themselves"},
      {"/dev/zero", "/dev/zero: is neither a file nor a pipe; name a log"},
      {"x --row y", "--row: is a row of --scenario; name that too"},
      {"x --set gbs=1", "--set: changes --scenario; name that too"},
      {"x --gpus 0", "--gpus: must be a whole number from 1 to 1e9"},
      {"x --steps 5", "--steps: '5' is no window of steps; "},
      {"x --precision fp9", "--precision: 'fp9' is not known; did you mean 'fp8'?"},
      {"x --gpu h100-sxn", "--gpu: "},
      {"x --format xml", "--format: 'xml' is not known; "},
      {"x --model llama3.1-8b --model-flops 1e15",
       "--model-flops: is given beside --model; give one of them"}};
  for (const auto& [arguments, message] : cases) {
    const auto& shown = arguments;
    CAPTURE(shown);
    const Outcome outcome = run_simtrain(words("metrics " + arguments), here);
    CAPTURE(outcome.err);
    CHECK(outcome.status == 2);
    CHECK(outcome.out.empty());
    CHECK(outcome.err.starts_with("simtrain: " + message));
  }
}

TEST_CASE("compare: a logged step against its scenario") {
  const std::string log = kData + "log-llama31-8b-step-49.out";
  const std::string table = "compare scenarios/llama31_8b_h100.yaml ";
  const std::string call = table + "--row bf16-8 " + log;
  const Outcome text = run_simtrain(words(call));
  CHECK(text.status == 0);
  CHECK(text.err.empty());
  CHECK(text.out.find("Measured          12.390 s, one step") != std::string::npos);
  CHECK(text.out.find("less one: inside the") != std::string::npos);
  const auto json = nlohmann::json::parse(run_simtrain(words(call + " --format json")).out);
  CHECK(json["schema"] == "simtrain.comparison/1");
  CHECK(json["inside"] == true);
  const double gap = json["gap_s"];
  CHECK(gap == doctest::Approx(12.39 - json["predicted_s"].get<double>()));
  CHECK(json["error"] == doctest::Approx(json["predicted_s"].get<double>() / 12.39 - 1));
  CHECK(json["measured_s"]["std"].is_null());
  CHECK(json["explanations"][0]["verdict"] == "plausible");
  for (const auto& row : json["explanations"])
    CHECK(row["needed_s"].get<double>() - row["predicted_s"].get<double>() == doctest::Approx(gap));
  CHECK(run_simtrain(words(table + "--row bf16-8")).status == 2);
  CHECK(run_simtrain(words(call + " --steps 20:30")).err ==
        "simtrain: " + log + ": the log holds steps 49 to 49, not steps 20 to 30\n");
  CHECK(run_simtrain(words(table + log))
            .err.starts_with("simtrain: scenarios/llama31_8b_h100.yaml: --row: the scenario has a "
                             "table; "));
}

TEST_CASE("one step has no deviation, in text, JSON and CSV; below a second there are ms") {
  const TempFolder folder;
  folder.write("one.log", megatron_line(40, "245.5"));
  folder.write("resumed.log", megatron_line(122, "300.0") + megatron_line(123, "245.5") +
                                  megatron_line(124, "246.5"));
  const CallOptions here{folder.path().string(), {}, ""};
  const Outcome one = run_simtrain({"metrics", "one.log"}, here);
  CHECK(one.out.find("Step time         245.500 ms, of one step") != std::string::npos);
  CHECK(one.out.find("Std") == std::string::npos);
  CHECK(one.out.find(", std") == std::string::npos);
  const auto json =
      nlohmann::json::parse(run_simtrain({"metrics", "one.log", "--format", "json"}, here).out);
  CHECK(json["runs"][0]["step_time_s"]["std"].is_null());
  CHECK(json["runs"][0]["logged_tflops_per_gpu"]["std"].is_null());
  const std::string csv = run_simtrain({"metrics", "one.log", "--format", "csv"}, here).out;
  CHECK(csv.find(",Partial,1,0.2455,,0.2455,0.2455,") != std::string::npos);
  const Outcome both = run_simtrain({"metrics", "one.log", "resumed.log"}, here);
  CHECK(both.out.find("N/A") != std::string::npos);
  CHECK(both.out.find("\nWindows\n") != std::string::npos);
  const Outcome resumed = run_simtrain({"metrics", "resumed.log"}, here);
  CHECK(resumed.out.find("Step time         246.000 ms, from 245.500 ms to 246.500 ms") !=
        std::string::npos);
  CHECK(resumed.out.find("Window            steps 123 to 124, what the log holds without its") !=
        std::string::npos);
  CHECK(resumed.out.find("Steps             2 of 3; the log has steps 122 to 124") !=
        std::string::npos);
}

TEST_CASE(
    "--report puts figures, steps and inputs of every log on a page; the text stays the same") {
  const TempFolder folder;
  folder.write("long.log", steps(2000, "2.5"));
  folder.write("nothing.log", "no step\n");
  folder.write("b\xff.log", steps(1, "2.5"));
  const std::vector<std::string> call{"metrics", "b\xff.log", "long.log", "nothing.log",
                                      "--gpus",  "8",         "--steps",  "all"};
  std::vector<std::string> reported = call;
  reported.insert(reported.end(), {"--report", "logs.html"});
  const Outcome outcome = run_simtrain(reported, {folder.path(), {}, ""});
  CHECK(outcome.status == 1);  // one log has no figures
  CHECK(outcome.out == run_simtrain(call, {folder.path(), {}, ""}).out);
  const std::string page = read_file(folder.file("logs.html"));
  check_whole(page);
  CHECK(has(page, "2.500 s"));
  CHECK(has(page, "Strokes: the shortest to the longest"));
  CHECK(has(page, "No steps"));
  CHECK(has(unlabelled(page), "<td>8 GPUs</td><td>--gpus</td>"));
  const nlohmann::json charts = data_of(page).at("steps");
  CHECK(charts[0].at("steps").empty());  // one step
  CHECK(charts[1].at("steps").size() == 430);
  CHECK(charts[1].at("steps")[0] == nlohmann::json({0, 2.5, 2.5}));
  CHECK(charts[2].at("steps").empty());
  CHECK(page.find('\xff') == std::string::npos);
  if (browser_here()) {
    const Outcome opened = in_browser(folder.file("logs.html"));
    CHECK(drawn(opened.out, "steps-1", "<svg"));
    CHECK_FALSE(has(opened.out, "Uncaught"));
  }
  const Outcome tool = run_simtrain(
      words("metrics --file " + kData +
            "dllogger-step-12.json --batch_size 2016 --num_accelerators 224 --precision fp8 "
            "--model_type llama3.1-405b --accelerator_type b200 --report logs.html"));
  CHECK(tool.err == "simtrain: --report: does not go with the options of training_metrics\n");
}

TEST_CASE("list shows the formats and the windows") {
  CHECK(run_simtrain({"list", "log-formats"}).out.find("nemo-progress-bar  NeMo 1") !=
        std::string::npos);
  CHECK(run_simtrain({"list", "step-windows"}).out.find("10:30, the gpu-recipes") !=
        std::string::npos);
}

}  // namespace
}  // namespace simtrain::testing::metrics_test
