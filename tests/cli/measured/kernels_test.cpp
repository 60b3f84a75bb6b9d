#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "tests/cli/program.h"

namespace simtrain::testing::kernels_test {
namespace {

TEST_CASE("measured kernels are compared, and the exit status follows the bound") {
  const Outcome outcome = run_simtrain({"validate", "--kernels"});
  CHECK(outcome.status == 0);
  CHECK(outcome.out.find("that may set parameters") != std::string::npos);
  CHECK(run_simtrain({"validate", "--kernels", "--max-mean-error", "1"}).status == 1);
  const auto json =
      nlohmann::json::parse(run_simtrain({"validate", "--kernels", "--format", "json"}).out);
  CHECK(json["schema"] == "simtrain.kernel-validation/1");
  CHECK(json["fitted"]["points"] > 10000);
}

TEST_CASE("kernel parameters are fitted, the same each time") {
  const Outcome outcome = run_simtrain({"calibrate", "--kernels", "--gpu", "gb200"});
  CHECK(outcome.status == 0);
  CHECK(outcome.out.find("gemm fp8") != std::string::npos);
  CHECK(outcome.out.find("left out, errors in %") != std::string::npos);
  CHECK(run_simtrain({"calibrate", "--kernels", "--gpu", "gb200"}).out == outcome.out);
  const auto json = nlohmann::json::parse(
      run_simtrain({"calibrate", "--kernels", "--gpu", "gb200", "--format", "json"}).out);
  CHECK(json["schema"] == "simtrain.kernel-fit/1");
}

TEST_CASE("a folder of one's own points replaces the published ones") {
  const TempFolder folder;
  folder.write("gemm.csv",
               "source,gpu,data_type,run,m,n,k,tflops,notes\n"
               "own,h100-sxm,bf16,burst,8192,8192,8192,750,\n");
  const std::string path = folder.path().string();
  const Outcome outcome = run_simtrain({"validate", "--kernels", path});
  CHECK(outcome.status == 0);
  CHECK(outcome.out.find("\ngemm on h100-sxm ") != std::string::npos);
  const Outcome few = run_simtrain({"calibrate", "--kernels", path, "--gpu", "h100-sxm"});
  CHECK(few.status == 2);
  CHECK(few.err == "simtrain: --gpu: has too few points of 'h100-sxm' to fit any parameter\n");
}

TEST_CASE("points that show nothing about the bound are refused, not passed") {
  const TempFolder folder;
  folder.write("gemm.csv",
               "source,gpu,data_type,run,m,n,k,tflops,notes\n"
               "own,no-such-gpu,bf16,burst,8192,8192,8192,750,\n"
               "own,h100-sxm,bf16,burst,8192,8192,8192,750,not fitted: one run\n");
  const std::string path = folder.path().string();
  const Outcome outcome = run_simtrain({"validate", "--kernels", path});
  CHECK(outcome.status == 2);
  CHECK(outcome.err == "simtrain: " + path +
                           ": holds no point that simtrain predicts and that may set parameters, "
                           "so the bound shows nothing; see hardware/measured/README.md\n");
}

TEST_CASE("texts of measured points reach neither terminal nor JSON as control characters") {
  const TempFolder folder;
  folder.write("gemm.csv",
               "source,gpu,data_type,run,m,n,k,tflops,notes\n"
               "own,h100-sxm,bf16,burst,8192,8192,8192,750,\n"
               "own,\x1b[2J\xff,bf16,burst,8192,8192,8192,750,\n");
  const std::string path = folder.path().string();
  const Outcome text = run_simtrain({"validate", "--kernels", path});
  CHECK(text.status == 0);
  CHECK(text.out.find("?[2J") != std::string::npos);
  CHECK(text.out.find('\x1b') == std::string::npos);
  const Outcome json = run_simtrain({"validate", "--kernels", path, "--format", "json"});
  CHECK(json.status == 0);
  CHECK(nlohmann::json::accept(json.out));
}

TEST_CASE("what is missing or unknown for measured kernels is refused in one line") {
  const Outcome nameless = run_simtrain({"calibrate", "--kernels"});
  CHECK(nameless.status == 2);
  CHECK(nameless.err == "simtrain: --gpu: is missing; name one of 'simtrain list gpus'\n");
  CHECK(run_simtrain({"calibrate", "--kernels", "--gpu", "h900"}).status == 2);
  CHECK(run_simtrain({"validate", "--kernels", "no-such-folder"}).status == 2);
  CHECK(run_simtrain({"validate", "--kernels", "--max-mean-error", "-1"}).status == 2);
  const Outcome two = run_simtrain({"validate", "--kernels", "one", "two"});
  CHECK(two.status == 2);
  CHECK(two.err == "simtrain: two: is one folder too many; name one\n");
}

}  // namespace
}  // namespace simtrain::testing::kernels_test
