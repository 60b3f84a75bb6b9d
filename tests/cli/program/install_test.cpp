#include <doctest/doctest.h>

#include "tests/cli/program.h"
#include "tests/core/checkout.h"

namespace simtrain::testing::install_test {
namespace {

const std::string kFlagship = "scenarios/llama405b_a4_224.yaml";

/// Installs below `prefix`.
void install(const std::string& prefix) {
  const Outcome outcome =
      run_command_line({cmake(), "--install", build_dir(), "--prefix", prefix, "--strip"});
  CAPTURE(outcome.err);
  REQUIRE(outcome.status == 0);
}

/// Runs a program with nothing in its environment, not even the tests' SIMTRAIN_DATA.
Outcome run_bare(const std::string& program, std::vector<std::string> arguments,
                 const std::string& folder) {
  arguments.insert(arguments.begin(), {"/usr/bin/env", "-i", program});
  return run_command_line(arguments, {folder, {}, ""});
}

TEST_CASE(
    "An installed program finds its data and scenarios from anywhere, also where it is moved") {
  const TempFolder folder;
  install(folder.file("first"));
  std::filesystem::rename(folder.file("first"), folder.file("second"));
  std::filesystem::create_directory(folder.file("empty"));
  const std::string program = folder.file("second/bin/simtrain");
  const std::string data = folder.file("second/share/simtrain");
  const auto run = [&](std::vector<std::string> arguments) {
    return run_bare(program, std::move(arguments), folder.file("empty"));
  };

  const Outcome flagship = run({kFlagship});
  CHECK(flagship.status == 0);
  CHECK(flagship.out == run_simtrain({kFlagship}).out);
  CHECK(flagship.err ==
        "simtrain: note: " + kFlagship + " is not here; reading " + data + "/" + kFlagship + "\n");

  std::filesystem::remove(data + "/hardware/gpus/h200-sxm.yaml");
  CHECK(run({"list", "gpus"}).out.find("h200-sxm") == std::string::npos);
  CHECK(run_simtrain({"list", "gpus"}).out.find("h200-sxm") != std::string::npos);
}

TEST_CASE("The folder of SIMTRAIN_DATA counts more than where the program is installed") {
  const TempFolder folder;
  install(folder.file("prefix"));
  const Outcome outcome = run_command_line({folder.file("prefix/bin/simtrain"), "list", "gpus"},
                                           {"/", {{"SIMTRAIN_DATA", "/nowhere"}}, ""});
  CHECK(outcome.err == "simtrain: /nowhere/hardware/gpus: holds no .yaml files\n");
}

TEST_CASE("A scenario is taken from the data only where there is none of its path") {
  const TempFolder folder;
  const CallOptions here{folder.path().string(), {}, ""};
  std::filesystem::create_directory(folder.file("scenarios"));
  folder.write(kFlagship, "name: mine\n");
  CHECK(run_simtrain({kFlagship}, here).err.find(kFlagship + ":1:1: ") != std::string::npos);
  CHECK(run_simtrain({"scenarios/no.yaml"}, here).err ==
        "simtrain: scenarios/no.yaml: there is no such file\n");
  for (const std::string path : {"llama405b_a4_224.yaml", "scenarios/models/llama3.1-8b.yaml",
                                 "../scenarios/llama31_8b_h100.yaml", "scenarios/.."}) {
    CAPTURE(path);
    const Outcome outcome = run_simtrain({"run", path}, here);
    CHECK(outcome.status == 2);
    CHECK(outcome.err.find("note") == std::string::npos);
  }
}

TEST_CASE("Every command that takes a scenario finds it in the data") {
  const TempFolder folder;
  folder.write("log.csv", "step,step_time_s\n1,3.5\n2,3.5\n");
  const std::string scenario = "scenarios/llama31_8b_h100.yaml --row bf16-8";
  for (const std::string& command :
       {"run " + scenario, "sweep --vary mbs=1,2 " + scenario, "topology " + scenario,
        "scale --gpus 8 " + scenario, "tune --top 1 " + scenario,
        "compare " + scenario + " log.csv", "metrics log.csv --scenario " + scenario}) {
    CAPTURE(command);
    const Outcome outcome = run_simtrain(words(command), {folder.path().string(), {}, ""});
    CHECK(outcome.err.starts_with("simtrain: note: scenarios/llama31_8b_h100.yaml is not here; "));
    CHECK(outcome.err.find('\n') == outcome.err.size() - 1);
    CHECK(outcome.status == 0);
  }
}

TEST_CASE(
    "The Debian package holds program, library, data and documents, and names what they need") {
  const TempFolder folder;
  install(folder.file("root/usr"));
  const Outcome packed =
      run_command_line({"/usr/bin/env", "cpack", "--config", build_dir() + "/CPackConfig.cmake",
                        "-B", folder.file("pack"), "-D", "CPACK_INSTALL_CMAKE_PROJECTS=", "-D",
                        "CPACK_INSTALLED_DIRECTORIES=" + folder.file("root") + ";/"},
                       {folder.path().string(), {}, ""});
  CAPTURE(packed.err);
  REQUIRE(packed.status == 0);
  const CallOptions in_pack{folder.file("pack"), {}, ""};
  const std::string content = shell("dpkg-deb -c *.deb", in_pack).out;
  for (const std::string file : {"bin/simtrain",
                                 "lib/libsimtrain.so.0.1.0",
                                 "lib/cmake/simtrain/simtrainConfig.cmake",
                                 "include/simtrain/simtrain.h",
                                 "share/doc/simtrain/examples/simulate.cpp",
                                 "share/simtrain/hardware/gpus/h100-sxm.yaml",
                                 "share/simtrain/scenarios/llama405b_a4_224.yaml",
                                 "share/simtrain/validation/documented.yaml",
                                 "share/doc/simtrain/README.md",
                                 "share/doc/simtrain/docs/tutorial.md",
                                 "share/doc/simtrain/docs/pictures/step.png",
                                 "share/man/man1/simtrain.1.gz",
                                 "share/man/man1/simtrain-run.1.gz",
                                 "share/bash-completion/completions/simtrain",
                                 "share/doc/simtrain/echarts/LICENSE",
                                 "share/doc/simtrain/copyright",
                                 "share/doc/simtrain/changelog.gz",
                                 "share/doc/simtrain/LICENSE",
                                 "share/doc/simtrain/NOTICE",
                                 "share/doc/simtrain/THIRD_PARTY"}) {
    CAPTURE(file);
    CHECK(content.find(" ./usr/" + file + "\n") != std::string::npos);
  }
  const std::string copyright = read_file(folder.file("root/usr/share/doc/simtrain/copyright"));
  for (const std::string whose : {"The developers of simtrain", "ECharts", "The HDF Group",
                                  "/usr/share/common-licenses/Apache-2.0"}) {
    CAPTURE(whose);
    CHECK(copyright.find(whose) != std::string::npos);
  }
  const std::string needed = shell("dpkg-deb -f *.deb Depends", in_pack).out;
  for (const std::string library : {"libc6", "libfmt", "libyaml-cpp", "libtbb"}) {
    CAPTURE(library);
    CHECK(needed.find(library) != std::string::npos);
  }
  if (shell("command -v lintian").status == 0) {
    const Outcome judged =
        shell("lintian --no-cfg --allow-root --fail-on error,warning *.deb", in_pack);
    CHECK(judged.out + judged.err == "");
    CHECK(judged.status == 0);
  } else {
    MESSAGE("skipped: no lintian here; tools/setup.sh test installs it");
  }
}

}  // namespace
}  // namespace simtrain::testing::install_test
