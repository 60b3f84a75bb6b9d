// Exports of Nsight Systems as SQLite: written here by the library that reads them.
#include <sqlite3.h>

#include <doctest/doctest.h>

#include "tests/cli/program.h"
#include "tests/core/sanitized.h"
#include "tests/measured/profiles.h"

namespace simtrain::testing::nsys_sqlite_test {
namespace {

/// The tables of nsys 2024, with the columns that are read and some that are not.
constexpr std::string_view kTables =
    "CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER NOT NULL, \"end\" INTEGER, deviceId "
    "INTEGER, streamId INTEGER, globalPid INTEGER, demangledName INTEGER, shortName INTEGER, gridX "
    "INTEGER);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INTEGER, \"end\" INTEGER, deviceId INTEGER, "
    "globalPid INTEGER, bytes INTEGER, copyKind INTEGER);"
    "CREATE TABLE ENUM_CUDA_MEMCPY_OPER (id INTEGER PRIMARY KEY, name TEXT, label TEXT);"
    "INSERT INTO ENUM_CUDA_MEMCPY_OPER VALUES (8, 'CUDA_MEMCPY_KIND_DTOD', 'Device-to-Device');"
    "CREATE TABLE NVTX_EVENTS (start INTEGER, \"end\" INTEGER, eventType INTEGER, text TEXT, "
    "textId "
    "INTEGER);"
    "INSERT INTO StringIds VALUES (1, 'nvjet_tst_256x128_64x4_2x1_v_bz_TNT'), (2, "
    "'ncclDevKernel_AllGather_RING_LL(ncclDevKernelArgsStorage<(unsigned long)4096>)'), (3, "
    "'iteration 8');";

constexpr std::string_view kRows =
    "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (0, 1000000, 0, 7, 5, 1, 1, 132), (2000000, "
    "4000000, 0, 7, 5, 1, 1, 132), (0, 500000, 0, 9, 5, 2, 2, 24);"
    "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (0, 1000, 0, 5, 4096, 8), (5, 6, 0, 5, 1, 99);";

/// The bytes of a database that some statements make.
std::string database(std::string_view statements) {
  sqlite3* made = nullptr;
  REQUIRE(sqlite3_open(":memory:", &made) == SQLITE_OK);
  char* error = nullptr;
  sqlite3_exec(made, std::string(statements).c_str(), nullptr, nullptr, &error);
  CHECK_MESSAGE(error == nullptr, std::string(error == nullptr ? "" : error));
  sqlite3_free(error);
  sqlite3_int64 size = 0;
  unsigned char* const bytes = sqlite3_serialize(made, "main", &size, 0);
  std::string text(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(size));
  sqlite3_free(bytes);
  sqlite3_close(made);
  return text;
}

Profile read_tables(std::string_view statements) {
  return read_profile_text(database(std::string(kTables) + std::string(statements)));
}

const ProfiledKernel* kernel_named(const Profile& profile, std::string_view name) {
  for (const ProfiledKernel& kernel : profile.kernels) {
    if (kernel.name == name) return &kernel;
  }
  return nullptr;
}

TEST_CASE("nsys-sqlite: kernels and copies by name, with their runs and time") {
  const Profile profile = read_tables(kRows);
  CHECK(profile.format == "nsys-sqlite");
  CHECK(profile.damage.empty());
  CHECK(profile.skipped.count == 0);
  CHECK(profile.gpus == 1);
  CHECK(profile.events == 5);
  CHECK(!profile.steps);
  REQUIRE(profile.kernels.size() == 4);
  CHECK(profile.kernels[0].kind == KernelKind::gemm);
  CHECK(profile.kernels[0].calls == 2);
  CHECK(profile.kernels[0].seconds == doctest::Approx(3e-3));
  CHECK(profile.kernels[1].kind == KernelKind::nccl_all_gather);
  CHECK(profile.kernels[1].seconds == doctest::Approx(5e-4));
  REQUIRE(kernel_named(profile, "[CUDA memcpy Device-to-Device]") != nullptr);
  CHECK(kernel_named(profile, "[CUDA memcpy Device-to-Device]")->kind == KernelKind::copy);
  CHECK(kernel_named(profile, "[CUDA memcpy kind 99]") != nullptr);
  REQUIRE(profile.whole_s);
  CHECK(*profile.whole_s == doctest::Approx(4e-3));  // from the first start to the last end
  CHECK(*profile.busy_s == doctest::Approx(3e-3));   // the collective beside the first kernel
}

TEST_CASE("nsys-sqlite: GPUs are told apart by process, as each may see its own as number 0") {
  const std::string other =
      "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL SELECT start, \"end\", deviceId, streamId, 6, "
      "demangledName, shortName, gridX FROM CUPTI_ACTIVITY_KIND_KERNEL;";
  const Profile profile = read_tables(std::string(kRows) + other);
  CHECK(profile.gpus == 2);
  CHECK(profile.kernels[0].calls == 4);
  CHECK(profile.whole_s == doctest::Approx(8e-3));
  CHECK(profile.busy_s == doctest::Approx(6e-3));
}

TEST_CASE("nsys-sqlite: numbered ranges are the steps, unless they are numbered by two words") {
  const std::string ranges =
      std::string(kRows) +
      "INSERT INTO NVTX_EVENTS VALUES (0, 9, 59, 'iteration 7', NULL), (9, 19, 59, NULL, 3), (0, "
      "1, "
      "59, 'forward', NULL), (20, NULL, 59, 'iteration 9', NULL), (0, 9, 59, 'iteration 7', NULL);";
  CHECK(read_tables(ranges).steps == 2);
  CHECK(!read_tables(ranges + "INSERT INTO NVTX_EVENTS VALUES (0, 3, 59, 'step 1', NULL);").steps);
  CHECK(read_tables(ranges + "INSERT INTO NVTX_EVENTS VALUES (0, 3, 59, 'step of x', NULL), (0, 3, "
                             "59, 'stepping 4', NULL);")
            .steps == 2);
}

TEST_CASE("nsys-sqlite: what has no name or no end, and graphs as a whole, are skipped") {
  const auto skipped = [](const std::string& rows) {
    return skipped_line(read_tables(std::string(kRows) + rows));
  };
  CHECK(skipped("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (0, 10, 0, 7, 5, 77, 77, 1);") ==
        "4: has no name in the table StringIds");
  CHECK(skipped("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (10, 9, 0, 7, 5, 1, 1, 1);") ==
        "4: has no end, or one before its start");
  CHECK(skipped("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (10, NULL, 0, 7, 5, 1, 1, 1);") ==
        "4: has no end, or one before its start");
  CHECK(skipped("CREATE TABLE CUPTI_ACTIVITY_KIND_GRAPH_TRACE (start INTEGER, \"end\" INTEGER);"
                "INSERT INTO CUPTI_ACTIVITY_KIND_GRAPH_TRACE VALUES (0, 5);") ==
        "6: is a CUDA graph as a whole; nsys profile --cuda-graph-trace=node traces its kernels");
}

TEST_CASE("nsys-sqlite: kinds of kernels beyond a million are skipped, and so counted" * once()) {
  const Profile profile = read_tables(
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000003) INSERT "
      "INTO "
      "CUPTI_ACTIVITY_KIND_KERNEL SELECT i, i + 1, 0, 7, 5, i, i, 1 FROM n;");
  CHECK(profile.events == 1'000'003);
  CHECK(profile.skipped.reasons.at("is beyond the first million kinds of kernels of its table") ==
        3);
}

/// What reading a file of these bytes says.
std::string error_of_file(const std::string& bytes, const std::string& format = "") {
  const TempFolder folder;
  folder.write("rank0.sqlite", bytes);
  const std::string error =
      error_of([&] { read_profile_file(folder.file("rank0.sqlite"), format); });
  const std::size_t name = error.find("rank0.sqlite: ");
  return name == std::string::npos ? error : error.substr(name + 14);
}

TEST_CASE("nsys-sqlite: from a file as from a stream; what is none is said in one line") {
  const std::string whole = database(std::string(kTables) + std::string(kRows));
  const TempFolder folder;
  folder.write("rank0.sqlite", whole);
  const Profile profile = read_profile_file(folder.file("rank0.sqlite"), "");
  CHECK(profile.format == "nsys-sqlite");
  CHECK(profile.kernels.size() == 4);
  CHECK(read_profile_text(whole, "", 7).kernels.size() == 4);

  CHECK(error_of_file("Time (%),Instances\n", "nsys-sqlite") ==
        "cannot be read as an SQLite database: file is not a database");
  CHECK(error_of_file(whole.substr(0, whole.size() / 3))
            .starts_with("cannot be read as an SQLite database: "));
  CHECK(error_of_file(database("CREATE TABLE a (b INTEGER);")) ==
        "has no table StringIds: it is no SQLite export of nsys ('nsys export --type sqlite')");
  CHECK(error_of_file(database("CREATE TABLE StringIds (id INTEGER, value TEXT);")) ==
        "has no table CUPTI_ACTIVITY_KIND_KERNEL: no kernel was traced; nsys profile --trace=cuda "
        "traces them");
  CHECK(error_of_file(database("CREATE TABLE StringIds (id INTEGER, value TEXT); CREATE TABLE "
                               "CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, \"end\" INTEGER);")) ==
        "has no column deviceId in the table CUPTI_ACTIVITY_KIND_KERNEL; an export of nsys 2020 or "
        "later has one");
  CHECK(error_of_file(database(kTables)) == "holds no kernel that can be read");
}

}  // namespace
}  // namespace simtrain::testing::nsys_sqlite_test
