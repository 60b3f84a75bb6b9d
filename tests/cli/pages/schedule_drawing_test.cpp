// The drawing of pipeline schedules.
#include <doctest/doctest.h>

#include "tests/cli/program.h"
#include "tests/core/checkout.h"

namespace simtrain::testing::schedule_drawing_test {
namespace {

TEST_CASE("The picture of schedules in the documents is what is drawn now") {
  const TempFolder folder;
  const Outcome drawn = run_simtrain({"list", "schedules", "--svg", "schedules.svg"},
                                     {folder.path().string(), {}, ""});
  CHECK(drawn.status == 0);
  CHECK(drawn.out.find("zb_h1") != std::string::npos);
  CHECK(read_file(folder.file("schedules.svg")) ==
        read_file(source_dir() + "/docs/pictures/schedules.svg"));
}

TEST_CASE("Nothing else of a list is drawn") {
  for (const std::vector<std::string>& asked :
       {std::vector<std::string>{"list", "gpus", "--svg", "x.svg"}, {"list", "--svg", "x.svg"}}) {
    const Outcome refused = run_simtrain(asked);
    CHECK(refused.status == 2);
    CHECK(refused.err == "simtrain: --svg: draws pipeline schedules; 'list schedules' would do\n");
  }
}

}  // namespace
}  // namespace simtrain::testing::schedule_drawing_test
