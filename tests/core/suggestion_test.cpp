#include "sim/core/suggestion.h"

#include <string>

#include <doctest/doctest.h>

namespace simtrain::testing::suggestion_test {

TEST_CASE("a suggestion is the closest known word, or all of them where none is close") {
  CHECK(suggestion("bandwith", {"name", "bandwidth"}) == "did you mean 'bandwidth'?");
  CHECK(suggestion("nome", {"mode", "name"}) == "did you mean 'name'?");
  CHECK(suggestion("colour", {"name", "bandwidth"}) == "known are name, bandwidth");
  CHECK(suggestion("x", {}) == "known are ");
}

TEST_CASE("a suggestion for a word of ten million letters comes at once") {
  CHECK(suggestion(std::string(10'000'000, 'a'), {"name"}) == "known are name");
}

}  // namespace simtrain::testing::suggestion_test
