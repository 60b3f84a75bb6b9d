#include "sim/study/tasks/journal.h"

#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include <doctest/doctest.h>

#include "sim/core/fingerprint.h"
#include "sim/study/sweep/sweep_row.h"
#include "tests/core/error_of.h"

namespace simtrain::testing::journal_test {

namespace {

const JournalHead kHead{"sweep", "0123456789abcdef", "fedcba9876543210", 1000};

std::uint64_t index_of(std::string_view record) { return row_of(record).index; }

const TaskList kRows{1000, {}, index_of};

SweepRow illegal(std::uint64_t index) {
  SweepRow row;
  row.index = index;
  row.status = SweepStatus::illegal;
  row.reason = "tp: no";
  return row;
}

/// A journal's place, empty at first and at last.
class Place {
 public:
  explicit Place(const std::string& name)
      : path_((std::filesystem::temp_directory_path() / ("simtrain-" + name)).string()) {
    std::filesystem::remove(path_);
  }
  ~Place() { std::filesystem::remove(path_); }
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::string text() const {
    std::ostringstream out;
    out << std::ifstream(path_, std::ios::binary).rdbuf();
    return out.str();
  }
  void write(const std::string& text) const { std::ofstream(path_, std::ios::binary) << text; }

  void add(std::uint64_t first, std::uint64_t last) const {
    Journal journal(path_, kHead, JournalStart::resume, kRows);
    for (std::uint64_t i = first; i <= last; ++i) journal.add(record_of(illegal(i)));
  }
  [[nodiscard]] std::string refusal(const JournalHead& head, JournalStart start) const {
    return error_of([&] { const Journal journal(path_, head, start, kRows); });
  }

 private:
  std::string path_;
};

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("rows outlive the journal's owner, each once") {
  const Place place("journal-rows");
  place.add(0, 9);
  place.add(5, 14);
  const JournalContent content = read_journal(place.text(), index_of);
  CHECK(content.has_head);
  CHECK(content.head.tasks == 1000);
  REQUIRE(content.records.size() == 15);
  CHECK(content.records[14].number == 14);
  CHECK(row_of(content.records[14].text).reason == "tp: no");
  CHECK(content.damaged == 0);
}

TEST_CASE("cut anywhere, a journal keeps the whole lines and goes on") {
  const Place place("journal-cut");
  place.add(0, 7);
  const std::string whole = place.text();
  for (std::size_t size = 0; size <= whole.size(); ++size) {
    place.write(whole.substr(0, size));
    const std::size_t lines = static_cast<std::size_t>(
        std::count(whole.begin(), whole.begin() + static_cast<long>(size), '\n'));
    place.add(900, 900);
    const JournalContent content = read_journal(place.text(), index_of);
    CAPTURE(size);
    CHECK(content.records.size() == std::max<std::size_t>(lines, 1));  // head + rows - 1, + 1 added
    CHECK(content.records.back().number == 900);
    CHECK(content.damaged == 0);
  }
}

TEST_CASE("a damaged line is left out, and those behind it count") {
  const Place place("journal-damaged");
  place.add(0, 20);
  const std::string whole = place.text();
  const std::size_t second = whole.find('\n') + 1;
  std::mt19937_64 random(7);
  for (int i = 0; i < 300; ++i) {
    std::string text = whole;
    char& changed = text[second + random() % (text.size() - second - 1)];
    if (changed == '\n') continue;
    changed = static_cast<char>(changed ^ 1);
    if (changed == '\n') continue;
    const JournalContent content = read_journal(text, index_of);
    CHECK(content.records.size() == 20);
    CHECK(content.damaged == 1);
  }
}

TEST_CASE("a line that nests without end is a damaged one") {
  const Place place("journal-deep");
  place.add(0, 2);
  for (const std::string& payload : {std::string(100'000, '['), std::string(100'000, '{')}) {
    Fingerprint sum;
    sum.add(payload);
    const JournalContent content =
        read_journal(place.text() + sum.text() + " " + payload + "\n", index_of);
    CHECK(content.records.size() == 3);
    CHECK(content.damaged == 1);
    CHECK_THROWS_AS(static_cast<void>(row_of(payload)), std::invalid_argument);
    CHECK(!read_journal(sum.text() + " " + payload + "\n", index_of).has_head);
  }
}

TEST_CASE("a journal that is too large for its sweep is not read") {
  const Place place("journal-sparse");
  place.add(0, 2);
  std::filesystem::resize_file(place.path(), 10'000'000'000);
  CHECK(holds(place.refusal(kHead, JournalStart::resume), "is larger than 32 MiB"));
}

TEST_CASE("a journal is refused to other questions, other builds and the unwary") {
  const Place place("journal-others");
  place.add(0, 3);
  JournalHead other = kHead;
  other.question[0] = 'f';
  CHECK(holds(place.refusal(other, JournalStart::resume), "belongs to another question"));
  other = kHead;
  other.program[0] = '0';
  CHECK(holds(place.refusal(other, JournalStart::resume), "another build of simtrain"));
  CHECK(holds(place.refusal(kHead, JournalStart::fresh), "was stopped (4 of 1000 done)"));
  other = kHead;
  other.work = "job";
  CHECK(holds(place.refusal(other, JournalStart::resume), "belongs to another question"));
  CHECK(place.refusal(kHead, JournalStart::replace).empty());
  CHECK(read_journal(place.text(), index_of).records.empty());
  place.write("my notes\n");
  CHECK(holds(place.refusal(kHead, JournalStart::resume), "is no journal of a sweep"));
  CHECK(place.text() == "my notes\n");
}

TEST_CASE("two never write to one journal") {
  const Place place("journal-lock");
  const Journal mine(place.path(), kHead, JournalStart::fresh, kRows);
  CHECK(holds(place.refusal(kHead, JournalStart::resume), "another simtrain is at work on it"));
}

TEST_CASE("a journal that cannot be written is an error") {
  CHECK(holds(error_of([] {
                const Journal journal("/nowhere/at/all.journal", kHead, JournalStart::fresh, kRows);
              }),
              "cannot be written: No such file"));
}

}  // namespace simtrain::testing::journal_test
