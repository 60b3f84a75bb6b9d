#include "sim/api/errors.h"

#include <new>
#include <string>

#include <doctest/doctest.h>
#include <simtrain/simtrain.h>

#include "sim/core/input/input_error.h"
#include "sim/core/invariant.h"
#include "sim/run/engine/executor.h"

namespace simtrain::api::errors_test {
namespace {

TEST_CASE("What the library throws is what its headers promise") {
  CHECK_THROWS_AS(guarded([] { invariant(false, "two are three"); }), InternalError);
  CHECK_THROWS_AS(guarded([] { throw StuckProgram("a plan that ends never"); }), InternalError);
  CHECK_THROWS_AS(guarded([] { throw std::bad_alloc(); }), std::bad_alloc);
  CHECK(guarded([] { return 7; }) == 7);
  try {
    guarded([] { throw simtrain::InputError({"a.yaml", 2, 3}, "tp", "is odd"); });
    FAIL("nothing was thrown");
  } catch (const InputError& error) {
    CHECK(std::string(error.what()) == "a.yaml:2:3: tp: is odd");
    CHECK(error.place().file == "a.yaml");
    CHECK(error.place().line == 2);
    CHECK(error.place().column == 3);
    CHECK(error.key() == "tp");
    CHECK(error.reason() == "tp: is odd");
  }
}

TEST_CASE("The library says its version") { CHECK(version() == "0.1.0"); }

}  // namespace
}  // namespace simtrain::api::errors_test
