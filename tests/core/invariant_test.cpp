#include "sim/core/invariant.h"

#include <string>

#include <doctest/doctest.h>

namespace simtrain::testing::invariant_test {
namespace {

TEST_CASE("A broken invariant is an exception with its place") {
  CHECK_NOTHROW(invariant(true, "one is one"));
  CHECK_THROWS_AS(invariant(false, "one is two"), InternalError);
  try {
    invariant(false, "one is two", "/far/away/sim/core/some.cpp", 12);
    FAIL("nothing was thrown");
  } catch (const std::logic_error& error) {
    CHECK(std::string(error.what()) == "internal error at sim/core/some.cpp:12: one is two");
  }
}

}  // namespace
}  // namespace simtrain::testing::invariant_test
