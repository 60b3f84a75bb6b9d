#include "sim/core/fingerprint.h"

#include <doctest/doctest.h>

namespace simtrain::testing::fingerprint_test {

namespace {
template <class... Parts>
std::uint64_t fingerprint(const Parts&... parts) {
  Fingerprint result;
  (result.add(parts), ...);
  return result.value();
}
constexpr std::uint64_t kOne = 1;
constexpr std::uint64_t kTwo = 2;
}  // namespace

TEST_CASE("equal inputs have equal fingerprints") {
  CHECK(fingerprint(kOne, "a") == fingerprint(kOne, "a"));
}

TEST_CASE("a fingerprint changes with a value, with the order and with one more value") {
  CHECK(fingerprint(kOne) != fingerprint(kTwo));
  CHECK(fingerprint(kOne, kTwo) != fingerprint(kTwo, kOne));
  CHECK(fingerprint(kOne) != fingerprint(kOne, std::uint64_t{0}));
  CHECK(fingerprint(kOne) != fingerprint(kOne << 32U));
  CHECK(fingerprint(kOne << 63U) != fingerprint(std::uint64_t{0}));
}

TEST_CASE("a fingerprint knows where one text ends and the next begins") {
  CHECK(fingerprint("ab", "c") != fingerprint("a", "bc"));
  CHECK(fingerprint("ab") != fingerprint("a", "b"));
  CHECK(fingerprint("") != Fingerprint().value());
}

TEST_CASE("a fingerprint is written as sixteen hexadecimal digits") {
  CHECK(Fingerprint().text() == "cbf29ce484222325");  // the offset basis of 64-bit FNV-1a
}

}  // namespace simtrain::testing::fingerprint_test
