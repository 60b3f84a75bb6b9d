#include "sim/core/input/yaml_tree.h"

#include <ctime>
#include <filesystem>

#include <doctest/doctest.h>

#include "sim/core/files/yaml_file.h"
#include "tests/core/error_of.h"

namespace simtrain::testing::yaml_tree_test {

namespace {

YamlNode load(const std::string& text) { return load_yaml_text(text, "a.yaml"); }
std::string refused(const std::string& text) {
  return error_of([&] { static_cast<void>(load(text)); });
}
YamlNode word(const std::string& text) {
  YamlNode node = load_yaml_text(text, "--set", 7);
  return node;
}

}  // namespace

TEST_CASE("a tree keeps the text of scalars, the order of keys and the place of each") {
  const YamlNode root = load("name: x\nlist: [010, no]\nmap:\n  .nan: ~\n");
  REQUIRE(root.kind == YamlNode::Kind::map);
  REQUIRE(root.entries.size() == 3);
  CHECK(root.entries[0].key == "name");
  CHECK(root.entries[1].value.items[0].text == "010");
  CHECK(root.entries[1].value.items[1].text == "no");
  CHECK(root.entries[1].value.items[1].place.line == 2);
  CHECK(root.entries[1].value.items[1].place.column == 13);
  CHECK(root.entries[2].place.line == 3);
  CHECK(root.entries[2].value.entries[0].key == ".nan");
  CHECK(root.entries[2].value.entries[0].value.kind == YamlNode::Kind::null);
}

TEST_CASE("a doubled key is refused at its second place, at any depth") {
  CHECK(refused("a: 1\nb: 2\na: 3\n") == "a.yaml:3:1: a: is given twice");
  CHECK(refused("m:\n  a: 1\n  \"a\": 3\n") == "a.yaml:3:3: a: is given twice");
  CHECK(refused("m: {a: 1, a: 1}\n") == "a.yaml:1:11: a: is given twice");
  CHECK(refused("m: {a: 1}\nn: {a: 1}\n") == "");
}

TEST_CASE("a merge key is refused") {
  CHECK(refused("a:\n  <<: {b: 1}\n") ==
        "a.yaml:2:3: <<: merge keys are not used here; write the keys out");
}

TEST_CASE("an anchor is refused wherever it is") {
  const std::string sentence = "anchors (&name) are not used here; write the value out";
  CHECK(refused("a: &x 1\n") == "a.yaml:1:4: " + sentence);
  CHECK(refused("a: &x [1]\n") == "a.yaml:1:4: " + sentence);
  CHECK(refused("a: &x\n  b: 1\n") == "a.yaml:1:4: " + sentence);
  CHECK(refused("b: 1\na: &x\n") == "a.yaml:2:4: " + sentence);
}

TEST_CASE("an alias is refused") {
  const std::string message = refused("a: 1\nb: *x\n");
  CHECK(message.substr(0, 13) == "a.yaml:2:4: i");  // yaml-cpp itself: unknown anchor
  CHECK(refused("a: [*x]\n") != "");
}

TEST_CASE("a tag is refused") {
  CHECK(refused("a: !!int 1\n") ==
        "a.yaml:1:4: the tag 'tag:yaml.org,2002:int' is not used here; leave it out");
  CHECK(refused("a: !secret [1]\n") ==
        "a.yaml:1:4: the tag '!secret' is not used here; leave it out");
  CHECK(refused("!map\na: 1\n") != "");
}

TEST_CASE("a second document is refused") {
  CHECK(refused("---\na: 1\n---\nb: 2\n") ==
        "a.yaml:3:1: a second document starts here; a file holds one");
  CHECK(refused("a: 1\n...\n---\nb: 2\n") ==
        "a.yaml:3:1: a second document starts here; a file holds one");
  CHECK(refused("---\na: 1\n...\n") == "");
}

TEST_CASE("nesting is refused beyond 64 levels") {
  const auto nested = [](int levels) {
    return "a: " + std::string(static_cast<std::size_t>(levels), '[') +
           std::string(static_cast<std::size_t>(levels), ']');
  };
  CHECK(refused(nested(63)) == "");
  CHECK(refused(nested(64)) == "a.yaml:1:67: nests deeper than 64 levels");
  CHECK(refused("a: 1\n" + std::string(15'000'000, '[')) ==  // at once
        "a.yaml:2:65: nests deeper than 64 levels");
  CHECK(refused("a: " + std::string(15'000'000, '{')) ==
        "a.yaml:1:68: nests deeper than 64 levels");
  std::string half_open;
  for (int i = 0; i < 5000; ++i) half_open += "# a share in [0, 1)\n";
  CHECK(refused(half_open + "a: 1\n").empty());
}

TEST_CASE("text with a NUL byte or broken UTF-8 is refused") {
  CHECK(refused(std::string("a: 1\0\n", 6)) ==
        "a.yaml: holds a NUL byte; a text file was expected");
  for (const char* bytes : {"\xff", "\x80", "\xc3", "\xc0\xaf", "\xe0\x80\xaf", "\xed\xa0\x80",
                            "\xf4\x90\x80\x80", "\xf0\x9f\x98"}) {
    CAPTURE(bytes);
    CHECK(refused(std::string("a: ") + bytes) == "a.yaml: is not UTF-8; a text file was expected");
  }
  CHECK(load("a: \u00b5s \u20ac \U0001F600\n").find("a")->text == "\u00b5s \u20ac \U0001F600");
}

TEST_CASE("broken YAML is refused with its place") {
  CHECK(refused("a: [1, 2\n").substr(0, 24) == "a.yaml:2:1: is not YAML:");
  CHECK(refused("a: b: c\n") == "a.yaml:1:5: is not YAML: illegal map value");
  CHECK(refused("\ta: 1\n").find("is not YAML") != std::string::npos);
  CHECK(refused("a: 1\n  b: 2\n").find("is not YAML") != std::string::npos);
}

TEST_CASE("a quoted text without its closing quote is refused, whatever follows") {
  for (const char* text : {"a: \"open", "a: \"open\n", "a: 'open\nb: 1\n", "'", "\"\n"}) {
    CAPTURE(text);
    CHECK(refused(text).find("is not YAML: illegal EOF in scalar") != std::string::npos);
  }
}

TEST_CASE("an empty value has the place of its key") {
  const YamlNode root = load("m:\n  a:\n\n  b: ~\n");
  CHECK(root.find("m")->find("a")->place.line == 2);
  CHECK(root.find("m")->find("a")->place.column == 3);
  CHECK(root.find("m")->find("b")->place.column == 6);
}

TEST_CASE("a block text keeps its line ends") {
  CHECK(load("a: |\n  x\n  y\n").find("a")->text == "x\ny\n");
  CHECK(load("a: |-\n  x").find("a")->text == "x");
}

TEST_CASE("an empty file is an empty value with the file as its place") {
  for (const char* text : {"", "\n\n", "# nothing but a comment\n"}) {
    const YamlNode root = load(text);
    CHECK(root.kind == YamlNode::Kind::null);
    CHECK(root.place.file == "a.yaml");
  }
}

/// Processor time that a map of so many keys takes to be read.
double seconds_to_load(int keys) {
  std::string text;
  for (int i = 0; i < keys; ++i) text += "k" + std::to_string(i) + ": 1\n";
  const std::clock_t start = std::clock();
  CHECK(load(text).entries.size() == static_cast<std::size_t>(keys));
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

TEST_CASE("the time to read a map grows with its keys, not with their square") {
  const double few = seconds_to_load(10'000);
  CHECK(seconds_to_load(160'000) < 16 * 6 * few);
}

TEST_CASE("the columns of a text from the command line count from where it starts") {
  CHECK(error_of([] { static_cast<void>(load_yaml_text("[1, &x 2]", "--set", 10)); }) ==
        "--set:1:14: anchors (&name) are not used here; write the value out");
  CHECK(error_of([] { static_cast<void>(load_yaml_text("b: c: d", "--set", 10)); }) ==
        "--set:1:14: is not YAML: illegal map value");
}

TEST_CASE("a missing file and a folder are refused by name") {
  CHECK(error_of([] { static_cast<void>(load_yaml_file("/no/such.yaml")); }) ==
        "/no/such.yaml: there is no such file");
  const std::string folder = std::filesystem::temp_directory_path().string();
  CHECK(error_of([&] { static_cast<void>(load_yaml_file(folder)); }) ==
        folder + ": is a folder; name a YAML file");
}

TEST_CASE("a dotted key finds a value however deep") {
  const YamlNode root = load("a: {b: {c: 7}}\n");
  REQUIRE(find_yaml_value(root, "a.b.c") != nullptr);
  CHECK(find_yaml_value(root, "a.b.c")->text == "7");
  CHECK(find_yaml_value(root, "a.x.c") == nullptr);
  CHECK(find_yaml_value(root, "a.b.c.d") == nullptr);
  CHECK(find_yaml_value(root, "") == &root);
}

TEST_CASE("setting a value replaces it, in place") {
  YamlNode root = load("a: {b: 1}\nc: 2\n");
  set_yaml_value(root, "a.b", word("9"));
  CHECK(find_yaml_value(root, "a.b")->text == "9");
  CHECK(find_yaml_value(root, "a.b")->place.file == "--set");
  CHECK(root.entries.size() == 2);
  CHECK(root.entries[0].key == "a");
}

TEST_CASE("setting a value makes the maps on its way") {
  YamlNode root = load("a:\n");
  set_yaml_value(root, "a.b.c", word("[1, 2]"));
  CHECK(find_yaml_value(root, "a.b.c")->items.size() == 2);
  YamlNode empty;
  set_yaml_value(empty, "x", word("1"));
  CHECK(find_yaml_value(empty, "x")->text == "1");
}

TEST_CASE("setting a value below one that is no map is refused") {
  YamlNode root = load("a: {b: 1}\n");
  CHECK(error_of([&] { set_yaml_value(root, "a.b.c", word("1")); }) ==
        "--set:1:7: a.b.c: 'a.b' has no keys below it");
}

TEST_CASE("a key with an empty step is refused when it is set") {
  YamlNode root = load("a: 1\n");
  for (const char* key : {"", ".", "a.", ".a", "x..y"}) {
    CAPTURE(key);
    CHECK(error_of([&] { set_yaml_value(root, key, word("1")); }) != "");
  }
}

}  // namespace simtrain::testing::yaml_tree_test
