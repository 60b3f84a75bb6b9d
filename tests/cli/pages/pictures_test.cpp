#include <regex>
#include <set>

#include <doctest/doctest.h>

#include "tests/cli/program.h"
#include "tests/core/checkout.h"

namespace simtrain::testing::pictures_test {
namespace {

using std::filesystem::path;

const path kRoot(source_dir());

std::vector<path> pages() {
  std::vector<path> found{kRoot / "README.md"};
  for (const auto& entry : std::filesystem::recursive_directory_iterator(kRoot / "docs")) {
    if (entry.path().extension() == ".md") found.push_back(entry.path());
  }
  return found;
}

/// The first groups of all matches of `pattern` in `text`, with the second ones where there are
/// any.
std::multimap<std::string, std::string> matches(const std::string& text, const char* pattern) {
  const std::regex expression(pattern, std::regex::ECMAScript | std::regex::multiline);
  std::multimap<std::string, std::string> found;
  for (std::sregex_iterator match(text.begin(), text.end(), expression), end; match != end; ++match)
    found.emplace((*match)[1], match->size() > 2 ? (*match)[2].str() : "");
  return found;
}

/// What tools/pictures draws: the command of each file of docs/pictures.
std::multimap<std::string, std::string> drawn() {
  return matches(read_file(kRoot / "tools/pictures"), R"re(^(?:page|drawing) (\S+) "([^"]+)")re");
}

std::set<std::string> kept() {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(kRoot / "docs/pictures"))
    names.insert(entry.path().filename());
  return names;
}

TEST_CASE("Every picture that a document shows is there, with the command that draws it") {
  const auto commands = drawn();
  std::set<std::string> shown;
  for (const path& page : pages()) {
    CAPTURE(page);
    const std::string text = read_file(page);
    for (const auto& [target, none] : matches(text, R"re(!\[[^\]]+\]\(([^)]+)\))re")) {
      const path picture = page.parent_path() / target;
      const std::string name = picture.filename();
      CAPTURE(name);
      CHECK(std::filesystem::exists(picture));
      if (picture.parent_path().filename() != "pictures") continue;
      shown.insert(name);
      REQUIRE(commands.count(name) == 1);
      CHECK(text.find("build/release/simtrain " + commands.find(name)->second) !=
            std::string::npos);
    }
  }
  CHECK(shown == kept());
}

TEST_CASE("tools/pictures draws what is in docs/pictures, each once") {
  std::set<std::string> names;
  for (const auto& [name, command] : drawn()) CHECK(names.insert(name).second);
  CHECK(names == kept());
}

}  // namespace
}  // namespace simtrain::testing::pictures_test
