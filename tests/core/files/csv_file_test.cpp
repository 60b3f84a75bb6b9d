#include <doctest/doctest.h>

#include "sim/core/files/csv_reader.h"
#include "tests/core/error_of.h"

namespace simtrain::testing::csv_file_test {

namespace {

struct Row {
  std::string name;
  std::int64_t count = 0;
  std::string notes;
  SourcePlace where;
  template <class Visitor>
  void fields(Visitor& v) {
    v("name", name);
    v("count", count, Limits{1, 10});
    v.optional("notes", notes);
  }
};

std::vector<Row> rows(const std::string& text) {
  return read_csv<Row>(load_csv_text(text, "f.csv", field_names<Row>()));
}

std::string refused(const std::string& text) {
  return error_of([&] { (void)rows(text); });
}

}  // namespace

TEST_CASE("cells are read by column, quoted text with its commas and doubled quotes") {
  const auto read = rows("name,count,notes\r\na,3,\r\n\"b, \"\"c\"\"\",4,plain\n");
  REQUIRE(read.size() == 2);
  CHECK(read[0].name == "a");
  CHECK(read[0].count == 3);
  CHECK(read[0].notes.empty());
  CHECK(read[1].name == "b, \"c\"");
  CHECK(read[1].notes == "plain");
  CHECK(read[1].where.line == 3);
  CHECK(rows("name,count,notes\n").empty());
}

TEST_CASE("a CSV file that is not so is refused at its place") {
  CHECK(refused("") == "f.csv:1:1: must be the line of columns 'name,count,notes'");
  CHECK(refused("name,count\na,1\n") ==
        "f.csv:1:1: must be the line of columns 'name,count,notes'");
  CHECK(refused("name,count,notes\na,1\n") == "f.csv:2:1: has 2 cells for 3 columns");
  CHECK(refused("name,count,notes\na,1,x,y\n") == "f.csv:2:1: has 4 cells for 3 columns");
  CHECK(refused("name,count,notes\n\n") == "f.csv:2:1: has 1 cells for 3 columns");
  CHECK(refused("name,count,notes\n,1,x\n") == "f.csv:2:1: name: is missing");
  CHECK(refused("name,count,notes\na,1,\"x\n") ==
        "f.csv:2:5: is a quoted text that does not end on its line");
  CHECK(refused("name,count,notes\n\"a\"b,1,x\n") ==
        "f.csv:2:4: must be a comma or the end of the line after a quoted text");
  CHECK(refused("name,count,notes\na\"b,1,x\n") ==
        "f.csv:2:1: has a quote inside a text that does not start with one");
  CHECK(refused("name,count,notes\na,11,x\n").starts_with("f.csv:2:3: count: "));
}

}  // namespace simtrain::testing::csv_file_test
