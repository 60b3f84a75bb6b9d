// The pages of simtrain goodput and simtrain run --job.

#include <algorithm>

#include <doctest/doctest.h>

#include "tests/cli/base_scenario.h"
#include "tests/cli/browser.h"
#include "tests/output/page.h"

namespace simtrain::testing::job_page_test {
namespace {

constexpr std::string_view kJob = R"(cost: {gpu_hour: 2 USD, electricity: 0.1 USD/kWh}
job:
  tokens: 1e12
  failures: production-h100
  spare_nodes: 2
  checkpoint: {storage: lustre-superpod, save_interval: 50}
  runs: 60
)";

struct JobPages {
  JobPages() {
    folder.write("job.yaml", std::string(kBaseScenario) + std::string(kJob));
    folder.write("safe.yaml", edited(std::string(kBaseScenario) + std::string(kJob),
                                     "  failures: production-h100\n", ""));
  }
  [[nodiscard]] Outcome run(const std::string& command) const {
    return run_simtrain(words(command), {folder.path().string(), {}, ""});
  }
  TempFolder folder;
};

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST_CASE("goodput and run --job write their pages beside what they print") {
  const JobPages here;
  for (const std::string command : {"goodput job.yaml", "run job.yaml --job"}) {
    CAPTURE(command);
    const Outcome outcome = here.run(command + " --report a.html");
    CHECK(outcome.status == 0);
    CHECK(outcome.err.empty());
    CHECK(outcome.out == here.run(command).out);
    const std::string page = read_file(here.folder.file("a.html"));
    CHECK(page.ends_with("</html>\n"));
    for (const char* part : {"<h2>How many days</h2>", "<h2>What to change</h2>",
                             "<h2>Interval between checkpoints</h2>", "<h2>Spare nodes</h2>",
                             "job.checkpoint.async_save=true", "of GPU hours", "lost work"}) {
      CAPTURE(part);
      CHECK(holds(page, part));
    }
    CHECK(holds(unlabelled(page), "set\">pp=1") == false);
    CHECK(holds(page, "PP: 2 -&gt; 1") == command.starts_with("run"));
    CHECK(here.run(command + " --report b.html").status == 0);
    CHECK(read_file(here.folder.file("b.html")) == page);
    // Takes the place of its own pages, and of nothing else.
    CHECK(here.run(command + " --report a.html").status == 0);
    CHECK(here.run(command + " --report job.yaml").status == 2);
  }
}

TEST_CASE(
    "A page of the step alone has no job, one of a job without failures no advice of its own") {
  const JobPages here;
  CHECK(here.run("run job.yaml --report a.html").status == 0);
  CHECK(!holds(read_file(here.folder.file("a.html")), "id=\"job-days\""));
  CHECK(here.run("goodput safe.yaml --report b.html").status == 0);
  const std::string safe = read_file(here.folder.file("b.html"));
  CHECK(holds(safe, "Where the time of the job goes"));
  CHECK(!holds(safe, "id=\"job-days\""));
  CHECK(!holds(safe, "id=\"job-advice\""));
  CHECK(here.run("goodput job.yaml --plain --report c.html --hdf5 c.h5").status == 0);
  CHECK(!holds(read_file(here.folder.file("c.html")), "id=\"job-advice\""));
  CHECK(read_file(here.folder.file("c.h5")).starts_with("\x89HDF"));
}

TEST_CASE("The charts of a job are drawn, on phones and paper too") {
  if (!browser_here()) return;
  const JobPages here;
  CHECK(here.run("goodput job.yaml --report a.html").status == 0);
  CHECK(here.run("run job.yaml --job --report b.html").status == 0);
  CHECK(here.run("goodput safe.yaml --report c.html").status == 0);
  for (const std::string name : {"a.html", "b.html", "c.html"}) {
    CAPTURE(name);
    const std::string file = here.folder.file(name);
    const std::string dom = in_browser(file).out;
    CHECK(!holds(dom, "Uncaught"));
    CHECK(drawn(dom, "job-uses", "<svg"));
    for (const char* id : {"job-days", "job-advice", "job-intervals", "job-spares"}) {
      CAPTURE(id);
      CHECK(drawn(dom, id, "<svg") == (name != "c.html"));
    }
    if (name == "b.html") CHECK(drawn(dom, "waterfall", "<svg"));
    CHECK(width_on_phone(file) <= 390);
    CHECK(!holds(on_paper(file), "Uncaught"));
  }
}

}  // namespace
}  // namespace simtrain::testing::job_page_test
