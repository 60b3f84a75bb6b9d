#include <doctest/doctest.h>

#include "tests/cli/bad_edit.h"

namespace simtrain::testing::bad_yaml_test {
namespace {

TEST_CASE("What strict YAML has no use for is refused") {
  check_edits({
      {"name: base", "name: &a base",
       "1:7: anchors (&name) are not used here; write the value out"},
      {"name: base", "name: !x base", "1:7: the tag '!x' is not used here; leave it out"},
      {"name: base", "name: !!str base",
       "1:7: the tag 'tag:yaml.org,2002:str' is not used here; leave it out"},
      {"name: base", "<<: {name: base}",
       "1:1: <<: merge keys are not used here; write the keys out"},
      {"name: base", "? [a]\n: b", "1:3: a key must be a plain word"},
      {"name: base", "name: base\n---\nname: second",
       "2:1: a second document starts here; a file holds one"},
  });
}

TEST_CASE("Broken YAML is refused at the line that breaks it") {
  check_edits({
      {"name: base", "\tname: base", "1:6: is not YAML: illegal map value"},
      {"placement: compact}", "placement: compact", "6:9: is not YAML: end of map flow not found"},
      {"name: base", "name: *a", "1:7: is not YAML: the referenced anchor is not defined"},
      {"training:\n", "training: 5\n", "9:12: is not YAML: illegal map value"},
      {"name: base", "name: \"base", "25:2: is not YAML: illegal EOF in scalar"},
      {"notes: [short]", "notes: [short", "4:15: is not YAML: end of sequence flow not found"},
  });
}

TEST_CASE("Bytes that are no text are refused as a whole") {
  const std::string base(kBaseScenario);
  check_text(edited(base, "base", std::string("ba\0se", 5)),
             " holds a NUL byte; a text file was expected");
  check_text(edited(base, "base", "ba\xffse"), " is not UTF-8; a text file was expected");
}

TEST_CASE("A file without keys is refused") {
  check_text("", " must be a map of keys, found nothing");
  check_text("# only a comment\n", " must be a map of keys, found nothing");
  check_text("~\n", "1:1: must be a map of keys, found nothing");
  check_text("word\n", "1:1: must be a map of keys, found 'word'");
  check_text("- item\n", "1:1: must be a map of keys, found a list");
}

TEST_CASE("Nesting without end is refused") {
  check_text(std::string(100000, '['), "1:65: nests deeper than 64 levels");
}

TEST_CASE("A file beyond 16 MiB is refused") {
  check_text(std::string((16U << 20U) + 1, '#'),
             " is larger than 16 MiB; none that simtrain reads is");
}

TEST_CASE("What is no readable file is refused by its name") {
  const TempFolder folder;
  std::filesystem::create_directory(folder.path() / "folder.yaml");
  const CallOptions here{folder.path().string(), {}, ""};
  check_refused(run_simtrain({"missing.yaml"}, here), "missing.yaml: there is no such file");
  check_refused(run_simtrain({"no/such.yaml"}, here), "no/such.yaml: there is no such file");
  check_refused(run_simtrain({"folder.yaml"}, here), "folder.yaml: is a folder; name a YAML file");
  check_refused(run_simtrain({"/dev/null"}, here),
                "/dev/null: must be a map of keys, found nothing");
  check_refused(run_simtrain({"/dev/zero"}, here),
                "/dev/zero: is larger than 16 MiB; none that simtrain reads is");
}

TEST_CASE("A file whose bytes cannot be read is refused by its name") {
  check_refused(run_simtrain({"/proc/self/mem"}), "/proc/self/mem: cannot be read");
}

TEST_CASE("A message stays one line whatever the name of the file holds") {
  check_refused(run_simtrain({"a\n\x1b[31mb.yaml"}), "a??[31mb.yaml: there is no such file");
}

}  // namespace
}  // namespace simtrain::testing::bad_yaml_test
