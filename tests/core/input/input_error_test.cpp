#include "sim/core/input/input_error.h"

#include <doctest/doctest.h>

namespace simtrain::testing::input_error_test {

TEST_CASE("an error has its place, key and sentence, and its reason without the place") {
  const InputError error({"my file.yaml", 3, 7}, "training.precision", "is\nwrong");
  CHECK(std::string(error.what()) == "my file.yaml:3:7: training.precision: is?wrong");
  CHECK(error.reason() == "training.precision: is?wrong");
  CHECK(error.sentence() == "is?wrong");
  CHECK(InputError({}, "", "sentence").reason() == "sentence");
  CHECK(InputError({"--set a=b"}, "a", "no").reason() == "a: no");
  CHECK(InputError({}, "", "sentence").sentence() == "sentence");
  CHECK(InputError({"f.yaml"}, std::string(5000, 'k'), "no").sentence() == "no");
}

}  // namespace simtrain::testing::input_error_test
