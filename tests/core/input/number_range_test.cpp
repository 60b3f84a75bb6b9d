#include "sim/core/input/number_range.h"

#include <doctest/doctest.h>

#include "sim/core/input/input_error.h"

namespace simtrain::testing::number_range_test {
namespace {

TEST_CASE("Lists of numbers and ranges") {
  CHECK(number_ranges("3", "--x") == std::vector<NumberRange>{{3, 3}});
  CHECK(number_ranges("0-7,16", "--x") == std::vector<NumberRange>{{0, 7}, {16, 16}});
  CHECK(number_ranges("all", "--x") == std::vector<NumberRange>{kAllNumbers});
  for (const char* wrong : {"", ",", "1,", "-1", "1-", "3-1", "1 ", "a", "1-2-3", "99999999999",
                            "ALL", "0x1", "1.5", "+1"}) {
    CAPTURE(wrong);
    CHECK_THROWS_AS(number_ranges(wrong, "--x"), InputError);
  }
}

TEST_CASE("Chosen numbers are below their count") {
  CHECK(numbers_of({{0, 2}, {2, 3}}, 4, "--x") == std::set<int>{0, 1, 2, 3});
  CHECK(numbers_of({kAllNumbers}, 3, "--x") == std::set<int>{0, 1, 2});
  CHECK_THROWS_WITH_AS(numbers_of({{0, 4}}, 4, "--x"), "--x: there is no 4; 0 to 3 would do",
                       InputError);
  CHECK_THROWS_AS(numbers_of({{2'000'000'000, 2'147'483'647}}, 4, "--x"), InputError);
}

TEST_CASE("Ranges with a step or a factor hold their numbers") {
  const auto holds = [](const char* text, std::int64_t number) {
    const auto range = stepped_range(text, -100, 100);
    REQUIRE(range);
    return range->holds(number);
  };
  CHECK(holds("8", 8));
  CHECK(!holds("8", 9));
  CHECK(holds("-3:4", 0));
  CHECK(!holds("-3:4", 5));
  CHECK(holds("2:16:2", 16));
  CHECK(!holds("2:16:2", 15));
  CHECK(holds("2:64:x2", 32));
  CHECK(!holds("2:64:x2", 6));
  CHECK(stepped_range("4:1:-1", -100, 100)->step == -1);  // refused by who asks, with what is wrong
  for (const char* wrong : {"", ":", "1:", ":1", "1:2:", "1:2:3:4", "1:2:x", "x2", "1:x2", "101",
                            "1:-101", "+1", "1-2"}) {
    CAPTURE(wrong);
    CHECK(!stepped_range(wrong, -100, 100));
  }
}

}  // namespace
}  // namespace simtrain::testing::number_range_test
