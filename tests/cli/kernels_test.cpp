#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "tests/cli/program.h"

namespace simtrain::testing {
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

TEST_CASE("a folder of one's own points stands in place of the published ones") {
  const TempFolder folder;
  folder.write("gemm.csv",
               "source,gpu,data_type,run,m,n,k,tflops,notes\n"
               "own,h100-sxm,bf16,burst,8192,8192,8192,750,\n");
  const std::string path = folder.path().string();
  const Outcome outcome = run_simtrain({"validate", "--kernels", path});
  CHECK(outcome.status == 0);
  CHECK(outcome.out.find("h100-sxm  bf16") != std::string::npos);
  const Outcome few = run_simtrain({"calibrate", "--kernels", path, "--gpu", "h100-sxm"});
  CHECK(few.status == 2);
  CHECK(few.err == "simtrain: --gpu: has too few points of 'h100-sxm' to fit any parameter\n");
}

TEST_CASE("what is missing or unknown for measured kernels is refused in one line") {
  const Outcome nameless = run_simtrain({"calibrate", "--kernels"});
  CHECK(nameless.status == 2);
  CHECK(nameless.err == "simtrain: --gpu: is missing; name one of 'simtrain list gpus'\n");
  CHECK(run_simtrain({"calibrate", "--kernels", "--gpu", "h900"}).status == 2);
  CHECK(run_simtrain({"validate", "--kernels", "no-such-folder"}).status == 2);
  CHECK(run_simtrain({"validate", "--kernels", "--max-mean-error", "-1"}).status == 2);
}

}  // namespace
}  // namespace simtrain::testing
