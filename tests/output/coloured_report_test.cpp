#include "sim/output/text/coloured_report.h"

#include <doctest/doctest.h>

namespace simtrain::testing::coloured_report_test {
namespace {

TEST_CASE("A heading is the first line of a report, and of a paragraph indented below it") {
  CHECK(coloured_report("Name\n\n  a b\n") == "\x1b[1mName\x1b[0m\n\n  a b\n");
  CHECK(coloured_report("a\n\nHead\n  row\n") == "\x1b[1ma\x1b[0m\n\n\x1b[1mHead\x1b[0m\n  row\n");
  CHECK(coloured_report("a\n\nrow    MFU\nx      1 %\n") ==
        "\x1b[1ma\x1b[0m\n\n\x1b[1mrow    MFU\x1b[0m\nx      1 %\n");
}

TEST_CASE("Prose is no heading") {
  CHECK(coloured_report("done\n") == "done\n");
  CHECK(coloured_report("  a\n\nSome words\nthat go on.\n") == "  a\n\nSome words\nthat go on.\n");
  CHECK(coloured_report("  a\n\nAll: 3 rows\n") == "  a\n\nAll: 3 rows\n");
}

TEST_CASE("The bar of a share is blue for compute, magenta for communication, plain for waiting") {
  CHECK(coloured_report("  gemm  2 %  ##\n") == "  gemm  2 %  \x1b[34m##\x1b[0m\n");
  CHECK(coloured_report("  tp_exposed  2 %  #\n") == "  tp_exposed  2 %  \x1b[35m#\x1b[0m\n");
  CHECK(coloured_report("  pipeline_bubble  2 %  ##\n") == "  pipeline_bubble  2 %  ##\n");
  CHECK(coloured_report("  other  ##\n") == "  other  ##\n");
}

TEST_CASE("A verdict has its colour where it is alone, not within words") {
  CHECK(coloured_report("  a  fits\n") == "  a  \x1b[32mfits\x1b[0m\n");
  CHECK(coloured_report("  a  fits, but tight: 1 GB\n") ==
        "  a  \x1b[33mfits, but tight\x1b[0m: 1 GB\n");
  CHECK(coloured_report("  a  does not fit: 1 GB\n") == "  a  \x1b[31mdoes not fit\x1b[0m: 1 GB\n");
  CHECK(coloured_report("  a: inside the interval\n") ==
        "  a: \x1b[32minside the interval\x1b[0m\n");
  CHECK(coloured_report("Outside its bound: a\n") == "\x1b[31mOutside its bound\x1b[0m: a\n");
  CHECK(coloured_report("  a outfits b\n") == "  a outfits b\n");
  CHECK(coloured_report("  what fits here\n") == "  what fits here\n");
}

TEST_CASE("A report without an end of its last line gets none") {
  CHECK(coloured_report("") == "");
  CHECK(coloured_report("  a\n  b") == "  a\n  b");
  CHECK(coloured_report("\n\n") == "\n\n");
}

}  // namespace
}  // namespace simtrain::testing::coloured_report_test
