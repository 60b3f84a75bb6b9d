#include "sim/core/input/number_text.h"

#include <cmath>
#include <cstdint>

#include <doctest/doctest.h>

namespace simtrain::testing::number_text_test {

TEST_CASE("A number is all of its text") {
  CHECK(number_as<int>("12") == 12);
  CHECK(number_as<int>("-12") == -12);
  CHECK(number_as<int>("007") == 7);
  CHECK(number_as<double>("1.5e3") == 1500);
  CHECK(number_as<std::uint64_t>("00ff", 16) == 255);
  for (const char* wrong : {"", " 1", "1 ", "+1", "1.5", "0x1", "1,000", "a", "-"}) {
    CAPTURE(wrong);
    CHECK(!number_as<int>(wrong));
  }
  for (const char* wrong : {"", " 1", "1 ", "+1", "1,5", "0x1p3", "e5", "-"}) {
    CAPTURE(wrong);
    CHECK(!number_as<double>(wrong));
  }
  CHECK(std::isnan(number_as<double>("nan").value_or(0)));
  CHECK(std::isinf(number_as<double>("inf").value_or(0)));
}

TEST_CASE("A number that its type does not hold is none") {
  CHECK(number_as<int>("2147483647") == 2147483647);
  CHECK(!number_as<int>("2147483648"));
  CHECK(!number_as<std::uint64_t>("-1"));
  CHECK(!number_as<double>("1e999"));
}

TEST_CASE("A number is taken off the text that it starts") {
  std::string_view text = "15TB";
  CHECK(take_number<double>(text) == 15);
  CHECK(text == "TB");
  CHECK(!take_number<double>(text));
  CHECK(text == "TB");
  text = "99999999999999999999,1";
  CHECK(!take_number<std::int64_t>(text));
  CHECK(text == ",1");
}

}  // namespace simtrain::testing::number_text_test
