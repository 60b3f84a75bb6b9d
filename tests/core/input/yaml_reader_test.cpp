#include "sim/core/input/yaml_reader.h"

#include <doctest/doctest.h>

#include "tests/core/error_of.h"

namespace simtrain::testing::yaml_reader_test {
namespace {

enum class Colour { red, dark_blue };

struct Port {
  Bandwidth bandwidth;
  int lanes = 4;
  template <class Visitor>
  void fields(Visitor& v) {
    v("bandwidth", bandwidth);
    v.optional("lanes", lanes, Limits{1, 16});
  }
};

struct Machine {
  std::string name;
  bool ready = false;
  Colour colour{};
  Sourced<double> share;
  std::vector<Port> ports;
  std::array<int, 2> tile{};
  std::optional<Duration> delay;
  SourcePlace where;
  template <class Visitor>
  void fields(Visitor& v) {
    v("name", name);
    v("ready", ready);
    v("colour", colour);
    v("share", share, kShare);
    v("ports", ports);
    v("tile", tile);
    v.optional("delay", delay);
  }
};

}  // namespace
}  // namespace simtrain::testing::yaml_reader_test

namespace simtrain {

template <>
struct EnumNames<testing::yaml_reader_test::Colour> {
  using Colour = testing::yaml_reader_test::Colour;
  static constexpr std::array rows{std::pair{std::string_view("red"), Colour::red},
                                   std::pair{std::string_view("dark-blue"), Colour::dark_blue}};
};

}  // namespace simtrain

namespace simtrain::testing::yaml_reader_test {

namespace {

const char* const kGood =
    "name: m\n"
    "ready: true\n"
    "colour: dark-blue\n"
    "share: {value: 0.5, source: \"a book\"}\n"
    "ports:\n"
    "  - {bandwidth: 400 Gb/s}\n"
    "  - bandwidth: 50 GB/s\n"
    "    lanes: 8\n"
    "tile: [128, 256]\n";

Machine read(const std::string& text) {
  return read_yaml<Machine>(load_yaml_text(text, "m.yaml"), "");
}

/// The error of the good text after one piece of it was replaced.
std::string changed(const std::string& from, const std::string& to) {
  std::string text = kGood;
  const std::size_t place = text.find(from);
  REQUIRE(place != std::string::npos);
  return error_of([&] { read(text.replace(place, from.size(), to)); });
}

}  // namespace

TEST_CASE("a struct is read field by field") {
  const Machine machine = read(kGood);
  CHECK(machine.name == "m");
  CHECK(machine.ready);
  CHECK(machine.colour == Colour::dark_blue);
  CHECK(machine.share.value == 0.5);
  CHECK(machine.share.source == "a book");
  REQUIRE(machine.ports.size() == 2);
  CHECK(machine.ports[0].bandwidth == machine.ports[1].bandwidth);
  CHECK(machine.tile == std::array{128, 256});
  CHECK(machine.where.file == "m.yaml");
  CHECK(machine.where.line == 1);
}

TEST_CASE("an optional field that is missing keeps its default") {
  const Machine machine = read(kGood);
  CHECK(machine.ports[0].lanes == 4);
  CHECK(machine.ports[1].lanes == 8);
  CHECK_FALSE(machine.delay.has_value());
  CHECK(read(std::string(kGood) + "delay: 2 us\n").delay == std::chrono::microseconds(2));
}

TEST_CASE("a missing key is named at the place of its map") {
  CHECK(changed("ready: true\n", "") == "m.yaml:1:1: ready: is missing");
  CHECK(changed("bandwidth: 50 GB/s\n    ", "") == "m.yaml:7:5: ports[1].bandwidth: is missing");
  CHECK(changed(", source: \"a book\"", "") == "m.yaml:4:8: share.source: is missing");
}

TEST_CASE("an unknown key is refused with the closest known one") {
  CHECK(changed("colour", "color") ==
        "m.yaml:3:1: color: is not known here; did you mean 'colour'?");
  CHECK(changed("lanes", "lnes") ==
        "m.yaml:8:5: ports[1].lnes: is not known here; did you mean 'lanes'?");
  CHECK(changed("lanes", "temperature") ==
        "m.yaml:8:5: ports[1].temperature: is not known here; known are bandwidth, lanes");
  CHECK(changed("source:", "src:") ==
        "m.yaml:4:21: share.src: is not known here; known are value, "
        "source");
}

TEST_CASE("a doubled key is refused") {
  CHECK(changed("tile:", "name: again\ntile:") == "m.yaml:9:1: name: is given twice");
}

TEST_CASE("an empty value is refused") {
  CHECK(changed("name: m", "name:") == "m.yaml:1:1: name: must be a text, found nothing");
  CHECK(changed("name: m", "name: \"\"") == "m.yaml:1:7: name: is an empty text");
  CHECK(changed("ready: true", "ready: ~") ==
        "m.yaml:2:8: ready: must be true or false, found nothing");
  CHECK(changed("tile: [128, 256]", "tile: null") ==
        "m.yaml:9:7: tile: must be a list, found nothing");
}

TEST_CASE("a value of the wrong type is refused") {
  CHECK(changed("name: m", "name: [m]") == "m.yaml:1:7: name: must be a text, found a list");
  CHECK(changed("400 Gb/s", "{a: 1}") ==
        "m.yaml:6:17: ports[0].bandwidth: needs a number with one of the units MB/s, GB/s, TB/s, "
        "Gb/s, Tb/s, found a map");
  CHECK(changed("{value: 0.5, source: \"a book\"}", "0.5") ==
        "m.yaml:4:8: share: must be a map of keys, found '0.5'");
  CHECK(changed("[128, 256]", "{rows: 1}") == "m.yaml:9:7: tile: must be a list, found a map");
  CHECK(changed("{bandwidth: 400 Gb/s}", "fast") ==
        "m.yaml:6:5: ports[0]: must be a map of keys, found 'fast'");
}

TEST_CASE("octal numbers, yes and no, and .nan are refused at their place") {
  CHECK(changed("lanes: 8", "lanes: 010") ==
        "m.yaml:8:12: ports[1].lanes: '010' starts with a zero; write it without");
  CHECK(changed("true", "no") == "m.yaml:2:8: ready: must be true or false, found 'no'");
  CHECK(changed("0.5", ".nan") == "m.yaml:4:16: share.value: must be a number, found '.nan'");
}

TEST_CASE("numbers out of range are refused with the range") {
  CHECK(changed("0.5", "1.5") ==
        "m.yaml:4:16: share.value: '1.5' is out of range; 0 to 1 would do");
  CHECK(changed("lanes: 8", "lanes: 17") ==
        "m.yaml:8:12: ports[1].lanes: '17' is out of range; 1 to 16 would do");
  CHECK(changed("128", "99999999999999999999999") ==
        "m.yaml:9:8: tile[0]: '99999999999999999999999' is too large");
}

TEST_CASE("a list of another length is refused") {
  CHECK(changed("[128, 256]", "[128]") == "m.yaml:9:7: tile: must have 2 items, found 1");
}

TEST_CASE("an unknown name of an enumeration is refused with the closest known one") {
  CHECK(changed("dark-blue", "dark_blue") ==
        "m.yaml:3:9: colour: 'dark_blue' is not known here; did you mean 'dark-blue'?");
  CHECK(changed("dark-blue", "green") ==
        "m.yaml:3:9: colour: 'green' is not known here; known are red, dark-blue");
}

TEST_CASE("an empty file and a list in place of a map are refused") {
  CHECK(error_of([] { read(""); }) == "m.yaml: must be a map of keys, found nothing");
  CHECK(error_of([] { read("- 1\n"); }) == "m.yaml:1:1: must be a map of keys, found a list");
  CHECK(error_of([] { read("hello\n"); }) == "m.yaml:1:1: must be a map of keys, found 'hello'");
}

TEST_CASE("a message is one line whatever the input holds") {
  const std::string text = changed("dark-blue", "\"a\\nb\\e[31m\"");
  CHECK(text == "m.yaml:3:9: colour: 'a?b?[31m' is not known here; known are red, dark-blue");
}

TEST_CASE("the fields of a struct and the names of an enumeration can be listed") {
  CHECK(field_names<Port>() == std::vector<std::string>{"bandwidth", "lanes"});
  CHECK(name_of(Colour::dark_blue) == "dark-blue");
}

}  // namespace simtrain::testing::yaml_reader_test
