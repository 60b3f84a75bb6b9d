#include <algorithm>
#include <regex>
#include <set>

#include <doctest/doctest.h>

#include "tests/cli/program.h"
#include "tests/core/checkout.h"

namespace simtrain::testing {
namespace {

/// The simtrain commands in the ```console and ```sh blocks of a page, continued lines joined.
std::vector<std::string> commands_of(const std::filesystem::path& page) {
  std::vector<std::string> commands;
  std::istringstream text(read_file(page));
  bool inside = false;
  for (std::string line; std::getline(text, line);) {
    if (line.starts_with("```")) {
      inside = line == "```console" || line == "```sh";
      continue;
    }
    if (!inside) continue;
    if (line.starts_with("$ ")) line.erase(0, 2);
    for (std::string more; line.ends_with("\\") && std::getline(text, more);)
      line.replace(line.size() - 1, 1, more);
    for (const std::string program : {"simtrain", "build/release/simtrain"}) {
      if (line == program || line.starts_with(program + " "))
        commands.push_back("\"$SIMTRAIN\"" + line.substr(program.size()));
    }
  }
  return commands;
}

/// A folder that looks like the repository, so that what a command writes stays out of it.
void link_repository(const TempFolder& folder) {
  for (const auto& entry : std::filesystem::directory_iterator(source_dir())) {
    const std::string name = entry.path().filename().string();
    if (name != "build") std::filesystem::create_symlink(entry.path(), folder.path() / name);
  }
}

/// Whether a command of a page writes a file into build/.
bool writes(const std::string& command) { return command.find(" build/") != std::string::npos; }

/// What is printed on standard error, less what is only information.
std::string complaints(const std::string& printed) {
  std::istringstream lines(printed);
  std::string kept;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("simtrain: note: ")) kept += line + "\n";
  }
  return kept;
}

void check_command(const std::string& command, const Outcome& outcome) {
  CAPTURE(command);
  CHECK(outcome.status == 0);
  CHECK(complaints(outcome.err) == "");
}

void check_page(const std::filesystem::path& page, const TempFolder& folder) {
  CAPTURE(page);
  link_repository(folder);
  std::filesystem::create_directory(folder.file("build"));
  for (const std::string& command : commands_of(page)) {
    static std::map<std::string, Outcome> known;  // pages repeat each other
    const auto [entry, fresh] = known.try_emplace(command);
    if (fresh) entry->second = shell(command, {folder.path().string(), {}, ""});
    check_command(command, entry->second);
  }
}

TEST_CASE(
    "Every command of the README runs; what it writes lies in build/, and it runs a second time") {
  const std::filesystem::path readme(source_dir() + "/README.md");
  if (!std::filesystem::exists(readme)) return;
  const auto names = [](const std::filesystem::path& path) {
    std::set<std::string> found;
    for (const auto& entry : std::filesystem::directory_iterator(path))
      found.insert(entry.path().filename().string());
    return found;
  };
  std::set<std::string> before = names(source_dir());
  before.insert("build");
  CHECK(!commands_of(readme).empty());
  const TempFolder folder;
  check_page(readme, folder);
  int commands = 0;
  for (const std::string& command : commands_of(readme)) {
    if (!writes(command)) continue;
    ++commands;
    check_command(command, shell(command, {folder.path().string(), {}, ""}));
  }
  CHECK(commands > 5);
  CHECK(names(folder.path()) == before);
  CHECK(names(folder.file("build")).size() > 5);
}

TEST_CASE("make examples runs the commands of the README") {
  std::istringstream list(shell("tools/examples list").out);
  std::vector<std::string> run;
  for (std::string line; std::getline(list, line);)
    run.push_back("\"$SIMTRAIN\"" + line.substr(line.find(' ')));
  std::vector<std::string> wanted = commands_of(source_dir() + "/README.md");
  REQUIRE(!wanted.empty());
  wanted.erase(wanted.begin());  // of an installed program; it comes below once more
  CHECK(run == wanted);
}

/// The lines of the blocks of a page that open with one of `fences`.
std::string blocks_of(const std::filesystem::path& page, const std::vector<std::string>& fences) {
  std::istringstream text(read_file(page));
  std::string lines;
  std::string fence;
  for (std::string line; std::getline(text, line);) {
    if (line.starts_with("```"))
      fence = line;
    else if (std::find(fences.begin(), fences.end(), fence) != fences.end())
      lines += line + "\n";
  }
  return lines;
}

void check_quoted_lines(const std::filesystem::path& page, const std::string& printed) {
  std::istringstream quoted(blocks_of(page, {"```text"}));
  for (std::string line; std::getline(quoted, line);) {
    CAPTURE(line);
    CHECK(("\n" + printed).find("\n" + line + "\n") != std::string::npos);
  }
}

/// Cells of the page's tables that open with a digit are figures of a report.
void check_quoted_figures(const std::filesystem::path& page, const std::string& printed) {
  const std::string text = read_file(page);
  const std::regex cell(R"(\| (\d[^|]*) (?=\|))");
  for (std::sregex_iterator match(text.begin(), text.end(), cell), end; match != end; ++match) {
    const std::string figure = (*match)[1];
    CAPTURE(figure);
    CHECK(printed.find(" " + figure) != std::string::npos);
  }
}

TEST_CASE("The README shows what the flagship scenario prints") {
  check_quoted_lines(source_dir() + "/README.md",
                     run_simtrain({"scenarios/llama405b_a4_224.yaml"}).out);
}

TEST_CASE("The tutorial can be walked through, and every figure that it quotes is printed") {
  const std::filesystem::path source(source_dir());
  const std::filesystem::path page = source / "docs/tutorial.md";
  const TempFolder folder;  // not of links: the tutorial changes its copy of the data
  std::filesystem::create_directories(folder.path() / "build/release");
  std::filesystem::create_directories(folder.path() / "tests/topology");
  for (const std::string data : {"hardware", "scenarios", "validation", "tests/topology/data"})
    std::filesystem::copy(source / data, folder.path() / data,
                          std::filesystem::copy_options::recursive);
  std::filesystem::create_symlink(program(), folder.path() / "build/release/simtrain");
  const Outcome walk =
      run_command_line({"/bin/sh", "-e", "-c", blocks_of(page, {"```console", "```sh"})},
                       {folder.path().string(), {{"SIMTRAIN_DATA", folder.path().string()}}, ""});
  CHECK(walk.status == 0);
  CHECK(complaints(walk.err) == "");
  check_quoted_lines(page, walk.out);
  check_quoted_figures(page, walk.out);
}

/// The text between the first text fence of a page and its end.
std::string table_of(const char* file) {
  const std::string page = read_file(source_dir() + std::string("/docs/") + file);
  const std::string fence = "```text\n";
  const std::size_t start = page.find(fence) + fence.size();
  return page.substr(start, page.find("```", start) - start);
}

// Where a change is meant: tools/update_golden.
TEST_CASE("The table of measured NCCL calls is what is printed now") {
  CHECK(table_of("nccl-validation.md") == run_simtrain({"validate", "--nccl"}).out);
}

TEST_CASE("The table of measured kernels is what is printed now") {
  CHECK(table_of("kernel-validation.md") == run_simtrain({"validate", "--kernels"}).out);
}

TEST_CASE("Every command of the documents runs") {
  const std::filesystem::path docs(source_dir() + "/docs");
  if (!std::filesystem::exists(docs)) return;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(docs)) {
    if (entry.path().extension() == ".md" && entry.path().filename() != "tutorial.md")
      check_page(entry.path(), TempFolder());
  }
}

}  // namespace
}  // namespace simtrain::testing
