#include <doctest/doctest.h>

#include "tests/measured/profiles.h"

namespace simtrain::testing::nsys_table_test {
namespace {

constexpr std::string_view kHeader =
    "Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Name\n";

std::string row(std::string_view name, std::string_view time, std::string_view calls) {
  return fmt::format("1.5,{},{},1.0,1.0,1,1,0.0,{}\n", time, calls, name);
}

TEST_CASE("nsys-csv: sums of kernels, with messages of nsys between them") {
  const Profile profile = read_profile_text(
      "Generating SQLite file rank0.sqlite from rank0.nsys-rep\n"
      "Processing [rank0.sqlite] with [/opt/nsys/reports/cuda_gpu_kern_sum.py]... \n\n" +
      std::string(kHeader) + row("nvjet_tst_256x128_64x4_2x1_v_bz_TNT", "2000000000", "40") +
      row("\"void at::native::vectorized_elementwise_kernel<(int)4, at::native::CUDAFunctor_add<"
          "c10::BFloat16>, std::array<char *, (unsigned long)3>>(int, T2, T3)\"",
          "1000", "2") +
      "\nProcessing [rank0.sqlite] with [/opt/nsys/reports/cuda_gpu_mem_time_sum.py]...\n\n"
      "Time (%),Total Time (ns),Count,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Operation\n"
      "100.0,5000,5,1000.0,1000.0,1000,1000,0.0,[CUDA memcpy Device-to-Device]\n"
      "\nTime (%),Total Time (ns),Num Calls,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Name\n"
      "100.0,5000,5,1000.0,1000.0,1000,1000,0.0,cudaLaunchKernel\n");
  CHECK(profile.format == "nsys-csv");
  CHECK(profile.skipped.count == 0);
  REQUIRE(profile.kernels.size() == 3);
  CHECK(profile.kernels[0].kind == KernelKind::gemm);
  CHECK(profile.kernels[0].calls == 40);
  CHECK(profile.kernels[0].seconds == doctest::Approx(2));
  CHECK(profile.kernels[1].kind == KernelKind::copy);
  CHECK(profile.kernels[2].kind == KernelKind::element_wise);
  CHECK(!profile.steps);
}

TEST_CASE("nsys-csv: the older names of the columns, quoted headings, other units") {
  const Profile profile = read_profile_text(
      "\"Time(%)\",\"Total Time (ms)\",\"Instances\",\"Average (ms)\",\"Name\"\n"
      "99.1,250.5,3,83.5,\"flash_fwd_kernel<a, b>\"\n");
  REQUIRE(profile.kernels.size() == 1);
  CHECK(profile.kernels[0].kind == KernelKind::attention);
  CHECK(profile.kernels[0].seconds == doctest::Approx(0.2505));
}

TEST_CASE("nsys-csv: a line for each kernel") {
  const std::string header =
      "Start (ns),Duration (ns),CorrId,GrdX,GrdY,GrdZ,BlkX,BlkY,BlkZ,Reg/Trd,StcSMem (MB),DymSMem "
      "(MB),Bytes (MB),Throughput (MBps),SrcMemKd,DstMemKd,Device,Ctx,Strm,Name\n";
  const std::string kernel =
      "100,2500,7,132,1,1,384,1,1,168,0.0,0.2,,,,,NVIDIA H100 80GB HBM3 (0),1,7,"
      "ncclDevKernel_AllGather_RING_LL(ncclDevKernelArgsStorage<(unsigned long)4096>)\n";
  const Profile profile = read_profile_text(header + kernel + kernel);
  CHECK(profile.gpus == 1);
  const std::string other = std::string(kernel).replace(kernel.find("(0)"), 3, "(1)");
  CHECK(read_profile_text(header + kernel + other).gpus == 2);
  REQUIRE(profile.kernels.size() == 1);
  CHECK(profile.kernels[0].kind == KernelKind::nccl_all_gather);
  CHECK(profile.kernels[0].calls == 2);
  CHECK(profile.kernels[0].seconds == doctest::Approx(5e-6));
}

TEST_CASE("nsys-csv: lines that cannot be read are skipped by number") {
  const auto skipped = [](const std::string& bad) {
    return skipped_line(read_profile_text(std::string(kHeader) + row("gemm", "10", "1") + bad));
  };
  const std::string unreadable = "3: its time, its number of calls or its name cannot be read";
  CHECK(skipped(row("gemm", "x", "1")) == unreadable);
  CHECK(skipped(row("gemm", "10", "1.5")) == unreadable);
  CHECK(skipped(row("", "10", "1")) == unreadable);
  CHECK(skipped(row("gemm", "-1", "1")) == "3: its time is no number of 0 or more");
  CHECK(skipped(row("gemm", "nan", "1")) == "3: its time is no number of 0 or more");
  CHECK(skipped(row("gemm", "1", "0")) == "3: its number of calls is no whole number of 1 or more");
  const std::string cells = "3: has not the cells that the first line of its table names";
  CHECK(skipped("1.5,10,1\n") == cells);
  CHECK(skipped(row("\"gemm", "10", "1")) == cells);
  CHECK(skipped(row("gemm<a, b>", "10", "1")) == cells);
  CHECK(skipped(std::string(kHeader) + row("gemm", "10", "1")) ==
        "3: starts a second table of the same; its lines are left out");
}

constexpr std::string_view kCategories =
    "Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Category,"
    "Operation\n";
constexpr std::string_view kCopies =
    "\nTime (%),Total Time (ns),Count,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Operation\n"
    "100,50,1,1,1,1,1,1,[CUDA memcpy Host-to-Device]\n";

TEST_CASE("nsys-csv: of a table with categories, what runs on the GPU, and copies only once") {
  const std::string kernels = std::string(kCategories) +
                              "1,70,2,1,1,1,1,1,CUDA_KERNEL,nvjet_a\n"
                              "1,90,2,1,1,1,1,1,CUDA_API,cudaLaunchKernel\n"
                              "1,50,1,1,1,1,1,1,MEMORY_OPER,[CUDA memcpy Host-to-Device]\n";
  const Profile alone = read_profile_text(kernels);
  CHECK(alone.skipped.count == 0);
  CHECK(alone.kernels.size() == 2);
  const Profile after = read_profile_text(kernels + std::string(kCopies));
  CHECK(after.kernels.back().calls == 1);
  CHECK(skipped_line(after) == "6: starts a table of copies that a table before it lists too");
  const Profile before = read_profile_text(std::string(kCopies) + "\n" + kernels);
  CHECK(before.kernels.back().calls == 1);
  CHECK(skipped_line(before) == "8: is a copy that a table before it lists too");
}

TEST_CASE("nsys-csv: an empty line or a line without a time ends a table") {
  const std::string table = std::string(kHeader) + row("gemm", "10", "1");
  const Profile empty = read_profile_text(table + "\n" + row("other", "10", "1"));
  CHECK(empty.kernels.size() == 1);
  const Profile heading =
      read_profile_text(table + "A,B,C,D,E,F,G,H,I\n" + row("other", "10", "1"));
  CHECK(heading.kernels.size() == 1);
  CHECK(heading.skipped.count == 2);
  CHECK(heading.skipped.named[1].why == "follows a line without a time, which ends its table");
}

TEST_CASE("nsys-csv: a byte order mark may precede a table") {
  const Profile profile =
      read_profile_text("\xEF\xBB\xBF" + std::string(kHeader) + row("gemm", "10", "1"));
  CHECK(profile.format == "nsys-csv");
  CHECK(profile.kernels.size() == 1);
}

}  // namespace
}  // namespace simtrain::testing::nsys_table_test
