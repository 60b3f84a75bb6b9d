#include <cstdlib>
#include <filesystem>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "sim/core/files/yaml_file.h"
#include "sim/import/shell/shell_script.h"
#include "sim/import/yaml/hydra.h"
#include "sim/import/yaml/interpolation.h"
#include "tests/core/error_of.h"
#include "tests/import/recipes.h"

namespace simtrain::testing::recipe_reading_test {
namespace {

/// The value at a key of a YAML text, its interpolations resolved.
std::string value_at(const std::string& text, const std::string& key) {
  const YamlNode tree = load_yaml_text(text, "t.yaml");
  return resolved(tree, key, *find_yaml_value(tree, key)).text;
}

std::string words_of(const std::string& text) {
  std::string out;
  for (const ShellWord& word : read_script(text, "s.sh").words)
    out += (word.ends ? "/" : word.text) + " ";
  return out;
}

/// Recipes that take each other in, gone with their owner.
class RecipeFolder {
 public:
  RecipeFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "simtrain-XXXXXX").string();
    REQUIRE(mkdtemp(name.data()) != nullptr);
    path_ = name;
  }
  ~RecipeFolder() { std::filesystem::remove_all(path_); }
  RecipeFolder(const RecipeFolder&) = delete;
  RecipeFolder& operator=(const RecipeFolder&) = delete;

  void write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories((path_ / name).parent_path());
    std::ofstream(path_ / name) << text;
  }
  YamlNode load(const std::string& name) const {
    const std::string file = (path_ / name).string();
    return composed(load_yaml_file(file), file);
  }

 private:
  std::filesystem::path path_;
};

}  // namespace

TEST_CASE("interpolations name keys from the root, beside the value and further out") {
  const std::string text =
      "a: 1\nb: {c: '${a}', d: '${.c}', e: {f: '${..d}', g: 'x${a}y${b.c}'}}\nh: ${b}\n";
  CHECK(value_at(text, "b.c") == "1");
  CHECK(value_at(text, "b.d") == "1");
  CHECK(value_at(text, "b.e.f") == "1");
  CHECK(value_at(text, "b.e.g") == "x1y1");
  CHECK(value_at("m: {size: 8}\nn: ${m}\no: ${n.size}\n", "o") == "8");
  CHECK(value_at("m: {h: 8, f: '${multiply:4, ${.h}}'}\n", "m.f") == "32");
  CHECK(value_at("m: {h: 8, f: '${sum:${.h},-1}'}\n", "m.f") == "7");
  CHECK(value_at("n: ${oc.decode:${oc.env:DGXNNODES,16}}\n", "n") == "16");
  CHECK(error_of([] { value_at("n: ${oc.env:DGXNNODES}\n", "n"); }).find("is not known outside") !=
        std::string::npos);
  CHECK(value_at("m: $5 {a}\n", "m") == "$5 {a}");
}

TEST_CASE("interpolations that cannot be resolved are refused, cycles named") {
  CHECK(error_of([] { value_at("a: ${b}\nb: ${c}\nc: ${a}\n", "a"); }) ==
        "t.yaml:1:4: a: is made of itself: a -> b -> c -> a");
  CHECK(error_of([] { value_at("a: ${a}\n", "a"); }).find("is made of itself") !=
        std::string::npos);
  CHECK(error_of([] {
          value_at("a: ${b.c}\n", "a");
        }).ends_with("a: '${b.c}' names 'b.c', which the file does not have"));
  CHECK(error_of([] { value_at("a: ${oc.env:HOME}\n", "a"); })
            .ends_with("a: '${oc.env:HOME}' is not known outside of the run; --override a=VALUE "
                       "sets it"));
  CHECK(error_of([] { value_at("a: x${b\nb: 1\n", "a"); }).find("lacks a closing brace") !=
        std::string::npos);
  CHECK(error_of([] { value_at("a: ${multiply:2,x}\n", "a"); }).find("must be a whole number") !=
        std::string::npos);
  const std::string deep = [] {
    std::string text = "k: x\na: '";
    for (int i = 0; i < 9000; ++i) text += "${";
    return text + "k" + std::string(9000, '}') + "'\n";
  }();
  CHECK(error_of([&] { value_at(deep, "a"); }).find("nests interpolations deeper than 64") !=
        std::string::npos);
  CHECK(error_of([] {
          value_at("a: '${b}" + std::string(70000, 'x') + "'\nb: 1\n", "a");
        }).find("interpolates too much") != std::string::npos);
  std::string bomb = "k0: x\n";
  for (int i = 1; i < 60; ++i) bomb += fmt::format("k{}: '${{k{}}}${{k{}}}'\n", i, i - 1, i - 1);
  CHECK(error_of([&] { value_at(bomb, "k59"); }).find("interpolates too much") !=
        std::string::npos);
}

TEST_CASE("defaults are taken in as Hydra composes them") {
  const RecipeFolder folder;
  folder.write("base.yaml", "model: {tp: 1, pp: 2}\nkept: 1\n");
  folder.write("data/mock.yaml", "seq_length: 4096\n");
  folder.write(
      "first.yaml",
      "defaults: [base, data: mock, _self_, override hydra/launcher: x, optional no: such]\n"
      "model: {tp: 8}\n");
  const YamlNode tree = folder.load("first.yaml");
  CHECK(find_yaml_value(tree, "model.tp")->text == "8");
  CHECK(find_yaml_value(tree, "model.pp")->text == "2");
  CHECK(find_yaml_value(tree, "kept")->text == "1");
  CHECK(find_yaml_value(tree, "data.seq_length")->text == "4096");
  CHECK(tree.find("defaults") == nullptr);
  folder.write(
      "packed.yaml",
      "defaults: [data@model.data: mock, optional tp_overlap@model.ub_tp_comm_overlap_cfg: "
      "ub_cfg_h100_h8192_tp4_mbs1_seqlen4096]\nmodel: {tp: 8}\n");
  CHECK(find_yaml_value(folder.load("packed.yaml"), "model.data.seq_length")->text == "4096");
  CHECK(find_yaml_value(folder.load("packed.yaml"), "model.ub_tp_comm_overlap_cfg")->text ==
        "ub_cfg_h100_h8192_tp4_mbs1_seqlen4096");
  folder.write("under.yaml", "defaults: [_self_, base]\nmodel: {tp: 8}\n");
  CHECK(find_yaml_value(folder.load("under.yaml"), "model.tp")->text == "1");
  folder.write("circle.yaml", "defaults: [round]\n");
  folder.write("round.yaml", "defaults: [circle]\n");
  CHECK(error_of([&] { folder.load("circle.yaml"); }).find("goes in a circle") !=
        std::string::npos);
  folder.write("lost.yaml", "defaults: [nowhere]\n");
  CHECK(error_of([&] {
          folder.load("lost.yaml");
        }).find("nowhere.yaml, which is not there; put it beside the recipe") != std::string::npos);
}

TEST_CASE("the words of a script are those that a shell would see") {
  CHECK(words_of("a 'b c' \"d e\" f\\ g # no\nh") == "a b c d e f g h ");
  CHECK(words_of("a \\\n  b") == "a b ");
  CHECK(words_of("a && (b | c); d") == "a / / / b / c / / d ");
  CHECK(words_of("X=3\nY=\"${X}4\"\n$X ${Y} ${Z:-5} ${Z} $1 'a'b") ==
        "X=3 Y=34 3 34 5 ${Z} $1 ab ");
  CHECK(words_of("X=1\n$X\nX=2\n$X") == "X=1 1 X=2 2 ");
  CHECK(words_of("O=\"--a 1 \\\n --b\"\nrun $O") == "O= run --a 1 --b ");
  CHECK(words_of("$((A * 2)) \"unclosed") == "$((A * 2)) \"unclosed ");
}

TEST_CASE("places of words are lines and columns of the script") {
  const std::vector<ShellWord> words = read_script("a\n  --b \"c d\"\n", "s.sh").words;
  REQUIRE(words.size() == 3);
  CHECK(words[1].place.line == 2);
  CHECK(words[1].place.column == 3);
  CHECK(words[2].place.column == 7);
}

}  // namespace simtrain::testing::recipe_reading_test
