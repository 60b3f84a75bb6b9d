#include "sim/study/tune/plan_limits.h"

#include <doctest/doctest.h>

#include "tests/core/error_of.h"
#include "tests/study/plan_search.h"

namespace simtrain::testing::plan_limits_test {

namespace {

std::vector<int> numbers(const std::string& text) {
  return numbers_of(parse_ranges(text, "--gpus"), "--gpus");
}
std::string refused(const std::string& text) {
  return error_of([&] { static_cast<void>(numbers(text)); });
}

}  // namespace

TEST_CASE("ranges name numbers one by one, in steps and by factors") {
  CHECK(numbers("8") == std::vector{8});
  CHECK(numbers("8,1,8") == std::vector{1, 8});
  CHECK(numbers("2:4") == std::vector{2, 3, 4});
  CHECK(numbers("8:30:8") == std::vector{8, 16, 24});
  CHECK(numbers("64:600:x2,100") == std::vector{64, 100, 128, 256, 512});
  CHECK(numbers("2147483647") == std::vector{2147483647});
  CHECK(numbers("1000000000:2147483647:x2") == std::vector{1000000000, 2000000000});
}

TEST_CASE("what is no range is refused, and so are too many numbers") {
  for (const char* text : {"", "0", "-1", "a", "1.5", "8,", ",8", "1:", ":8", "4:2", "1:8:0",
                           "1:8:x1", "1:8:x", "1:2:3:4", "2147483648", " 8", "8 ", "1:8:-1"}) {
    CAPTURE(text);
    CHECK(refused(text).starts_with("--gpus: '"));
  }
  CHECK(refused("1:2000") == "--gpus: names more than 1000 numbers");
}

TEST_CASE("limits allow what they name and leave other knobs free") {
  const PlanLimits some = limits({"tp=1,4", "pp=2:16:x2", "recompute=none,full", "account=both"});
  for (const int tp : {1, 4}) CHECK(some.allows(Knob::tp, tp));
  for (const int tp : {2, 3, 8}) CHECK(!some.allows(Knob::tp, tp));
  for (const int pp : {2, 4, 8, 16}) CHECK(some.allows(Knob::pp, pp));
  for (const int pp : {1, 3, 6, 32}) CHECK(!some.allows(Knob::pp, pp));
  CHECK(some.allows(Knob::vp, 12345));
  CHECK(some.allows(Knob::recompute, static_cast<int>(Recompute::none)));
  CHECK(!some.allows(Knob::recompute, static_cast<int>(Recompute::selective)));
  CHECK(some.allows(Knob::account, static_cast<int>(SplitAccount::both)));
  CHECK(!some.allows(Knob::account, static_cast<int>(SplitAccount::none)));
}

TEST_CASE("a limit of nothing known is refused with what would do") {
  const auto refusal = [](const std::string& text) {
    return error_of([&] { PlanLimits().add(text); });
  };
  CHECK(refusal("tp") == "--limit tp: must be KEY=VALUES; tp=1,2,4 or pp=1:16 would do");
  CHECK(refusal("tpp=1").find("did you mean 'tp'?") != std::string::npos);
  CHECK(refusal("recompute=ful").find("did you mean 'full'?") != std::string::npos);
  CHECK(refusal("account=").find("'' is not known") != std::string::npos);
  CHECK(refusal("mbs=none").find("'none' is neither a number") != std::string::npos);
  CHECK(error_of([] { limits({"tp=1", "tp=2"}); }) == "--limit tp=2: 'tp' has a limit already");
}

}  // namespace simtrain::testing::plan_limits_test
