#include <doctest/doctest.h>

#include "tests/cli/mpi_ranks.h"

namespace simtrain::testing::sweep_mpi_test {
namespace {

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST_CASE("three ranks write the table that one process writes") {
  if (!mpi_here()) return;
  const TempFolder folder;
  const std::vector<std::string> sweep = cheap_sweep(200);
  CHECK(run_simtrain(with(sweep, {"--hdf5", folder.file("one.h5")})).status == 0);
  const Outcome outcome =
      run_command_line(three_ranks(with(sweep, {"--hdf5", folder.file("three.h5")})));
  CHECK(outcome.status == 0);
  CHECK(holds(outcome.out, "200 of 200 candidates: "));
  CHECK(read_file(folder.file("three.h5")) == read_file(folder.file("one.h5")));
  CHECK(!std::filesystem::exists(folder.file("three.h5.journal")));
}

TEST_CASE("a wrong question ends all ranks with one line") {
  if (!mpi_here()) return;
  const Outcome outcome =
      run_command_line(three_ranks(with(cheap_sweep(8), {"--vary", "mbs=1,two"})));
  CHECK(outcome.status == 2);
  const std::size_t first = outcome.err.find("simtrain: ");
  CHECK(first != std::string::npos);
  CHECK(outcome.err.find("simtrain: ", first + 1) == std::string::npos);
}

TEST_CASE("a lost rank is reported, and its rows are done on --resume") {
  if (!mpi_here()) return;
  const TempFolder folder;
  const std::vector<std::string> sweep = cheap_sweep(4000);
  const std::string h5 = folder.file("plans.h5");
  Running job(three_ranks(with(sweep, {"--hdf5", h5})));
  REQUIRE(has_lines(h5 + ".journal", 50));
  // The last of the ranks, by the journal's name on their command lines.
  const Outcome killed = shell("kill -KILL $(pgrep -nf \"^$SIMTRAIN.*" + h5 + "\")");
  CHECK(killed.status == 0);
  CHECK(job.finish().status != 0);
  CHECK(holds(job.finish().err, "exited on signal 9"));
  CHECK(line_count(h5 + ".journal") >= 50);
  CHECK(run_simtrain(with(sweep, {"--hdf5", h5, "--resume"})).status == 0);
  CHECK(run_simtrain(with(sweep, {"--hdf5", folder.file("one.h5")})).status == 0);
  CHECK(read_file(h5) == read_file(folder.file("one.h5")));
}

}  // namespace
}  // namespace simtrain::testing::sweep_mpi_test
