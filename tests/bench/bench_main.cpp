// The engine against those of others on the same work, in one run: how long each takes, and how
// many times as long as ours. Names are WORK/ENGINE; the least of several repetitions counts, taken
// by turns, so that what else the machine does meets all alike.
#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>
#include <fmt/format.h>

namespace {

class Ratios : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context& /*context*/) override { return true; }

  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& run : runs) {
      if (run.error_occurred) {
        fmt::print(stderr, "{}: {}\n", run.run_name.function_name, run.error_message);
        failed_ = true;
      } else if (run.run_type == Run::RT_Iteration) {
        const double seconds = run.cpu_accumulated_time / static_cast<double>(run.iterations);
        Row& row = rows_.try_emplace(run.family_index, Row{run.run_name.function_name, seconds})
                       .first->second;
        row.seconds = std::min(row.seconds, seconds);
      }
    }
  }

  void Finalize() override {
    fmt::print("{:<36}{:<28}{:>10}{:>8}\n", "work", "engine", "CPU time", "ratio");
    std::map<std::string, double> ours;  // seconds by work; it comes first
    for (const auto& [family, row] : rows_) {
      const std::size_t cut = row.name.rfind('/');
      const std::string work = row.name.substr(0, cut);
      const std::string engine = row.name.substr(cut + 1);
      if (engine == "simtrain") ours[work] = row.seconds;
      fmt::print("{:<36}{:<28}{:>10}{:>8}\n", work, engine, text(row.seconds),
                 ours.contains(work) ? fmt::format("{:.2f}", row.seconds / ours[work]) : "");
    }
  }

  [[nodiscard]] bool failed() const { return failed_; }

 private:
  struct Row {
    std::string name;
    double seconds = 0;
  };

  static std::string text(double seconds) {
    if (seconds < 1e-6) return fmt::format("{:.1f} ns", 1e9 * seconds);
    return seconds < 1e-3 ? fmt::format("{:.1f} us", 1e6 * seconds)
                          : fmt::format("{:.1f} ms", 1e3 * seconds);
  }

  std::map<std::int64_t, Row> rows_;  ///< in the order of registration
  bool failed_ = false;
};

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> words{argv[0], "--benchmark_repetitions=3", "--benchmark_min_time=0.05",
                                 "--benchmark_enable_random_interleaving=true"};
  words.insert(words.end(), argv + 1, argv + argc);
  std::vector<char*> arguments;
  arguments.reserve(words.size());
  for (std::string& word : words) arguments.push_back(word.data());
  int count = static_cast<int>(arguments.size());
  benchmark::Initialize(&count, arguments.data());
  if (benchmark::ReportUnrecognizedArguments(count, arguments.data())) return 2;
  Ratios ratios;
  benchmark::RunSpecifiedBenchmarks(&ratios);
  return ratios.failed() ? 3 : 0;
}
