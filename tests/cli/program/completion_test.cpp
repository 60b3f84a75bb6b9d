#include <algorithm>
#include <regex>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "sim/app/help/command_help.h"
#include "tests/cli/program.h"
#include "tests/core/checkout.h"

namespace simtrain::testing::completion_test {
namespace {

/// What bash offers for the last word of a command line, as bash splits it ('=' is a word), sorted.
std::vector<std::string> completions(const std::string& line,
                                     const std::string& folder = source_dir()) {
  const std::string script =
      "source <(\"$SIMTRAIN\" help completion); COMP_WORDS=(\"$SIMTRAIN\" " + line +
      "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _simtrain; printf '%s\\n' \"${COMPREPLY[@]}\"";
  const Outcome outcome =
      run_command_line({"/bin/bash", "-c", script}, {folder, {{"SIMTRAIN", program()}}, ""});
  CHECK(outcome.err.empty());
  std::vector<std::string> offered = words(outcome.out);
  std::sort(offered.begin(), offered.end());
  offered.erase(std::unique(offered.begin(), offered.end()), offered.end());
  return offered;
}

using Words = std::vector<std::string>;

TEST_CASE("bash completes commands, options, listed words, names and rows") {
  const std::vector<std::pair<std::string, Words>> lines{
      {"ca", {"calibrate"}},
      {"--v", {"--version"}},
      {"t", {"topology", "tune"}},
      {"scenarios/llama405b_a4_224.", {"scenarios/llama405b_a4_224.yaml"}},
      {"run scenarios/llama31_8b", {"scenarios/llama31_8b_h100.yaml"}},
      {"run --tr", {"--trace", "--trace-microbatches", "--trace-ranks"}},
      {"scenarios/llama405b_a4_224.yaml --ex", {"--explain"}},
      {"run --format ''", {"json", "text"}},
      {"sweep --format =", {"csv", "json", "text"}},
      {"sweep --format = c", {"csv"}},
      {"run scenarios/llama31_8b_h100.yaml --row bf16-1", {"bf16-128", "bf16-16"}},
      {"metrics --scenario scenarios/llama31_8b_h100.yaml --row = fp8-8", {"fp8-8"}},
      {"import a --cluster gcp", {"gcp-a3-mega", "gcp-a3-ultra", "gcp-a4", "gcp-a4x"}},
      {"nccl gcp-a4 --op all", {"all_gather", "all_reduce", "alltoall"}},
      {"topology gcp-a4 --highlight ''", {"cp", "dp", "pp", "tp"}},
      {"list log", {"log-formats"}},
      {"help co", {"compare", "completion"}},
      {"frobnicate x", {}},
  };
  for (const auto& [line, offered] : lines) {
    const std::string typed = line;
    CAPTURE(typed);
    CHECK(completions(line) == offered);
  }
}

TEST_CASE("bash completes scenarios of the current folder, and runs no file's name") {
  const TempFolder folder;
  folder.write("mine.yaml", "");
  folder.write("m$(touch gone).yaml", "");
  CHECK(completions("run mi", folder.path().string()) == Words{"mine.yaml"});
  CHECK(completions("run m", folder.path().string()).size() == 3);  // split at the space
  CHECK(!std::filesystem::exists(folder.file("gone")));
}

/// Whether zsh's bashcompinit gets `offered` for the last word of a command line, as zsh splits it.
/// It chooses those that begin with the word only where a user is typing.
bool zsh_offers(const std::string& line, const std::string& offered) {
  const TempFolder home;  // compinit writes there
  const std::string script =
      "source <(\"$SIMTRAIN\" help completion); try() { emulate -L sh; COMP_WORDS=(\"$SIMTRAIN\" " +
      line +
      "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _simtrain; }; try; print -l -- $_comps[simtrain] "
      "$COMPREPLY";
  const Outcome outcome = shell("exec zsh -f -c '" + script + "'",
                                {source_dir(), {{"HOME", home.path().string()}}, ""});
  CHECK(outcome.err == "");
  CHECK(outcome.out.starts_with("_bash_complete -o bashdefault -o default -F _simtrain\n"));
  const Words got = words(outcome.out);
  return std::find(got.begin(), got.end(), offered) != got.end();
}

TEST_CASE("zsh completes as well, also where nothing was set up before") {
  if (shell("command -v zsh").status != 0) {
    MESSAGE("skipped: no zsh here; tools/setup.sh test installs it");
    return;
  }
  CHECK(zsh_offers("ca", "calibrate"));
  CHECK(zsh_offers("run --tr", "--trace-ranks"));
  CHECK(zsh_offers("run scenarios/llama31_8b_h100.yaml --row bf16-1", "bf16-128"));
  CHECK(zsh_offers("sweep --format=c", "--format=csv"));
  CHECK(!zsh_offers("sweep --format=c", "csv"));
}

TEST_CASE("Completion and the manual page name every option that a command takes") {
  const std::string page = run_simtrain({"help", "man"}).out;
  for (const CommandRow& command : commands()) {
    const std::string name(command.name);
    CAPTURE(name);
    const Words offered = completions(name + " x --");
    CHECK(std::find(offered.begin(), offered.end(), "--quiet") != offered.end());
    for (const OptionRow& row : rows_of(command)) {
      if (!row.is_option()) continue;
      const std::string option = "--" + std::string(row.name);
      CAPTURE(option);
      CHECK(std::find(offered.begin(), offered.end(), option) != offered.end());
      CHECK(page.find("\\-\\-" + std::regex_replace(option.substr(2), std::regex("-"), "\\-")) !=
            std::string::npos);
    }
  }
}

TEST_CASE("What completes a value is a family that list knows") {
  const Words families = words(run_simtrain({"list"}).out);
  for (const CommandRow& command : commands()) {
    for (const OptionRow& row : rows_of(command)) {
      const std::string family(row.completes);
      CAPTURE(family);
      const bool known = std::find(families.begin(), families.end(), family) != families.end();
      CHECK((family.empty() || family.starts_with("(") || known));
    }
  }
}

TEST_CASE("The manual pages are roff without a fault") {
  std::vector<std::string> pages{"man"};
  for (const CommandRow& command : commands()) pages.push_back(fmt::format("man {}", command.name));
  for (const std::string& page : pages) {
    CAPTURE(page);
    const Outcome lint = shell("\"$SIMTRAIN\" help " + page + " | groff -Tutf8 -man -ww -z");
    CHECK(lint.status == 0);
    CHECK(lint.err == "");
  }
  const Outcome shown = shell("\"$SIMTRAIN\" help man | groff -Tascii -man -P-cbou");
  CHECK(shown.out.find("--trace-ranks LIST\n") != std::string::npos);
  CHECK(shown.out.find("'simtrain help calibrate'") != std::string::npos);
  const Outcome of_command = shell("\"$SIMTRAIN\" help man run | groff -Tascii -man -P-cbou");
  CHECK(of_command.out.find("simtrain-run - predicts a scenario\n") != std::string::npos);
  CHECK(of_command.out.find("--trace-ranks LIST\n") != std::string::npos);
}

}  // namespace
}  // namespace simtrain::testing::completion_test
