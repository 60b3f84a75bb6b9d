#include "sim/core/files/partial_file.h"

#include <doctest/doctest.h>

#include "sim/core/input/input_error.h"
#include "tests/cli/program.h"

namespace simtrain::testing::partial_file_test {
namespace {

using testing::TempFolder;

std::ptrdiff_t files_in(const TempFolder& folder) {
  const std::filesystem::directory_iterator files(folder.path());
  return std::distance(begin(files), end(files));
}

TEST_CASE("A partial file is whole or not there") {
  const TempFolder folder;
  folder.write("x", "old");
  {
    PartialFile file(folder.file("x"));
    file.write("new");
    CHECK(testing::read_file(folder.file("x")) == "old");
    CHECK(files_in(folder) == 2);
  }
  CHECK(files_in(folder) == 1);
  CHECK(testing::read_file(folder.file("x")) == "old");
  PartialFile file(folder.file("x"));
  file.write("n");
  file.write("ew");
  file.commit();
  CHECK(testing::read_file(folder.file("x")) == "new");
  CHECK(files_in(folder) == 1);
}

TEST_CASE("A partial file refuses what is no regular file or has no folder") {
  const TempFolder folder;
  CHECK_THROWS_AS(PartialFile(folder.path().string()), InputError);
  CHECK_THROWS_AS(PartialFile("/dev/full"), InputError);
  CHECK_THROWS_AS(PartialFile(folder.file("no/x")), InputError);
}

}  // namespace
}  // namespace simtrain::testing::partial_file_test
