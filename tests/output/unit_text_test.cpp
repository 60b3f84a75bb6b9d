#include "sim/output/text/unit_text.h"

#include <doctest/doctest.h>

namespace simtrain::testing::unit_text_test {
namespace {

TEST_CASE("Whole numbers are read in groups of three digits") {
  CHECK(grouped(0) == "0");
  CHECK(grouped(999.4) == "999");
  CHECK(grouped(999.6) == "1,000");
  CHECK(grouped(20263832) == "20,263,832");
  CHECK(grouped(-123) == "-123");
  CHECK(grouped(-123456) == "-123,456");
  CHECK(grouped(1e15) == "1,000,000,000,000,000");
}

TEST_CASE("Sizes take the largest unit of which they are one") {
  CHECK(call_size(Bytes(12)) == "12 B");
  CHECK(call_size(Bytes(1536)) == "1.5 KiB");
  CHECK(call_size(Bytes(64 << 20)) == "64.0 MiB");
  CHECK(call_size(Bytes(std::int64_t{1} << 30)) == "1.0 GiB");
  CHECK(call_size(Bytes(std::int64_t{2475} << 20)) == "2.4 GiB");
  CHECK(gigabytes(119.04e9) == "119.0 GB");
  CHECK(gigabytes(5681.9e9) == "5.68 TB");
  CHECK(file_size_text(812) == "812 B");
  CHECK(file_size_text(1'300'000) == "1.3 MB");
}

TEST_CASE("Names are read without underscores") {
  CHECK(in_words("nccl_all_reduce") == "nccl all reduce");
  CHECK(in_words("optimizer") == "optimizer");
}

}  // namespace
}  // namespace simtrain::testing::unit_text_test
