#include "sim/core/input/yaml_text.h"

#include <doctest/doctest.h>

namespace simtrain::testing::yaml_text_test {

namespace {

std::string again(const std::string& text) { return flow_text(load_yaml_text(text, "a.yaml")); }

void check_equal(const YamlNode& a, const YamlNode& b) {
  REQUIRE(a.kind == b.kind);
  CHECK(a.text == b.text);
  REQUIRE(a.items.size() == b.items.size());
  for (std::size_t i = 0; i < a.items.size(); ++i) check_equal(a.items[i], b.items[i]);
  REQUIRE(a.entries.size() == b.entries.size());
  for (std::size_t i = 0; i < a.entries.size(); ++i) {
    CHECK(a.entries[i].key == b.entries[i].key);
    check_equal(a.entries[i].value, b.entries[i].value);
  }
}

}  // namespace

TEST_CASE("a value has one line of text, whatever its layout was") {
  CHECK(again("a: 1\nb:\n  - x\n  - {c: 2.5e3}  # note\n") == "{a: 1, b: [x, {c: 2.5e3}]}");
  CHECK(again("{a: 1, b: [x, {c: 2.5e3}]}") == "{a: 1, b: [x, {c: 2.5e3}]}");
  CHECK(again("'bf16'") == "bf16");
  CHECK(again("[]") == "[]");
  CHECK(again("a:\n") == "{a: null}");
}

TEST_CASE("the line reads as the value") {
  for (const char* text :
       {"a: 'x: y'", "a: \"q\\\"\\\\ \\x01 é\"", "a: 'null'", "a: '~'", "a: ''",
        "'a b': [1, -2, 'true, false', '# no comment', '[x']", "a: '-'", "a: 'line\n\n  break'"}) {
    CAPTURE(text);
    const std::string once = again(text);
    CHECK(again(once) == once);
    CHECK(once.find('\n') == std::string::npos);
  }
  CHECK(again("a: 'null'") != again("a: null"));
}

TEST_CASE("what is written reads as the same tree") {
  for (const char* text :
       {"a: 1", "a: true\nb: 'true'\nc: 'null'\nd: ~\ne: ''", "list: [1, two, 'th ree', [4, 5]]",
        "map: {x: {y: [a, b]}, z: []}", "empty: {}\nnone: []",
        "text: \"colon: here, # no comment, 'quotes', \\\"more\\\", {braces}, - dash\"",
        "text: \"line\\nbreak\\ttab \\u00e9 \\u4e16\"", "notes:\n  - a long sentence, two\n  - x",
        "'a key: with colon': 1\n'? x': 2", "table:\n  rows:\n    - [a, 1]\n    - [b c, 2]",
        "spaces: ' before and after '\nnumber: 010\nquantity: 80 GB"}) {
    CAPTURE(text);
    const YamlNode tree = load_yaml_text(text, "a.yaml");
    const std::string written = block_text(tree);
    CAPTURE(written);
    check_equal(load_yaml_text(written, "b.yaml"), tree);
    CHECK(written.back() == '\n');
  }
}

}  // namespace simtrain::testing::yaml_text_test
