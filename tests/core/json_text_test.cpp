#include "sim/core/json_text.h"

#include <string>

#include <doctest/doctest.h>

namespace simtrain::testing::json_text_test {
namespace {

TEST_CASE("JSON is read to a depth of 64, whatever its texts hold") {
  const auto nested = [](std::size_t depth) {
    return std::string(depth, '[') + std::string(depth, ']');
  };
  CHECK(!parse_json(nested(64)).is_discarded());
  CHECK(parse_json(nested(65)).is_discarded());
  CHECK(parse_json(std::string(100'000, '[')).is_discarded());
  CHECK(parse_json(std::string(100'000, '{')).is_discarded());
  std::string keys;
  for (int i = 0; i < 100'000; ++i) keys += "{\"a\":";
  CHECK(parse_json(keys).is_discarded());
  const std::string text = R"({"a":"\")" + std::string(100, '[') + R"(\\","b":[1]})";
  CHECK(parse_json(text).at("b").at(0) == 1);
  CHECK(parse_json("").is_discarded());
  CHECK(parse_json("{} {}").is_discarded());
  CHECK(parse_json("\"open").is_discarded());
  CHECK(parse_json("\"open\\").is_discarded());
}

TEST_CASE("Closed brackets do not count") {
  std::string many;
  for (int i = 0; i < 1000; ++i) many += "[],{}]";
  CHECK(!nests_deeper(many, 1));
  CHECK(nests_deeper("[{", 1));
  CHECK(!nests_deeper("[\"{\"", 1));
}

TEST_CASE("The end of an object is found in parts, whatever its texts hold") {
  const std::string object = R"({"a":"}\"{","b":{"c":1}})";
  CHECK(JsonObjectEnd().find(object + " {}") == object.size());
  for (std::size_t cut = 0; cut < object.size(); ++cut) {
    JsonObjectEnd end;
    CHECK(!end.find(object.substr(0, cut)));
    CHECK(end.find(object.substr(cut) + "}") == object.size() - cut);
  }
}

}  // namespace
}  // namespace simtrain::testing::json_text_test
