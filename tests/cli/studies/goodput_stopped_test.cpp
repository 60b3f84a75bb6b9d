#include <random>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "tests/cli/base_scenario.h"
#include "tests/cli/mpi_ranks.h"
#include "tests/cli/sweep_runs.h"

namespace simtrain::testing::goodput_stopped_test {
namespace {

/// A job of so many runs, and where its results go.
struct JobFiles {
  explicit JobFiles(int runs, int interval = 20) {
    folder.write("job.yaml", std::string(kBaseScenario) +
                                 fmt::format("job: {{days: 300, failures: production-h100, "
                                             "spare_nodes: 2, checkpoint: {{storage: "
                                             "lustre-superpod, save_interval: {}}}, runs: {}}}\n",
                                             interval, runs));
  }

  [[nodiscard]] std::vector<std::string> command(const std::string& more = "") const {
    return words("goodput " + folder.file("job.yaml") + " --format json --hdf5 " + h5 + " " + more);
  }

  TempFolder folder;
  std::string h5 = folder.file("runs.h5");
  std::string journal = h5 + ".journal";
};

std::string bytes_of(const JobFiles& files, const Outcome& outcome) {
  CAPTURE(outcome.err);
  CHECK(outcome.status == 0);
  CHECK(!std::filesystem::exists(files.journal));
  return outcome.out + read_file(files.h5);
}

TEST_CASE("A job killed at random moments ends with the bytes of one left alone") {
  const JobFiles whole(400);
  const std::string expected = bytes_of(whole, run_simtrain(whole.command()));
  const JobFiles files(400);
  std::mt19937_64 random(20);
  std::size_t kept = 0;
  int killed = 0;
  for (int i = 0; i < 8; ++i) {
    Running run(simtrain_command(files.command("--resume --jobs 2")));
    std::this_thread::sleep_for(std::chrono::milliseconds(random() % 400));
    run.signal(SIGKILL);
    killed += run.finish().signal == SIGKILL ? 1 : 0;
    if (!std::filesystem::exists(files.journal)) continue;
    const std::size_t runs = line_count(files.journal);
    CHECK(runs >= kept);  // nothing that was there is lost
    kept = runs;
  }
  CHECK(killed > 0);
  CHECK(bytes_of(files, run_simtrain(files.command("--resume"))) == expected);
}

TEST_CASE("Ctrl-C ends a job with what is done, which only its own --resume takes up") {
  const JobFiles files(20'000);
  Running run(simtrain_command(files.command("--plain")));
  REQUIRE(has_lines(files.journal, 20));
  run.signal(SIGINT);
  const Outcome& outcome = run.finish();
  CHECK(outcome.status == 128 + SIGINT);
  CHECK(outcome.out.empty());
  CHECK(outcome.err.find("of 20000 runs; the same command with --resume goes on") !=
        std::string::npos);
  CHECK(!std::filesystem::exists(files.h5));
  const std::string kept = read_file(files.journal);
  const Outcome anew = run_simtrain(files.command("--plain"));
  CHECK(anew.status == 2);
  CHECK(anew.err.find("is the journal of a job that was stopped") != std::string::npos);
  const Outcome other = run_simtrain(files.command("--plain --resume --set job.seed=7"));
  CHECK(other.status == 2);
  CHECK(other.err.find("belongs to another question") != std::string::npos);
  CHECK(read_file(files.journal) == kept);
  const Outcome replaced = run_simtrain(files.command("--plain --force --set job.runs=50"));
  CHECK(replaced.status == 0);
  CHECK(!std::filesystem::exists(files.journal));
}

TEST_CASE("--resume and --force of a job are not both, and --resume has a file") {
  const JobFiles files(10);
  CHECK(run_simtrain(files.command("--resume --force")).err.find("--force: starts anew") !=
        std::string::npos);
  const Outcome none =
      run_simtrain(words("goodput " + files.folder.file("job.yaml") + " --resume"));
  CHECK(none.status == 2);
  CHECK(none.err.find("--resume: needs the file") != std::string::npos);
}

TEST_CASE("Three ranks of MPI and any number of threads give the bytes of one process") {
  const JobFiles one(100);
  const std::string expected = bytes_of(one, run_simtrain(one.command("--jobs 1")));
  const JobFiles more(100);
  CHECK(bytes_of(more, run_simtrain(more.command("--jobs 5"))) == expected);
  if (!mpi_here()) return;
  const JobFiles three(100);
  CHECK(bytes_of(three, run_command_line(three_ranks(three.command()))) == expected);
}

TEST_CASE("A job that cannot be ends all ranks with one line") {
  if (!mpi_here()) return;
  const JobFiles files(10);
  const Outcome outcome =
      run_command_line(three_ranks(files.command("--set job.checkpoint.storage=tape")));
  CHECK(outcome.status == 2);
  const std::size_t first = outcome.err.find("simtrain: ");
  CHECK(first != std::string::npos);
  CHECK(outcome.err.find("simtrain: ", first + 1) == std::string::npos);
}

}  // namespace
}  // namespace simtrain::testing::goodput_stopped_test
