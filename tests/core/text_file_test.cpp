#include "sim/core/text_file.h"

#include <doctest/doctest.h>

#include "tests/cli/program.h"
#include "tests/core/said.h"

namespace simtrain {
namespace {

using testing::said;
using testing::TempFolder;

TEST_CASE("A page takes the place of a page or of nothing") {
  const TempFolder folder;
  const std::string path = folder.file("p");
  const auto answer = [&] { return said([&] { check_page(path); }); };
  CHECK(answer().empty());
  folder.write("p", "");
  CHECK(answer().empty());
  folder.write("p", "<!doctype html>\n<html>");
  CHECK(answer().empty());
  for (const char* text : {"<", "<!doctype htm", "schema: simtrain\n", "\n<!doctype html>"}) {
    folder.write("p", text);
    CHECK(answer() == path + ": is no page; it would be replaced: name another");
  }
  CHECK_THROWS_AS(check_page(folder.path().string()), InputError);
  CHECK_THROWS_AS(check_page(folder.file("none/p")), InputError);
  CHECK_THROWS_AS(check_page(folder.file("p/p")), InputError);
  CHECK_THROWS_AS(check_page(""), InputError);
}

TEST_CASE("Two paths to one place are one file, whether it is there or not") {
  const TempFolder folder;
  CHECK(same_file("none.csv", "./none.csv"));
  CHECK(same_file("none.csv", (std::filesystem::current_path() / "none.csv").string()));
  CHECK(same_file(folder.file("a/../b"), folder.file("b")));
  CHECK(!same_file(folder.file("a"), folder.file("b")));
  folder.write("real", "x");
  std::filesystem::create_symlink(folder.path() / "real", folder.path() / "link");
  CHECK(same_file(folder.file("real"), folder.file("link")));
}

}  // namespace
}  // namespace simtrain
