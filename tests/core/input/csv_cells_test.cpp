#include "sim/core/input/csv_cells.h"

#include <doctest/doctest.h>

namespace simtrain::testing::csv_cells_test {
using Texts = std::vector<std::string_view>;

namespace {

/// "3: what is wrong" of a line, or nothing.
std::string fault_of(std::string_view line) {
  CsvCells cells;
  cells.read(line);
  return cells.fault() ? std::to_string(cells.fault()->at) + ": " + std::string(cells.fault()->what)
                       : "";
}

}  // namespace

TEST_CASE("Cells are between commas, with where they start") {
  CsvCells cells;
  CHECK(cells.read("a, b,,c"));
  CHECK(cells.all() == Texts{"a", " b", "", "c"});
  CHECK(cells.start(0) == 0);
  CHECK(cells.start(1) == 2);
  CHECK(cells.start(3) == 6);
  CHECK(cells.read(""));
  CHECK(cells.all() == Texts{""});
  CHECK(cells.read("a,"));
  CHECK(cells.all() == Texts{"a", ""});
  CHECK(!cells.fault());
}

TEST_CASE("Within quotes commas are text and doubled quotes are one") {
  CsvCells cells;
  CHECK(cells.read(R"("a, ""b""",2,"","x")"));
  CHECK(cells.all() == Texts{R"(a, "b")", "2", "", "x"});
  CHECK(cells.start(0) == 0);
  CHECK(cells.start(1) == 11);
  CHECK(cells.start(3) == 16);
  CHECK(!cells.fault());
  CHECK(cells.read("plain"));
  CHECK(cells.all() == Texts{"plain"});
}

TEST_CASE("The first fault of a line has its place, and the line is read all the same") {
  CHECK(fault_of(R"(a,b"c",d)") == "2: has a quote inside a text that does not start with one");
  CHECK(fault_of(R"("a"b,"c)") == "3: must be a comma or the end of the line after a quoted text");
  CHECK(fault_of(R"(a,"b,c)") == "2: is a quoted text that does not end on its line");
  CHECK(fault_of(R"("a""b)") == "0: is a quoted text that does not end on its line");
  CsvCells cells;
  CHECK(cells.read(R"(1, "a, b",x"y,z")"));
  CHECK(cells.all() == Texts{"1", " a, b", "xy,z"});
  CHECK(!cells.read(R"(a,"b,c)"));
  CHECK(cells.all() == Texts{"a", "b,c"});
  CHECK(cells.read("a"));
  CHECK(!cells.fault());
}

TEST_CASE("What ends a cell is written within quotes, and read back") {
  CHECK(csv_quoted("a b") == "a b");
  for (const std::string text : {"a,b", "a\"b", "\"", "a\rb"}) {
    CsvCells cells;
    CHECK(cells.read(csv_quoted(text)));
    CHECK(cells.all() == Texts{text});
  }
}

}  // namespace simtrain::testing::csv_cells_test
