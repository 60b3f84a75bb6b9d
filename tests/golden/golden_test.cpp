#include <doctest/doctest.h>
#include <fmt/format.h>

#include "tests/cli/program.h"
#include "tests/core/checkout.h"

namespace simtrain::testing::golden_test {
namespace {

const std::filesystem::path kExpected(source_dir() + "/tests/golden/expected");

/// "line 3: expected '...', found '...'" for the first line that differs; empty where none does.
std::string first_difference(const std::string& expected, const std::string& found) {
  std::istringstream left(expected);
  std::istringstream right(found);
  for (int number = 1;; ++number) {
    std::string a;
    std::string b;
    const bool more_left = static_cast<bool>(std::getline(left, a));
    const bool more_right = static_cast<bool>(std::getline(right, b));
    if (!more_left && !more_right) return expected == found ? "" : "the last line's end differs";
    if (!more_left) a = "(the end)";
    if (!more_right) b = "(the end)";
    if (a != b) return fmt::format("line {}:\n  expected '{}'\n  found    '{}'", number, a, b);
  }
}

/// Each file of expected/ opens with the call that printed the rest: "simtrain ARGUMENTS".
TEST_CASE("Reports are what they were, to the byte, events and fingerprint included") {
  std::size_t reports = 0;
  for (const auto& entry : std::filesystem::directory_iterator(kExpected)) {
    if (entry.path().extension() != ".txt") continue;
    ++reports;
    const std::string expected = read_file(entry.path());
    const std::string call = expected.substr(0, expected.find('\n'));
    std::vector<std::string> arguments = words(call);
    REQUIRE(arguments.size() > 1);
    arguments.erase(arguments.begin());
    const std::string found = call + "\n" + run_simtrain(arguments).out;
    if (found != expected) {
      FAIL_CHECK(entry.path().filename().string()
                 << ", " << first_difference(expected, found)
                 << "\nwhere the change is meant: tools/update_golden");
    }
  }
  CHECK(reports >= 4);
}

TEST_CASE("The first difference is reported by its line") {
  CHECK(first_difference("a\nb\n", "a\nb\n").empty());
  CHECK(first_difference("a\nb\n", "a\nc\n") == "line 2:\n  expected 'b'\n  found    'c'");
  CHECK(first_difference("a\n", "a\nc\n") == "line 2:\n  expected '(the end)'\n  found    'c'");
  CHECK(first_difference("a\n", "a") == "the last line's end differs");
}

}  // namespace
}  // namespace simtrain::testing::golden_test
