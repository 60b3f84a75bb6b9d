#include "sim/core/files/text_file.h"

#include <doctest/doctest.h>

#include "tests/cli/program.h"
#include "tests/core/error_of.h"

namespace simtrain::testing::text_file_test {
namespace {

using testing::error_of;
using testing::TempFolder;

TEST_CASE("What cannot be read is refused in the system's own words, before it is read") {
  const TempFolder folder;
  constexpr TextFileKind kKind{"a text", 1};
  const auto answer = [&](const std::string& path) {
    return error_of([&] { static_cast<void>(read_text_file(path, kKind)); });
  };
  const std::string loop = folder.file("loop");
  std::filesystem::create_symlink(loop, loop);
  CHECK(answer(loop) == loop + ": cannot be opened: Too many levels of symbolic links");
  CHECK(answer(folder.file("none")) == folder.file("none") + ": there is no such file");
  const std::string longest = folder.file(std::string(300, 'n'));
  CHECK(answer(longest) == longest + ": cannot be opened: File name too long");
  const std::string sparse = folder.file("sparse");
  folder.write("sparse", "");
  std::filesystem::resize_file(sparse, 10'000'000'000);
  CHECK(answer(sparse) == sparse + ": is larger than 1 MiB; none that simtrain reads is");
}

TEST_CASE("A place is refused where no file can be put or moved into it") {
  const TempFolder folder;
  const auto answer = [&](const std::string& name, std::string_view end) {
    return error_of([&] { check_place(folder.file(name), end); });
  };
  CHECK(answer("p", ".journal").empty());
  folder.write("p", "");
  CHECK(answer("p", ".journal").empty());
  CHECK(answer("none/p", "").find("cannot be written: its folder: No such") != std::string::npos);
  CHECK(answer("p/p", "").find("cannot be written: its folder: Not a") != std::string::npos);
  CHECK(answer("", "").find("is no regular file") != std::string::npos);
  CHECK(answer(std::string(256, 'p'), "").find("its name is too long") != std::string::npos);
  CHECK(answer(std::string(235, 'p'), "").empty());
  const std::string end(30, 'e');
  CHECK(answer(std::string(235, 'p'), end).find("one of 225 bytes would do") != std::string::npos);
}

TEST_CASE("Two paths to one place are one file, whether it is there or not") {
  const TempFolder folder;
  CHECK(same_file("none.csv", "./none.csv"));
  CHECK(same_file("none.csv", (std::filesystem::current_path() / "none.csv").string()));
  CHECK(same_file(folder.file("a/../b"), folder.file("b")));
  CHECK(!same_file(folder.file("a"), folder.file("b")));
  folder.write("real", "x");
  std::filesystem::create_symlink(folder.path() / "real", folder.path() / "link");
  std::filesystem::create_hard_link(folder.path() / "real", folder.path() / "twin");
  CHECK(same_file(folder.file("real"), folder.file("link")));
  CHECK(same_file(folder.file("real"), folder.file("twin")));
  CHECK(same_file(folder.file("twin"), folder.file("link")));
}

}  // namespace
}  // namespace simtrain::testing::text_file_test
