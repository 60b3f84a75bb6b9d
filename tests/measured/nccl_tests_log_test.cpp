#include "sim/measured/nccl/nccl_tests_log.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "tests/cli/program.h"
#include "tests/core/error_of.h"

namespace simtrain::testing::nccl_tests_log_test {
namespace {

NcclTestsLog read_text(std::string_view text, std::size_t piece = 65536) {
  return read_nccl_tests(text_source(text, piece));
}

/// Two ranks on two hosts.
std::string ranks() {
  return "#  Rank  0 Group  0 Pid 41 on     node-a device  0 [0000:1b:00] NVIDIA H100 80GB HBM3\n"
         "#  Rank  1 Group  0 Pid 42 on     node-b device  0 [0000:1b:00] NVIDIA H100 80GB HBM3\n";
}

const std::string kHead =
    "# nThread 1 nGpus 1 minBytes 8 maxBytes 1024 step: 2(factor) warmup iters: 5 iters: 20 agg "
    "iters: 1 validation: 1 graph: 0\n#\n# Using devices\n";

TEST_CASE("nccl-tests: program, ranks, hosts, GPUs and NCCL as the log gives them") {
  const std::string text =
      "# nccl-tests version 2.16.4 nccl-headers=22703 nccl-library=22703\n"
      "# Collective test starting: all_reduce_perf\n" +
      kHead + ranks() +
      "#       size         count      type   redop    root     time   algbw   busbw #wrong     "
      "time   algbw   busbw #wrong\n"
      "     1048576        262144     float     sum      -1    84.30   12.44   12.44      0    "
      "83.06 "
      "  12.62   12.62      3\n"
      "# Out of bounds values : 0 OK\n# Avg bus bandwidth    : 12.53\n"
      "# Collective test concluded: all_reduce_perf\n";
  for (const std::size_t piece : {1UL, 13UL, 65536UL}) {
    const NcclTestsLog log = read_text(text, piece);
    REQUIRE(log.tests.size() == 1);
    const NcclTest& test = log.tests[0];
    CHECK(test.operation == "all_reduce");
    CHECK(test.ranks.size() == 2);
    CHECK(test.hosts == std::set<std::string>{"node-a", "node-b"});
    CHECK(test.gpu_names == std::set<std::string>{"NVIDIA H100 80GB HBM3"});
    CHECK(test.version == "2.27.3");
    REQUIRE(test.rows.size() == 1);
    const NcclTestRow& row = test.rows[0];
    CHECK(row.bytes == 1048576);
    CHECK(row.count == 262144);
    CHECK(row.reduction == "sum");
    CHECK(row.root.value() == -1);
    CHECK(row.out_of_place->seconds == doctest::Approx(84.30e-6));
    CHECK(row.out_of_place->bus_bandwidth == doctest::Approx(12.44e9));
    CHECK(row.in_place->seconds == doctest::Approx(83.06e-6));
    CHECK(row.in_place->wrong == 3);
    CHECK(log.skipped.count == 0);
  }
  std::string bare = text;
  bare.erase(bare.find(kHead), kHead.size());
  CHECK(read_text(bare, 65536).tests.at(0).operation == "all_reduce");
  const std::string library = " nccl-headers=22703 nccl-library=22703";
  const auto version = [&](const std::string& banner) {
    std::string other = text;
    other.erase(other.find(library), library.size());
    return read_text(banner + "\n" + other, 65536).tests.at(0).version;
  };
  CHECK(version("NCCL version 2.21.5+cuda12.4") == "2.21.5");
  CHECK(version("RCCL version : 2.22.3-HEAD:9ce4c9d") == "2.22.3");
  CHECK(version("RCCL version 2.18.3+hip6.0 HEAD:2f6d59e") == "2.18.3");
}

TEST_CASE("nccl-tests: columns of older versions, N/A, and what launchers put before a line") {
  const std::vector<std::string> rows{
      "     1048576        262144     float     sum    84.30   12.44   12.44  2e-07    83.06   "
      "12.62   12.62  2e-07",
      "     1048576        131072     float             84.30   12.44   12.44  0e+00    83.06   "
      "12.62   12.62  0e+00",
      "     1048576        262144     float       0    84.30   12.44   12.44  0e+00    83.06   "
      "12.62   12.62  0e+00",
      "     1048576        131072  bfloat16    none      -1    84.30   12.44   12.44    N/A    "
      "83.06 "
      "  12.62   12.62    N/A",
      "[1,0]<stdout>:     1048576        262144     float     sum      -1    84.30   12.44   12.44 "
      " "
      "    0    83.06   12.62   12.62      0",
      "[1,0]<stdout>:1048576        262144     float     sum      -1    84.30   12.44   12.44      "
      "0 "
      "   83.06   12.62   12.62      0",
      "0:     1048576        262144     float     sum      -1    84.30   12.44   12.44      0    "
      "83.06   12.62   12.62      0\r",
      "node-1:   1048576   131072     half    none      -1    84.30   12.44   12.44      0     N/A "
      " "
      "   N/A     N/A    N/A",
      "     1048576        262144     float     sum      -1    84.30   12.44   12.44      0"};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    CAPTURE(rows[i]);
    const NcclTestsLog log = read_text(kHead + rows[i] + "\n");
    REQUIRE(log.tests.size() == 1);
    REQUIRE(log.tests[0].rows.size() == 1);
    const NcclTestRow& row = log.tests[0].rows[0];
    CHECK(row.bytes == 1048576);
    CHECK(row.out_of_place->seconds == doctest::Approx(84.30e-6));
    CHECK(row.in_place.has_value() == (i < 7));
    if (row.in_place) CHECK(row.in_place->seconds == doctest::Approx(83.06e-6));
    CHECK(log.skipped.count == 0);
  }
}

TEST_CASE("nccl-tests: rows that are cut off, or whose figures do not fit each other") {
  const std::string good =
      "     1048576        262144     float     sum      -1    84.30   12.44   12.44      0    "
      "83.06 "
      "  12.62   12.62      0\n";
  for (const std::string& bad :
       {edited(good, "    83.06   12.62   12.62      0", "    83.06   12."),
        edited(good, "84.30", "8.430"), edited(good, "84.30", "nan"), edited(good, "84.30", "-1"),
        edited(good, "12.44   12.44", "12.44   x")}) {
    CAPTURE(bad);
    const NcclTestsLog log = read_text(kHead + good + bad);
    CHECK(log.tests.at(0).rows.size() == 1);
    CHECK(log.skipped.count == 1);
  }
}

TEST_CASE("nccl-tests: several programs in one log, and sizes of nothing") {
  const std::string row =
      "     1048576        262144     float     sum      -1    84.30   12.44   12.44      0    "
      "83.06 "
      "  12.62   12.62      0\n";
  const std::string none =
      "           0             0     float     sum      -1     0.15    0.00    0.00      0     "
      "0.14 "
      "   0.00    0.00      0\n";
  const NcclTestsLog log = read_text(
      "+ mpirun -np 2 ./build/all_reduce_perf -b 8 -e 1K\n" + kHead + ranks() + none + row +
      "+ mpirun -np 2 /opt/nccl-tests/reduce_scatter_perf -b 8\n" + kHead + ranks() + row + row);
  REQUIRE(log.tests.size() == 2);
  CHECK(log.tests[0].operation == "all_reduce");
  CHECK(log.tests[0].rows.size() == 1);
  CHECK(log.tests[1].operation == "reduce_scatter");
  CHECK(log.tests[1].rows.size() == 2);
  CHECK(log.skipped.count == 0);
}

TEST_CASE("nccl-tests: a file without a row is refused") {
  const TempFolder folder;
  folder.write("log", kHead + ranks());
  CHECK(error_of([&] {
          read_nccl_tests_file(folder.file("log"));
        }).find("holds no row of nccl-tests") != std::string::npos);
}

}  // namespace
}  // namespace simtrain::testing::nccl_tests_log_test
