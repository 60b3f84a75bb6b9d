#include "sim/core/files/seal.h"

#include <doctest/doctest.h>

#include "tests/cli/program.h"

namespace simtrain::testing::seal_test {
namespace {

TEST_CASE("A seal holds while every byte does") {
  const testing::TempFolder folder;
  const std::string path = folder.file("x");
  CHECK(!has_seal(path));
  for (const std::size_t size : {std::size_t{0}, std::size_t{100}, (std::size_t{1} << 20U) + 7}) {
    CAPTURE(size);
    const std::string whole = sealed(std::string(size, 'x'));
    folder.write("x", whole);
    CHECK(has_seal(path));
    for (std::size_t at = 0; at < whole.size(); at += whole.size() < 1000 ? 1 : whole.size() / 9) {
      std::string changed = whole;
      changed[at] = static_cast<char>(changed[at] ^ 4);
      folder.write("x", changed);
      CHECK(!has_seal(path));
    }
    folder.write("x", whole + "\n");
    CHECK(!has_seal(path));
    folder.write("x", whole.substr(1));
    CHECK(!has_seal(path));
  }
  CHECK(!has_seal(folder.path().string()));
}

}  // namespace
}  // namespace simtrain::testing::seal_test
