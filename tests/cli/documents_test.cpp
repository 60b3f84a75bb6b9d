#include <algorithm>

#include <doctest/doctest.h>

#include "tests/cli/program.h"

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
  for (const auto& entry : std::filesystem::directory_iterator(SIMTRAIN_SOURCE_DIR)) {
    const std::string name = entry.path().filename().string();
    if (name != "build") std::filesystem::create_symlink(entry.path(), folder.path() / name);
  }
}

/// What is said on standard error, less what is said for information.
std::string complaints(const std::string& said) {
  std::istringstream lines(said);
  std::string kept;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("simtrain: note: ")) kept += line + "\n";
  }
  return kept;
}

void check_page(const std::filesystem::path& page) {
  const TempFolder folder;
  link_repository(folder);
  for (const std::string& command : commands_of(page)) {
    CAPTURE(page);
    CAPTURE(command);
    static std::map<std::string, Outcome> known;  // pages repeat each other
    const auto [entry, fresh] = known.try_emplace(command);
    if (fresh) entry->second = shell(command, {folder.path().string(), {}, ""});
    const Outcome& outcome = entry->second;
    CHECK(outcome.status == 0);
    CHECK(complaints(outcome.err) == "");
  }
}

TEST_CASE("Every command of the README runs, and it has some") {
  const std::filesystem::path readme(SIMTRAIN_SOURCE_DIR "/README.md");
  if (!std::filesystem::exists(readme)) return;
  CHECK(!commands_of(readme).empty());
  check_page(readme);
}

/// What stands between the first text fence of a page and its end.
std::string table_of(const char* file) {
  const std::string page = read_file(SIMTRAIN_SOURCE_DIR + std::string("/docs/") + file);
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
  const std::filesystem::path docs(SIMTRAIN_SOURCE_DIR "/docs");
  if (!std::filesystem::exists(docs)) return;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(docs)) {
    if (entry.path().extension() == ".md") check_page(entry.path());
  }
}

}  // namespace
}  // namespace simtrain::testing
