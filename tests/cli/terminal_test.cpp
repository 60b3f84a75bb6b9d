#include "tests/cli/terminal.h"

#include <algorithm>

#include <doctest/doctest.h>

namespace simtrain::testing {
namespace {

const std::string kFlagship = "scenarios/llama405b_a4_224.yaml";
const std::string kTable = "scenarios/llama31_8b_h100.yaml";
const std::string kEscape = "\x1b";

bool coloured(const std::string& text) { return text.find(kEscape) != std::string::npos; }

TEST_CASE("A report has colours on a terminal, and is the plain one without them") {
  const std::string plain = run_simtrain({kFlagship}).out;
  CHECK(!coloured(plain));
  const Outcome shown = run_on_terminal({kFlagship, "--quiet"});
  CHECK(shown.status == 0);
  CHECK(without_colours(shown.out) == plain);
  CHECK(shown.out.find("\x1b[1mWhere the step goes (critical path)\x1b[0m\n") != std::string::npos);
  CHECK(shown.out.find("70.45 %  \x1b[34m#####################\x1b[0m\n") != std::string::npos);
  CHECK(run_on_terminal({kFlagship, "--color", "auto", "--quiet"}).out == shown.out);
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
        "compare " + kFlagship + " tests/measured/data/dllogger-step-12.json"}) {
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
       {kFlagship + " --format json", std::string("list scenarios"), std::string("help completion"),
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
          "clusters, machines, software, tp-overlap, models, scenarios, collectives, "
          "libraries, algorithms, protocols, wirings, import-formats, log-formats, "
          "profile-formats, step-windows, placements, blocks, groups, schedules, shardings, "
          "precisions, mfu-conventions");
}

TEST_CASE("--quiet leaves out notes and progress, not the result") {
  const TempFolder folder;
  const CallOptions elsewhere{folder.path().string(), {}, ""};
  const Outcome noted = run_simtrain({kFlagship}, elsewhere);
  CHECK(noted.err.starts_with("simtrain: note: "));
  const Outcome quiet = run_simtrain({kFlagship, "--quiet"}, elsewhere);
  CHECK(quiet.err.empty());
  CHECK(quiet.out == noted.out);
}

TEST_CASE("Long work shows a bar on a terminal, with its unit, and takes it away; --quiet none") {
  const std::vector<std::string> sweep{"sweep",  kFlagship, "--vary",  "vp=1,3,9",
                                       "--vary", "mbs=1,2", "--color", "never"};
  const std::string plain = run_simtrain(sweep).out;
  const Outcome shown = run_on_terminal(sweep);
  CHECK(shown.out.find(" of 6 candidates, ") != std::string::npos);
  CHECK(shown.out.ends_with("\x1b[J" + plain));
  std::vector<std::string> quiet = sweep;
  quiet.emplace_back("--quiet");
  CHECK(run_on_terminal(quiet).out == plain);
}

/// Reports of every command. Not among them, for they are as wide as what others define: the tables
/// of nccl-tests (nccl) and of gpu-recipes' script (metrics of several logs), the keys of scenarios
/// as Markdown (help scenario), CSV and JSON.
const std::vector<std::string>& text_reports() {
  static const std::vector<std::string> lines{
      kFlagship,
      "scenarios/llama31_405b_h100.yaml",
      "sweep " + kFlagship + " --vary vp=1,3,9 --vary mbs=1,2 --vary recompute=none,selective",
      "sweep " + kFlagship + " --vary tp=3,4 --vary cp=2,64",
      "tune " + kTable + " --row bf16-8",
      "tune " + kTable + " --row bf16-8 --price 2.5 --tokens 15T",
      "tune " + kFlagship + " --gpus 8",
      "tune scenarios/llama31_405b_h100.yaml --row fp8-64 --limit cp=1 --limit mbs=1",
      "scale " + kFlagship + " --gpus 112,224,230 --price 2.5",
      "scale " + kTable + " --row bf16-8 --gpus 8:64:x2,12 --tokens 15T --mode strong",
      "scale scenarios/llama31_405b_h100.yaml --row bf16-512 --gpus 512",
      "validate --breakdown",
      "validate --nccl",
      "validate --kernels",
      "calibrate --rows llama-405b-a4",
      "calibrate --kernels --gpu h100-sxm",
      "metrics tests/measured/data/log-llama31-8b-step-49.out --scenario " + kTable +
          " --row bf16-8",
      "compare " + kFlagship + " tests/measured/data/dllogger-step-12.json",
      "profile " + kTable + " --row bf16-8 tests/measured/data/nsys-kern-sum.csv",
      "profile " + kTable + " --row bf16-8 tests/measured/data/kineto-rank3.json",
      "topology dgx-superpod-h100 --nodes 512",
      "topology gcp-a4 --from 0 --to 100",
      "topology " + kFlagship,
      "list",
      "bench",
      "help"};
  return lines;
}

void check_columns(const std::string& line) {
  CAPTURE(line);
  std::istringstream text(run_simtrain(words(line)).out);
  for (std::string row; std::getline(text, row);) {
    CAPTURE(row);
    const auto columns = std::count_if(row.begin(), row.end(), [](char c) {
      return (static_cast<unsigned>(c) & 0xc0U) != 0x80U;  // the first byte of a character
    });
    CHECK(columns <= 80);
  }
}

TEST_CASE("Text reports, lists and help fit 80 columns") {
  for (const std::string& line : text_reports()) check_columns(line);
  for (const std::string& family : words(run_simtrain({"list"}).out))
    check_columns("list " + family);
  for (const std::string command :
       {"run", "new", "sweep", "tune", "scale", "validate", "calibrate", "metrics", "compare",
        "profile", "nccl", "topology", "import", "list", "bench", "help"})
    check_columns("help " + command);
}

}  // namespace
}  // namespace simtrain::testing
