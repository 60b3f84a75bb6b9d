// `simtrain tune --objectives`.
#include <random>

#include <nlohmann/json.hpp>

#include "tests/cli/browser.h"
#include "tests/cli/mpi_ranks.h"

namespace simtrain::testing::tune_front_test {
namespace {

const std::string kQuestion =
    "tune scenarios/llama31_8b_h100.yaml --row bf16-16 --set gbs=32 --limit cp=1,2 --limit "
    "mbs=1,2 ";
const std::string kFront = kQuestion + "--objectives step_time,memory,energy ";

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// What a search prints and writes.
std::string bytes_of(const Outcome& outcome, const TempFolder& folder) {
  CAPTURE(outcome.err);
  CHECK(outcome.status == 0);
  CHECK(!std::filesystem::exists(folder.file("a.h5.journal")));
  return outcome.out + read_file(folder.file("a.h5")) + read_file(folder.file("a.csv")) +
         read_file(folder.file("a.html"));
}

std::vector<std::string> writing(const TempFolder& folder, const std::string& more = "",
                                 const std::string& question = kFront) {
  return words(question + "--format json --hdf5 " + folder.file("a.h5") + " --csv " +
               folder.file("a.csv") + " --report " + folder.file("a.html") + " " + more);
}

TEST_CASE("tune --objectives prints the plans of which none is better in all") {
  const Outcome text = run_simtrain(words(kFront));
  CHECK(text.status == 0);
  CHECK(text.err.empty());
  CHECK(holds(text.out, "by step_time, memory, energy"));
  CHECK(holds(text.out, "The least of each: step_time: 1, memory: "));
  const auto json = nlohmann::json::parse(run_simtrain(words(kFront + "--format json")).out);
  CHECK(json.at("schema") == "simtrain.tune-front/1");
  const auto& front = json.at("front");
  REQUIRE(front.size() > 2);
  CHECK(front.size() + json.at("dominated").size() == json.at("simulated"));
  for (const auto& one : front) {
    CHECK(!one.contains("usd_per_1t_tokens"));
    for (const auto& list : {front, json.at("dominated")}) {
      for (const auto& other : list) {
        CHECK(!(other.at("step_time_s") <= one.at("step_time_s") &&
                other.at("memory_bytes") <= one.at("memory_bytes") &&
                other.at("joules_per_token") < one.at("joules_per_token")));
      }
    }
  }
  // The first is that of the search by step time alone.
  const auto best =
      nlohmann::json::parse(run_simtrain(words(kQuestion + "--top 1 --format json")).out);
  CHECK(front.at(0).at("plan") == best.at("best").at(0).at("plan"));
  CHECK(front.at(0).at("step_time_s") == best.at("best").at(0).at("step_time_s"));
}

TEST_CASE("a front by price compares sizes") {
  const auto json = nlohmann::json::parse(
      run_simtrain(words(kQuestion + "--gpus 8,16 --price 2.5 --objectives price,step_time "
                                     "--format json"))
          .out);
  const auto& front = json.at("front");
  REQUIRE(front.size() >= 2);
  CHECK(front.at(0).at("plan").at("gpus") == 8);
  CHECK(front.back().at("plan").at("gpus") == 16);
  const double hours = 1e12 / front.at(0).at("tokens_per_s").get<double>() / 3600 * 8;
  CHECK(front.at(0).at("usd_per_1t_tokens").get<double>() == doctest::Approx(2.5 * hours));
}

TEST_CASE("bounds rule out plans, not results: --exhaustive gives the same front") {
  const std::string json = kQuestion + "--objectives step_time,memory --format json ";
  const auto front = nlohmann::json::parse(run_simtrain(words(json)).out);
  const auto all = nlohmann::json::parse(run_simtrain(words(json + "--exhaustive")).out);
  CHECK(front.at("front") == all.at("front"));
  CHECK(front.at("simulated") < all.at("simulated"));
}

TEST_CASE("a front has the same bytes again, on any number of threads and ranks") {
  const TempFolder folder;
  const std::string expected = bytes_of(run_simtrain(writing(folder)), folder);
  CHECK(bytes_of(run_simtrain(writing(folder, "--jobs 1")), folder) == expected);
  CHECK(bytes_of(run_simtrain(writing(folder, "--jobs 7")), folder) == expected);
  if (!mpi_here()) return;
  const TempFolder ranks;
  CHECK(bytes_of(run_command_line(three_ranks(writing(ranks))), ranks) == expected);
}

TEST_CASE("a front that is killed at random moments ends with the bytes of one left alone") {
  const TempFolder whole;
  const std::string expected = bytes_of(run_simtrain(writing(whole)), whole);
  const TempFolder folder;
  std::mt19937_64 random(21);
  int killed = 0;
  std::size_t kept = 0;
  for (int i = 0; i < 8; ++i) {
    Running run(simtrain_command(writing(folder, "--resume --jobs 2")));
    std::this_thread::sleep_for(std::chrono::milliseconds(random() % 600));
    run.signal(SIGKILL);
    killed += run.finish().signal == SIGKILL ? 1 : 0;
    const bool there = std::filesystem::exists(folder.file("a.h5.journal"));
    const std::size_t lines = there ? line_count(folder.file("a.h5.journal")) : 0;
    CHECK((lines >= kept || !there));  // nothing that was there is lost before the files are whole
    if (there) CHECK(read_file(folder.file("a.h5.journal")).find("HDF") == std::string::npos);
    kept = lines;
  }
  CHECK(killed > 0);
  CHECK(bytes_of(run_simtrain(writing(folder, "--resume")), folder) == expected);
}

TEST_CASE("Ctrl-C ends a front with what is done, which only its own --resume takes up") {
  const TempFolder folder;
  const std::string large =
      "tune scenarios/llama31_70b_h100.yaml --row bf16-64 --objectives step_time,memory "
      "--exhaustive ";
  const std::string journal = folder.file("a.h5.journal");
  Running run(simtrain_command(writing(folder, "--jobs 1", large)));
  REQUIRE(has_lines(journal, 3));
  run.signal(SIGINT);
  const Outcome& outcome = run.finish();
  CHECK(outcome.status == 128 + SIGINT);
  CHECK(outcome.out.empty());
  CHECK(holds(outcome.err, "plans were simulated; the same command with --resume goes on"));
  CHECK(!std::filesystem::exists(folder.file("a.h5")));
  CHECK(holds(run_simtrain(writing(folder, "", large)).err, "that was stopped"));
  CHECK(holds(run_simtrain(writing(folder, "--resume")).err, "another question"));
}

TEST_CASE("objectives that cannot be are refused in one line") {
  const TempFolder folder;
  folder.write("other.csv", "a,b\n1,2\n");
  struct Refused {
    std::string more;
    std::string says;
  };
  for (const Refused& one : std::vector<Refused>{
           {"--objectives step_time,money", "--objectives: 'money' is not known"},
           {"--objectives step_tme", "'step_time'"},
           {"--objectives memory,memory", "--objectives: memory is there twice"},
           {"--objectives price", "--objectives: price needs --price"},
           {"--objectives=price,energy --price 0", "--price: "},
           {"--objectives ,", "--objectives: '' is not known"},
           {"--objectives memory --by mfu", "--by"},
           {"--objectives memory --top 3", "--top"},
           {"--objectives memory --resume", "--resume: needs the file"},
           {"--objectives memory --force --resume --csv x.csv", "--force: starts anew"},
           {"--objectives memory --gpus 8 --nodes 1", "--nodes: goes without --gpus"},
           {"--objectives memory --memory-margin 100", "--memory-margin: must be below 100"},
           {"--objectives memory --csv " + folder.file("other.csv"), "no table of a search"},
           {"--objectives memory --csv " + folder.file("no/a.csv"), "cannot be written"},
           {"--objectives memory --format csv", "text or json would do"},
           {"--objective memory", "--objectives"}}) {
    CAPTURE(one.more);
    const Outcome outcome = run_simtrain(words(kQuestion + one.more));
    CHECK(outcome.status == 2);
    CHECK(outcome.out.empty());
    CHECK(holds(outcome.err, one.says));
    CHECK(std::count(outcome.err.begin(), outcome.err.end(), '\n') == 1);
  }
  CHECK(read_file(folder.file("other.csv")) == "a,b\n1,2\n");
}

TEST_CASE("where no plan fits the front is empty, and the exit status says so") {
  const TempFolder folder;
  const Outcome outcome =
      run_simtrain(words(kFront + "--memory-margin 99 --csv " + folder.file("a.csv") +
                         " --report " + folder.file("a.html")));
  CHECK(outcome.status == 1);
  CHECK(holds(outcome.out, "No plan fits: the smallest of "));
  CHECK(holds(read_file(folder.file("a.html")), "No plan fits"));
  CHECK(line_count(folder.file("a.csv")) == 1);
}

TEST_CASE("the page of a front opens in a browser and on a phone") {
  if (!browser_here()) return;
  const TempFolder folder;
  const std::string file = folder.file("r.html");
  run_simtrain(words(kFront + "--report " + file));
  const std::string dom = in_browser(file).out;
  CHECK(!holds(dom, "CONSOLE"));
  CHECK(drawn(dom, "front-1", "<canvas"));
  CHECK(drawn(dom, "front-2", "<canvas"));
  const int wide = width_on_phone(file);
  CHECK(wide > 300);
  CHECK(wide <= 390);
}

TEST_CASE("the table of a front has a line a plan, with its knobs and figures") {
  const TempFolder folder;
  REQUIRE(run_simtrain(words(kFront + "--csv " + folder.file("a.csv"))).status == 0);
  const std::string table = read_file(folder.file("a.csv"));
  CHECK(table.starts_with(
      "front,gpus,tp,pp,vp,cp,dp,ep,etp,mbs,recompute,account,schedule,dispatch,tight,step_time_s,"
      "tokens_per_s,mfu,memory_bytes,spare_bytes,joules_per_token,usd_per_1t_tokens,"
      "fingerprint\n1,16,"));
  const std::string text = run_simtrain(words(kFront)).out;
  const auto json = nlohmann::json::parse(run_simtrain(words(kFront + "--format json")).out);
  CHECK(line_count(folder.file("a.csv")) == 1 + json.at("simulated").get<std::size_t>());
}

}  // namespace
}  // namespace simtrain::testing::tune_front_test
