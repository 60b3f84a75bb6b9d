#include "sim/core/input/text_parts.h"

#include <doctest/doctest.h>

namespace simtrain::testing::text_parts_test {
using Parts = std::vector<std::string_view>;

TEST_CASE("Blanks around a text go, those within it stay") {
  CHECK(trimmed(" \t a b\v\f ") == "a b");
  CHECK(trimmed("a") == "a");
  CHECK(trimmed("").empty());
  const std::string_view blanks = "  ";
  CHECK(trimmed(blanks).empty());
  CHECK(trimmed(blanks).data() == blanks.data());
  CHECK(trimmed("a\n ") == "a\n");
}

TEST_CASE("Parts are between separators, empty ones too") {
  CHECK(split("a,b", ',') == Parts{"a", "b"});
  CHECK(split("a", ',') == Parts{"a"});
  CHECK(split("", ',') == Parts{""});
  CHECK(split(",a,", ',') == Parts{"", "a", ""});
}

TEST_CASE("Words in a sentence have commas and an and between them") {
  CHECK(enumerated({}).empty());
  CHECK(enumerated({"a"}) == "a");
  CHECK(enumerated({"a", "b"}) == "a and b");
  CHECK(enumerated({"a", "b", "c"}) == "a, b and c");
}

TEST_CASE("One byte order mark goes") {
  CHECK(without_byte_order_mark("\xef\xbb\xbfstep") == "step");
  CHECK(without_byte_order_mark("step") == "step");
  CHECK(without_byte_order_mark("\xef\xbb") == "\xef\xbb");
}

}  // namespace simtrain::testing::text_parts_test
