#include <algorithm>
#include <regex>
#include <set>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "tests/cli/program.h"
#include "tests/core/checkout.h"

namespace simtrain::testing::documents_test {
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

/// What a command of the pages does in a folder like the repository; known where another page has
/// it.
const Outcome& outcome_of(const std::string& command, const TempFolder& folder) {
  static std::map<std::string, Outcome> known;
  const auto [entry, fresh] = known.try_emplace(command);
  if (fresh) entry->second = shell(command, {folder.path().string(), {}, ""});
  return entry->second;
}

void check_page(const std::filesystem::path& page, const TempFolder& folder) {
  CAPTURE(page);
  link_repository(folder);
  std::filesystem::create_directory(folder.file("build"));
  for (const std::string& command : commands_of(page))
    check_command(command, outcome_of(command, folder));
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

TEST_CASE("The table of errors of documented steps is what is printed now") {
  const TempFolder folder;
  link_repository(folder);
  folder.write("result.json", outcome_of("\"$SIMTRAIN\" validate --format json", folder).out);
  const Outcome page = shell("tools/accuracy_table <" + folder.file("result.json"));
  CHECK(page.err == "");
  CHECK(read_file(source_dir() + "/docs/accuracy.md") == page.out);
}

/// Numbers in the line of a report that opens with `name`, at or after the first `heading`.
std::vector<double> numbers_of(const std::string& report, const std::string& heading,
                               const std::string& name) {
  std::istringstream lines(report.substr(std::min(report.find(heading), report.size())));
  std::vector<double> numbers;
  for (std::string line; numbers.empty() && std::getline(lines, line);) {
    if (!line.starts_with("  " + name + " ")) continue;
    std::istringstream cells(line.substr(name.size() + 2));
    for (std::string cell; cells >> cell;) {
      if (cell != "%") numbers.push_back(std::stod(cell));
    }
  }
  return numbers;
}

/// Whether a page says so, wherever its lines break.
void check_said(const std::string& page, const std::string& said) {
  CAPTURE(page);
  CAPTURE(said);
  const std::string text =
      std::regex_replace(read_file(source_dir() + "/" + page), std::regex("\\s+"), " ");
  CHECK(text.find(said) != std::string::npos);
}

TEST_CASE("What pages say of tables left out of the fit is what is printed now") {
  const TempFolder folder;
  link_repository(folder);
  const std::string report = outcome_of("\"$SIMTRAIN\" validate --leave-one-table-out", folder).out;
  for (const std::string what : {"group", "table"}) {
    const std::vector<double> all = numbers_of(report, fmt::format("Each {} ", what), "all");
    REQUIRE(all.size() == 6);  // rows, mean, largest, bias, inside, half width
    check_said(
        "docs/calibration.md",
        fmt::format("| {}s left out | {:.2f} % | {:.2f} % | {:+.2f} % | {:.0f} % | {:.2f} % |",
                    what, all[1], all[2], all[3], all[4], all[5]));
    if (what == "group") continue;
    check_said("README.md",
               fmt::format("| {:.0f} | **{:.1f} %** | largest {:.1f} %; {:.0f} % in their "
                           "90 % interval of +-{:.1f} % |",
                           all[0], all[1], all[2], all[4], all[5]));
    check_said("docs/accuracy.md",
               fmt::format("the mean absolute error is **{:.1f} %**, the largest {:.1f} %.", all[1],
                           all[2]));
  }
}

TEST_CASE("What pages say of runs that nobody fitted to is what is printed now") {
  const TempFolder folder;
  link_repository(folder);
  const std::string report = outcome_of("\"$SIMTRAIN\" validate --measured", folder).out;
  const std::vector<double> all = numbers_of(report, "", "all");
  const std::vector<double> mixtures = numbers_of(report, "by stack", "mixture");
  REQUIRE(all.size() == 7);  // rows, mean, median, 90 %, bias, inside, by other sources
  REQUIRE(mixtures.size() == 7);
  check_said("README.md",
             fmt::format("| {:.0f} | **{:.1f} %** | median {:.1f} %;", all[0], all[1], all[2]));
  check_said("README.md", fmt::format("mixtures of experts {:.1f} %;", mixtures[1]));
  check_said("README.md", fmt::format("{:.0f} % in their interval", all[5]));
  check_said(
      "docs/accuracy.md",
      fmt::format("the mean absolute error is **{:.1f} %** (median {:.1f};", all[1], all[2]));
  check_said("docs/accuracy.md", fmt::format("{:.1f} % of mixtures of experts", mixtures[1]));
  check_said("docs/accuracy.md",
             fmt::format("{:.0f} % of them are in their 90 % interval", all[5]));
  check_said("docs/accuracy.md", fmt::format("{:.0f} % where the other sources set", all[6]));
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
}  // namespace simtrain::testing::documents_test
