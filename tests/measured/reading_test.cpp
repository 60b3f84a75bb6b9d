#include <array>
#include <map>
#include <random>

#include <doctest/doctest.h>

#include "sim/measured/run/step_table.h"
#include "tests/measured/lines.h"

namespace simtrain::testing::reading_test {
namespace {

struct Piece {
  std::string text;
  std::int64_t number;
  bool ended;
  bool too_long;
  bool operator==(const Piece&) const = default;
};

std::vector<Piece> pieces_of(std::string_view text, std::size_t bytes) {
  LineReader reader(text_source(text, bytes));
  std::vector<Piece> pieces;
  for (LogLine line; reader.next(line);)
    pieces.push_back({std::string(line.text), line.number, line.ended, line.too_long});
  CHECK(reader.bytes() == static_cast<std::int64_t>(text.size()));
  return pieces;
}

TEST_CASE("lines end at newlines and carriage returns; only newlines count") {
  const std::vector<Piece> expected{
      {"a", 1, true, false}, {"b", 3, true, false}, {"c", 3, true, false}, {"d", 4, false, false}};
  for (const std::size_t bytes : {1UL, 2UL, 3UL, 100UL})
    CHECK(pieces_of("a\r\n\nb\rc\nd", bytes) == expected);
  CHECK(pieces_of("", 1).empty());
  CHECK(pieces_of("\n\r\n\r", 1).empty());
}

TEST_CASE("a line that is too long is reported once, whatever the pieces it comes in") {
  const std::string longest(LineReader::kLongest, 'x');
  const std::string text =
      "a\n" + longest + "\n" + longest + "y\nb\n" + longest + longest + longest;
  const std::vector<Piece> expected{{"a", 1, true, false},
                                    {longest, 2, true, false},
                                    {"", 3, true, true},
                                    {"b", 4, true, false},
                                    {"", 5, false, true}};
  for (const std::size_t bytes : {65536UL, 1000003UL, 1UL << 30U})
    CHECK(pieces_of(text, bytes) == expected);
}

TEST_CASE("windows: names, ranges, the last ones") {
  CHECK(describe(parse_window("parse-train-timing", "")) == "steps 11 to 44");
  CHECK(describe(parse_window("11:44", "")) == "steps 11 to 44");
  CHECK(describe(parse_window("11:", "")) == "steps from 11 on");
  CHECK(describe(parse_window(":44", "")) == "steps 0 to 44");
  CHECK(describe(parse_window("last", "")) == "the last step");
  CHECK(describe(parse_window("last:20", "")) == "the last 20 steps");
  CHECK(describe(parse_window("all", "")) == "all steps");
  CHECK(parse_window("parse-train-timing-mbridge", "").deviation == DeviationKind::sample);
  for (const std::string wrong : {"", ":", "a:b", "11", "-1:5", "1:2:3", "last:", "last:0", "1.5:2",
                                  "99999999999999999999:", "last:-2"}) {
    CAPTURE(wrong);
    CHECK(error_of([&] {
            parse_window(wrong, "--steps");
          }).starts_with("--steps: '" + wrong + "' is no"));
  }
  CHECK(error_of([] { parse_window("44:11", "--steps"); }) ==
        "--steps: '44:11' ends before it starts; the first step comes first");
  CHECK(error_of([] { parse_window("last:1001", "--steps"); }) ==
        "--steps: 'last:1001' asks for more than the last 1000 steps; 'FIRST:' would do");
}

TEST_CASE("the last steps are the last of the log, a repeated one where it comes last") {
  StepTable table(parse_window("last:3", ""));
  for (const int number : {5, 6, 7, 8, 6, 7}) table.add({number, 1.0 + number});
  std::vector<std::int64_t> numbers;
  for (const MeasuredStep& step : table.take()) numbers.push_back(step.number);
  CHECK(numbers == std::vector<std::int64_t>{6, 7, 8});
}

TEST_CASE("property: a table holds what a map would, in any order and with many repeats") {
  std::mt19937 random(7);
  for (int round = 0; round < 20; ++round) {
    StepTable table(parse_window("10:500", ""));
    std::map<std::int64_t, double> expected;
    for (int i = 0; i < 20000; ++i) {
      const auto number = static_cast<std::int64_t>(random() % 600);
      const double seconds = 1 + static_cast<double>(random() % 1000);
      table.add({number, seconds});
      if (number >= 10 && number <= 500) expected[number] = seconds;
    }
    std::map<std::int64_t, double> held;
    for (const MeasuredStep& step : table.take()) held.emplace(step.number, step.seconds);
    CHECK(held == expected);
  }
}

// Random runs, written in each format with noise between the lines, in pieces of random size.
TEST_CASE("property: a log in any format gives back the steps that were written") {
  std::mt19937 random(11);
  const std::array<std::pair<std::string, std::string (*)(std::int64_t, std::string_view)>, 4>
      kinds{{{"nemo", nemo_line},
             {"nemo-progress-bar", bar_line},
             {"megatron", megatron_line},
             {"dllogger", dllogger_line}}};
  for (int round = 0; round < 40; ++round) {
    for (const auto& [format, line] : kinds) {
      std::string log;
      std::vector<std::pair<std::int64_t, double>> written;
      std::int64_t number = 1;
      for (int i = 0; i < 30; ++i, number += 1 + static_cast<std::int64_t>(random() % 3)) {
        const std::string shown =
            fmt::format("{:.3f}", 1 + static_cast<double>(random() % 99999) / 1e3);
        const double unit = format == "megatron" ? 1e3 : 1;
        written.emplace_back(number, std::stod(shown) / unit);
        log += line(number, shown);
        if (random() % 3 == 0) log += "\n[rank3] a warning | with: 5, iteration and (ms)\n";
        if (random() % 5 == 0) log += "\r\n\n";
      }
      log += "\n";
      const MeasuredRun run = read_text(log, all_steps(), 1 + random() % 300);
      CAPTURE(log);
      CHECK(run.format == format);
      CHECK(run.skipped.count == 0);
      std::vector<std::pair<std::int64_t, double>> read;
      for (const MeasuredStep& step : run.steps) read.emplace_back(step.number, step.seconds);
      CHECK(read == written);
    }
  }
}

}  // namespace
}  // namespace simtrain::testing::reading_test
