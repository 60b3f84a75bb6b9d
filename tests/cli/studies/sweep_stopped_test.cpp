#include <random>

#include <doctest/doctest.h>

#include "tests/cli/sweep_runs.h"

namespace simtrain::testing::sweep_stopped_test {
namespace {

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

struct Files {
  TempFolder folder;
  std::string h5 = folder.file("plans.h5");
  std::string csv = folder.file("plans.csv");
  std::string journal = h5 + ".journal";
  std::vector<std::string> options{"--hdf5", h5, "--output", csv};

  [[nodiscard]] std::string bytes() const { return read_file(h5) + read_file(csv); }
  [[nodiscard]] std::size_t left() const {
    return static_cast<std::size_t>(
        std::distance(std::filesystem::directory_iterator(folder.path()), {}));
  }
};

std::string undisturbed(const std::vector<std::string>& sweep) {
  const Files files;
  CHECK(run_simtrain(with(sweep, files.options)).status == 0);
  CHECK(files.left() == 2);
  return files.bytes();
}

// tools/kill_sweep does the same a hundred times with 2,000 rows.
TEST_CASE("a sweep killed ten times at random ends with the table of one left alone") {
  const std::vector<std::string> sweep = cheap_sweep(300);
  const std::string whole = undisturbed(sweep);
  const Files files;
  std::mt19937_64 random(20);
  std::size_t kept = 0;
  int killed = 0;
  for (int i = 0; i < 10; ++i) {
    Running run(simtrain_command(with(with(sweep, files.options), {"--resume", "--jobs", "2"})));
    std::this_thread::sleep_for(std::chrono::milliseconds(random() % 250));
    run.signal(SIGKILL);
    killed += run.finish().signal == SIGKILL ? 1 : 0;
    if (!std::filesystem::exists(files.journal)) continue;
    const std::size_t rows = line_count(files.journal);
    CHECK(rows >= kept);  // nothing that was there is lost
    kept = rows;
  }
  CHECK(killed > 0);
  CHECK(run_simtrain(with(with(sweep, files.options), {"--resume"})).status == 0);
  CHECK(files.bytes() == whole);
}

TEST_CASE("Ctrl-C and SIGTERM end with what is done, and --resume goes on") {
  const std::vector<std::string> sweep = cheap_sweep(2000);
  for (const int signal : {SIGINT, SIGTERM}) {
    const Files files;
    Running run(simtrain_command(with(sweep, files.options)));
    REQUIRE(has_lines(files.journal, 20));
    run.signal(signal);
    const Outcome& outcome = run.finish();
    CHECK(outcome.status == 128 + signal);
    CHECK(holds(outcome.err, "; the same command with --resume goes on"));
    CHECK(holds(outcome.out, " of 2000 candidates: "));
    CHECK(!std::filesystem::exists(files.csv));
    CHECK(read_file(files.h5).starts_with("\x89HDF"));  // the rows so far
    CHECK(line_count(files.journal) > 20);
  }
}

TEST_CASE("a stopped sweep is not started anew by mistake, nor taken for another") {
  const Files files;
  {
    Running run(simtrain_command(with(cheap_sweep(2000), files.options)));
    REQUIRE(has_lines(files.journal, 20));
    run.signal(SIGSTOP);
    const Outcome second = run_simtrain(with(with(cheap_sweep(2000), files.options), {"--resume"}));
    CHECK(second.status == 2);
    CHECK(holds(second.err, "another simtrain is at work on it"));
    run.signal(SIGKILL);
  }
  const std::string kept = read_file(files.journal);
  Outcome outcome = run_simtrain(with(cheap_sweep(2000), files.options));
  CHECK(outcome.status == 2);
  CHECK(holds(outcome.err, "--resume goes on"));
  outcome = run_simtrain(with(with(cheap_sweep(200), files.options), {"--resume"}));
  CHECK(outcome.status == 2);
  CHECK(holds(outcome.err, "belongs to another question"));
  CHECK(read_file(files.journal) == kept);
  outcome = run_simtrain(with(with(cheap_sweep(40), files.options), {"--force"}));
  CHECK(outcome.status == 0);
  CHECK(files.left() == 2);
}

TEST_CASE("a full disk loses nothing that was done") {
  const std::vector<std::string> sweep = cheap_sweep(300);
  const std::string whole = undisturbed(sweep);
  for (const std::string trap :
       {"trap '' XFSZ; ", ""}) {  // an error, or killed where it hits the end
    const Files files;
    std::string line;
    for (const std::string& word : with(sweep, files.options)) line += " '" + word + "'";
    const Outcome outcome = shell(trap + "ulimit -f 40; \"$SIMTRAIN\"" + line);
    CHECK(outcome.status != 0);
    if (!trap.empty()) {
      CHECK(outcome.status == 2);
      CHECK(holds(outcome.err, "cannot be written: File too large; "));
      CHECK(holds(outcome.err, "go on with --resume"));
    }
    CHECK(line_count(files.journal) > 10);
    CHECK(!std::filesystem::exists(files.h5));
    CHECK(run_simtrain(with(with(sweep, files.options), {"--resume"})).status == 0);
    CHECK(files.bytes() == whole);
    CHECK(files.left() == 2);
  }
}

}  // namespace
}  // namespace simtrain::testing::sweep_stopped_test
