#include <algorithm>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <simtrain/simtrain.h>

#include "tests/cli/program.h"
#include "tests/core/checkout.h"

namespace simtrain::testing::examples_test {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> examples() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(source_dir() + "/examples")) {
    if (entry.path().extension() == ".cpp") names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

/// Runs an example of the build, in a folder that is none of ours.
Outcome run_example(const std::string& name, std::vector<std::string> arguments = {}) {
  arguments.insert(arguments.begin(), build_dir() + "/examples/" + name);
  return run_command_line(arguments, {"/", {}, ""});
}

std::string output_of(const std::string& name) {
  const Outcome outcome = run_example(name);
  CAPTURE(name);
  CHECK(outcome.err == "");
  CHECK(outcome.status == 0);
  return outcome.out;
}

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST_CASE("There are eleven examples, short ones, each in the index") {
  CHECK(examples().size() == 11);
  const std::string index = read_file(source_dir() + "/examples/README.md");
  for (const std::string& name : examples()) {
    CAPTURE(name);
    const std::string text = read_file(source_dir() + "/examples/" + name + ".cpp");
    CHECK(std::count(text.begin(), text.end(), '\n') < 60);
    CHECK(!holds(text, "\"sim/"));
    CHECK(holds(index, "[" + name + ".cpp](" + name + ".cpp)"));
  }
}

TEST_CASE("Each example runs and prints what it shows") {
  const Outcome program =
      run_simtrain({"scenarios/llama31_8b_h100.yaml", "--row", "bf16-8", "--format", "json"});
  const auto json = nlohmann::json::parse(program.out);
  const double step = json["step_time_s"]["mean"];
  const std::string seconds = std::to_string(step).substr(0, 4);

  const std::string simulated = output_of("simulate");
  CHECK(holds(simulated, "llama3.1-8b on 8 GPUs"));
  CHECK(holds(simulated, "step time      " + seconds));
  CHECK(holds(output_of("change_key"), "NICs of 100 Gb/s"));
  CHECK(holds(output_of("compare_clusters"), "gcp-a3-ultra"));
  CHECK(holds(output_of("sweep_tp_pp"), "fastest that fits: tp"));
  CHECK(holds(output_of("memory_per_stage"), "fits: "));
  CHECK(holds(output_of("breakdown"), "gemm "));
  CHECK(holds(output_of("errors"), "file 'mine.yaml', line 3"));
  CHECK(holds(output_of("scenario_from_text"), "tensor_model_parallel_size: 4"));
  CHECK(holds(output_of("best_plan"), "TP "));
  CHECK(holds(output_of("threads"), json["engine"]["fingerprint"].get<std::string>()));

  auto written = nlohmann::json::parse(output_of("write_json"));
  written["engine"]["wall_s"] = json["engine"]["wall_s"];
  CHECK(written == json);
}

TEST_CASE("sweep_rows prints what the program does, row by row, and what is wrong with a sweep") {
  const Outcome program = run_simtrain({"sweep", "scenarios/llama31_8b_h100.yaml", "--row",
                                        "bf16-16", "--vary", "gbs=128,64", "--format", "json"});
  const auto json = nlohmann::json::parse(program.out);
  std::string rows;
  for (const auto& row : json["rows"])
    rows += fmt::format("{} {:.17g} s\n", row["gbs"].get<int>(), row["step_time_s"].get<double>());
  const auto printed = [](const std::string& values) {
    return run_example("sweep_rows", {"llama31_8b_h100", "bf16-16", "gbs", values});
  };
  CHECK(printed("128,64").out == rows);
  CHECK(printed("128,none").status == 2);
  CHECK(printed("128,7").out.starts_with("128 "));
  CHECK(holds(printed("128,7").out, "\n7 training.global_batch_size"));
  CHECK(run_example("sweep_rows", {"no_such", "bf16-16", "gbs", "128"}).status == 2);
  CHECK(run_example("sweep_rows", {"llama31_8b_h100"}).status == 2);
  CHECK(output_of("sweep_rows").starts_with("1024 "));
}

TEST_CASE("write_json writes to the file that is named") {
  const TempFolder folder;
  CHECK(run_example("write_json", {folder.file("result.json")}).status == 0);
  CHECK(nlohmann::json::parse(read_file(folder.file("result.json")))["gpus"] == 8);
  CHECK(run_example("write_json", {"/nowhere/result.json"}).status == 1);
}

TEST_CASE(
    "An installed library builds an example by find_package, and shows nothing but its headers") {
  const TempFolder folder;
  const auto run = [&](const std::vector<std::string>& command) {
    const Outcome outcome = run_command_line(command, {folder.path().string(), {}, ""});
    CAPTURE(outcome.out);
    CAPTURE(outcome.err);
    REQUIRE(outcome.status == 0);
    return outcome.out;
  };
  run({cmake(), "--install", build_dir(), "--prefix", folder.file("first"), "--strip"});
  fs::rename(folder.file("first"), folder.file("prefix"));
  fs::copy(folder.file("prefix/share/doc/simtrain/examples"), folder.file("examples"),
           fs::copy_options::recursive);
  run({cmake(), "-S", folder.file("examples"), "-B", folder.file("build"),
       "-DCMAKE_PREFIX_PATH=" + folder.file("prefix"), "-DCMAKE_CXX_COMPILER=" + compiler(),
       "-DCMAKE_CXX_FLAGS=" + compiler_flags()});
  CHECK(!fs::exists(folder.file("prefix/include/simtrain-engine")));
  run({cmake(), "--build", folder.file("build"), "--target", "example_simulate"});
  const std::string data = run({"/usr/bin/env", "-i", folder.file("build/simulate")});
  CHECK(data == output_of("simulate"));

  std::istringstream symbols(
      run({"/bin/sh", "-c", "nm -DC --defined-only prefix/lib/libsimtrain.so"}));
  for (std::string line; std::getline(symbols, line);) {
    CAPTURE(line);
    CHECK(holds(line, "simtrain::api::"));
  }
  const std::string gpus = folder.file("prefix/share/simtrain/hardware/gpus");
  fs::remove(gpus + "/h100-sxm.yaml");
  const Outcome without = run_command_line({"/usr/bin/env", "-i", folder.file("build/simulate")});
  CHECK(without.status != 0);
  CHECK(holds(without.err, "h100-sxm"));
}

TEST_CASE("An installed engine gives a program all that the command line uses") {
  const TempFolder folder;
  const auto run = [&](const std::vector<std::string>& command) {
    const Outcome outcome = run_command_line(command, {folder.path().string(), {}, ""});
    CAPTURE(outcome.out);
    CAPTURE(outcome.err);
    REQUIRE(outcome.status == 0);
    return outcome.out;
  };
  run({cmake(), "--install", build_dir(), "--prefix", folder.file("first"), "--strip"});
  run({cmake(), "--install", build_dir(), "--prefix", folder.file("first"), "--component",
       "engine"});
  fs::rename(folder.file("first"), folder.file("prefix"));
  fs::copy(folder.file("prefix/share/doc/simtrain/examples"), folder.file("examples"),
           fs::copy_options::recursive);
  run({cmake(), "-S", folder.file("examples"), "-B", folder.file("build"),
       "-DCMAKE_PREFIX_PATH=" + folder.file("prefix"), "-DCMAKE_CXX_COMPILER=" + compiler(),
       "-DCMAKE_CXX_FLAGS=" + compiler_flags()});
  run({cmake(), "--build", folder.file("build"), "--target", "example_best_plan"});
  const std::string found = run({"/usr/bin/env", "-i", folder.file("build/best_plan")});
  CHECK(found == output_of("best_plan"));
  const auto tuned = nlohmann::json::parse(run_simtrain({"tune", "scenarios/llama31_8b_h100.yaml",
                                                         "--row", "bf16-8", "--format", "json"})
                                               .out);
  const double step = tuned["best"][0]["step_time_s"];
  CHECK(holds(found, ": " + std::to_string(step).substr(0, 4)));
}

}  // namespace
}  // namespace simtrain::testing::examples_test
