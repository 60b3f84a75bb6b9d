#include "tests/cli/terminal.h"

#include <doctest/doctest.h>

namespace simtrain::testing::terminal_test {
namespace {

const std::string kTable = "scenarios/llama31_8b_h100.yaml";
const std::string kRow = kTable + " --row bf16-8";
const std::string kEscape = "\x1b";

bool coloured(const std::string& text) { return text.find(kEscape) != std::string::npos; }

TEST_CASE("A report has colours on a terminal, and is the plain one without them") {
  const std::string plain = run_simtrain(words(kRow)).out;
  CHECK(!coloured(plain));
  const Outcome shown = run_on_terminal(words(kRow + " --quiet"));
  CHECK(shown.status == 0);
  CHECK(without_colours(shown.out) == plain);
  CHECK(shown.out.find("\x1b[1mWhere the step goes (critical path)\x1b[0m\n") != std::string::npos);
  CHECK(shown.out.find(" %  \x1b[34m###################\x1b[0m\n") != std::string::npos);
  CHECK(run_on_terminal(words(kRow + " --color auto --quiet")).out == shown.out);
}

TEST_CASE("NO_COLOR, a dumb terminal and --color never switch colours off, an empty NO_COLOR not") {
  const std::string plain = run_simtrain({kTable}).out;
  CHECK(run_on_terminal({kTable, "--quiet"}, {{"NO_COLOR", "1"}}).out == plain);
  CHECK(run_on_terminal({kTable, "--quiet"}, {{"TERM", "dumb"}}).out == plain);
  CHECK(run_on_terminal({kTable, "--color=never", "--quiet"}).out == plain);
  // mpirun gives its ranks a terminal of its own, also where what comes there goes into a file.
  CHECK(run_on_terminal({kTable}, {{"OMPI_COMM_WORLD_RANK", "0"}}).out == plain);
  CHECK(coloured(run_on_terminal({kTable, "--quiet"}, {{"NO_COLOR", ""}}).out));
  CHECK(coloured(run_on_terminal({kTable, "--color=always", "--quiet"}, {{"NO_COLOR", "1"}}).out));
}

TEST_CASE("--color always colours what goes into a pipe, wherever it is given, and nothing else") {
  for (const std::string& line :
       {kTable, std::string("topology gcp-a4"),
        std::string("metrics tests/measured/data/log-llama31-8b-step-49.out"),
        "scale " + kTable + " --row bf16-8 --gpus 8,12",
        "compare " + kRow + " tests/measured/data/log-llama31-8b-step-49.out"}) {
    CAPTURE(line);
    const Outcome plain = run_simtrain(words(line));
    const Outcome shown = run_simtrain(words("--color always " + line));
    CHECK(coloured(shown.out));
    CHECK(without_colours(shown.out) == plain.out);
    CHECK(shown.status == plain.status);
    CHECK(run_simtrain(words(line + " --color=always")).out == shown.out);
  }
}

TEST_CASE("What programs read never has colours") {
  for (const std::string& line :
       {kRow + " --format json", std::string("list scenarios"), std::string("help completion"),
        std::string("help scenario"), std::string("nccl gcp-a4 --op all_reduce --gpus 8 --max 64"),
        std::string("metrics tests/measured/data/log-llama31-8b-step-49.out --format csv")}) {
    CAPTURE(line);
    CHECK(!coloured(run_simtrain(words(line + " --color always")).out));
  }
}

TEST_CASE("An error is one line; on a terminal the program's name is red") {
  const std::string line = "simtrain: nothing.yaml: there is no such file\n";
  CHECK(run_simtrain({"nothing.yaml"}).err == line);
  const Outcome shown = run_on_terminal({"nothing.yaml", "--quiet"});
  CHECK(shown.status == 2);
  CHECK(shown.out.starts_with("\x1b[1m\x1b[31msimtrain:\x1b[0m nothing.yaml"));
  CHECK(without_colours(shown.out) == line);
}

TEST_CASE("A wrong --color or --quiet is refused") {
  const auto refused = [](const std::string& line, const std::string& message) {
    CAPTURE(line);
    const Outcome outcome = run_simtrain(words(line));
    CHECK(outcome.status == 2);
    CHECK(outcome.out.empty());
    CHECK(outcome.err == "simtrain: " + message + "\n");
  };
  refused("list gpus --color blue", "--color: 'blue' is not known; auto, always or never would do");
  refused("list gpus --color=", "--color: '' is not known; auto, always or never would do");
  refused("--color", "--color: '' is not known; auto, always or never would do");
  refused("list --color never --color never",
          "option '--color' cannot be specified more than once");
  refused("list --quiet --quiet", "option '--quiet' cannot be specified more than once");
  refused("list gpus --colour never", "unknown option '--colour'; did you mean '--color'?");
  refused("list -- --quiet",
          "list: '--quiet' is no family; known are gpus, nodes, fabrics, "
          "clusters, machines, software, storage, failures, fault-tolerance, tp-overlap, "
          "models, scenarios, "
          "collectives, "
          "libraries, algorithms, protocols, wirings, export-targets, import-formats, log-formats, "
          "profile-formats, step-windows, placements, blocks, groups, schedules, shardings, "
          "precisions, schemas, mfu-conventions");
}

TEST_CASE("--quiet leaves out notes and progress, not the result") {
  const TempFolder folder;
  const CallOptions elsewhere{folder.path().string(), {}, ""};
  const Outcome noted = run_simtrain(words(kRow), elsewhere);
  CHECK(noted.err.starts_with("simtrain: note: "));
  const Outcome quiet = run_simtrain(words(kRow + " --quiet"), elsewhere);
  CHECK(quiet.err.empty());
  CHECK(quiet.out == noted.out);
}

TEST_CASE("Long work shows a bar on a terminal, with its unit, and takes it away; --quiet none") {
  // Longer than the time until a bar is drawn, on any machine.
  const std::vector<std::string> sweep = words(
      "sweep scenarios/llama405b_a4_224.yaml --vary vp=1,3,9 --vary mbs=1,2 --vary cp=1,2 "
      "--vary tp=4,8 --color never");
  const std::string plain = run_simtrain(sweep).out;
  const Outcome shown = run_on_terminal(sweep);
  CHECK(shown.out.find(" of 24 candidates, ") != std::string::npos);
  CHECK(shown.out.ends_with("\x1b[J" + plain));
  std::vector<std::string> quiet = sweep;
  quiet.emplace_back("--quiet");
  CHECK(run_on_terminal(quiet).out == plain);
}

}  // namespace
}  // namespace simtrain::testing::terminal_test
