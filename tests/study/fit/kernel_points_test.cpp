#include "sim/study/fit/kernel_points.h"

#include <doctest/doctest.h>

#include "tests/cli/program.h"
#include "tests/core/error_of.h"

namespace simtrain::testing::kernel_points_test {

namespace {

constexpr const char* kGemm = "source,gpu,data_type,run,m,n,k,tflops,notes\n";
constexpr const char* kAttention =
    "source,gpu,implementation,direction,causal,batch,queries,keys,heads,query_groups,"
    "head_dimension,value_dimension,tflops,notes\n";
constexpr const char* kStreaming = "source,gpu,kernel,direction,rows,columns,bytes,us,notes\n";

std::vector<KernelPoint> read(const char* file, const std::string& text) {
  const testing::TempFolder folder;
  folder.write(file, text);
  return load_kernel_points(folder.path().string());
}

KernelPoint gemm(const std::string& row) { return read("gemm.csv", kGemm + row).at(0); }

std::string refused(const char* file, const std::string& text) {
  const std::string message = testing::error_of([&] { (void)read(file, text); });
  return message.substr(std::min(message.find(file), message.size()));
}

}  // namespace

TEST_CASE("a GEMM point has the time of 2mnk at its rate, and its class of shapes") {
  const KernelPoint point = gemm("lab,h100-sxm,fp8,burst,4096,8192,2048,1000,\n");
  CHECK(point.measured_s == doctest::Approx(2.0 * 4096 * 8192 * 2048 / 1e15));
  CHECK(point.variant == "fp8");
  CHECK(point.shape == "k < 4096");
  CHECK(point.fitted);
  REQUIRE(point.kernel);
  CHECK(std::get<Gemm>(*point.kernel).type == DataType::fp8);
  CHECK(std::get<Gemm>(*point.kernel).output == DataType::bf16);
}

TEST_CASE("classes of GEMM shapes") {
  const auto shape = [](const std::string& sizes) {
    return gemm("lab,h100-sxm,bf16,burst," + sizes + ",500,\n").shape;
  };
  CHECK(shape("4096,4096,4096") == "large");
  CHECK(shape("512,4096,4096") == "m < 1024");
  CHECK(shape("4096,2048,4096") == "n < 4096");
  CHECK(shape("4096,2048,2048") == "n, k < 4096");
  CHECK(shape("4097,4096,4096") == "odd");
}

TEST_CASE("what the model does not distinguish has no kernel, and notes mark what sets nothing") {
  CHECK_FALSE(gemm("lab,h100-sxm,fp16,burst,64,64,64,1,\n").kernel);
  const KernelPoint kept = gemm("lab,h100-sxm,bf16,sustained,64,64,64,1,not fitted: odd run\n");
  CHECK_FALSE(kept.fitted);
  CHECK(kept.run == KernelRun::sustained);
  CHECK(kept.variant == "bf16 sustained");
}

TEST_CASE("an attention point counts values of another dimension, backward their own way") {
  const auto rows = std::string("lab,gb200,cudnn,forward,1,2,4096,4096,64,8,192,128,1000,\n") +
                    "lab,gb200,cudnn,backward,0,2,4096,4096,4,8,192,128,1000,\n";
  const auto points = read("attention.csv", kAttention + rows);
  REQUIRE(points.size() == 2);
  const double square = 2.0 * 4096 * 4096;
  CHECK(points[0].measured_s == doctest::Approx(square * 64 * (192 + 128) / 1e15));
  CHECK(points[0].shape == "d 192/128");
  CHECK(points[1].measured_s == doctest::Approx(square * 4 * 2 * (3 * 192 + 2 * 128) / 1e15));
  CHECK(points[1].shape == "d 192/128, dense, few heads");
  CHECK(points[1].variant == "cudnn backward");
}

TEST_CASE("a streaming point is of a kind by its kernel and direction") {
  const auto rows = std::string("lab,h100-sxm,rms_norm,backward,1,1,96000000,50.5,\n") +
                    "lab,h100-sxm,softmax,forward,1,1,4,2,\n";
  const auto points = read("streaming.csv", kStreaming + rows);
  REQUIRE(points.size() == 2);
  REQUIRE(points[0].kernel);
  CHECK(std::get<Streaming>(*points[0].kernel).kind == StreamingKind::norm_backward);
  CHECK(points[0].measured_s == doctest::Approx(50.5e-6));
  CHECK(points[0].shape == "64 MB and more");
  CHECK_FALSE(points[1].kernel);
}

TEST_CASE("points of one shape have one hash") {
  const auto hash = [](const std::string& text) { return gemm(text).shape_hash; };
  CHECK(hash("a,x,bf16,burst,64,64,128,1,\n") == hash("b,y,fp8,burst,64,64,128,2,\n"));
  CHECK(hash("a,x,bf16,burst,64,64,128,1,\n") != hash("a,x,bf16,burst,64,128,64,1,\n"));
}

TEST_CASE("wrong points are refused at their cell") {
  CHECK(refused("gemm.csv", std::string(kGemm) + "lab,x,int8,burst,1,1,1,1,\n")
            .starts_with("gemm.csv:2:7: data_type: 'int8' is not known here"));
  CHECK(refused("gemm.csv", std::string(kGemm) + "lab,x,bf16,burst,0,1,1,1,\n")
            .starts_with("gemm.csv:2:18: m: "));
  CHECK(refused("gemm.csv", std::string(kGemm) + "lab,x,bf16,burst,1,1,1,nan,\n")
            .starts_with("gemm.csv:2:24: tflops: "));
  CHECK(refused("streaming.csv", "kernel,us\n").starts_with("streaming.csv:1:1: must be"));
  CHECK(testing::error_of([&] {
          (void)load_kernel_points(std::string(5000, 'x'));
        }).find("gemm.csv: cannot be opened: ") != std::string::npos);
  const testing::TempFolder empty;
  CHECK(testing::error_of([&] {
          (void)load_kernel_points(empty.path().string());
        }).find("holds no points") != std::string::npos);
}

}  // namespace simtrain::testing::kernel_points_test
