#include <doctest/doctest.h>

#include "tests/cli/browser.h"
#include "tests/cli/program.h"
#include "tests/core/checkout.h"

namespace simtrain::testing::docs_site_test {
namespace {

/// Whether the site can be made; where not, the case reports it and is left.
bool sphinx_here() {
  const bool here = shell("command -v sphinx-build").status == 0;
  if (!here) MESSAGE("skipped: no sphinx-build here; tools/setup.sh docs installs it");
  return here;
}

/// The site of the documents of `root`, which has tools/docs, in `site`.
Outcome make_site(const std::string& root, const std::string& site) {
  return run_command_line({root + "/tools/docs", site});
}

/// A repository with the site's tools and configuration and two documents.
class SmallRepository {
 public:
  SmallRepository() {
    for (const char* name : {"tools/docs", "docs/conf.py", "docs/site.css"}) {
      std::filesystem::create_directories((root_.path() / name).parent_path());
      std::filesystem::copy(std::filesystem::path(source_dir()) / name, root_.path() / name);
    }
    root_.write("docs/README.md",
                "# Documents\n\n## Start\n\n- [One](one.md#first)\n- [One](one.md)\n");
  }

  /// What is printed where docs/one.md holds `text`.
  [[nodiscard]] Outcome site_of(const std::string& text) const {
    root_.write("docs/one.md", "# One\n\n## First\n\n" + text + "\n");
    return make_site(root_.path().string(), root_.file("site"));
  }

  [[nodiscard]] std::string file(const std::string& name) const { return root_.file(name); }

 private:
  TempFolder root_;
};

TEST_CASE(
    "Every link, anchor and picture of the documents leads somewhere, and a search finds words "
    "from files") {
  if (!sphinx_here()) return;
  const TempFolder folder;
  const Outcome made = make_site(source_dir(), folder.file("site"));
  CHECK(made.err == "");
  REQUIRE(made.status == 0);
  CHECK(read_file(folder.file("site/index.html")).find("url=docs/README.html") !=
        std::string::npos);
  CHECK(std::filesystem::exists(folder.file("site/docs/adr/0001-two-level-simulation.html")));
  if (!browser_here()) return;
  const std::string found = in_browser(folder.file("site/search.html?q=goodput")).out;
  CHECK(found.find("Search finished, found ") != std::string::npos);
  CHECK(found.find("href=\"docs/goodput.html") != std::string::npos);
  CHECK(width_on_phone(folder.file("site/docs/scenario.html")) <= 390);
}

TEST_CASE("The site of the same documents is the same, and names no folder of the machine") {
  if (!sphinx_here()) return;
  const SmallRepository first;
  const SmallRepository second;
  REQUIRE(first.site_of("- [Documents](README.md)").status == 0);
  REQUIRE(second.site_of("- [Documents](README.md)").status == 0);
  CHECK(shell("diff -r " + first.file("site") + " " + second.file("site")).out == "");
  CHECK(shell("grep -rl simtrain-...... " + first.file("site")).out == "");
}

TEST_CASE("A broken link, anchor or picture, and a page that no list names, fail the site") {
  if (!sphinx_here()) return;
  const std::vector<std::pair<std::string, std::string>> broken{
      {"[x](two.md)", "two.md"},
      {"[x](#second)", "#second"},
      {"[x](README.md#second)", "README.md#second"},
      {"[x](../sim/none.cpp)", "../sim/none.cpp"},
      {"![x](none.png)", "docs/none.png"},
  };
  const SmallRepository repository;
  for (const auto& [link, named] : broken) {
    const std::string& text = link;  // which a lambda of CAPTURE may take
    CAPTURE(text);
    const Outcome outcome = repository.site_of(text);
    CHECK(outcome.status != 0);
    CHECK(outcome.err.find("docs/one.md:5: WARNING: ") != std::string::npos);
    CHECK(outcome.err.find(named) != std::string::npos);
  }
  std::ofstream(repository.file("docs/alone.md")) << "# Alone\n";
  const Outcome outcome = repository.site_of("");
  CHECK(outcome.status != 0);
  CHECK(outcome.err.find("docs/alone.md: WARNING: document isn't included in any toctree") !=
        std::string::npos);
}

}  // namespace
}  // namespace simtrain::testing::docs_site_test
