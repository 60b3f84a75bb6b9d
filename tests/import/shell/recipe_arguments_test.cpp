// Arguments that scripts keep in variables, lists and functions.
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "sim/import/shell/shell_script.h"
#include "tests/import/shell/run_words.h"

namespace simtrain::testing::recipe_arguments_test {
namespace {

TEST_CASE("arguments that variables hold are where a command uses them") {
  CHECK(run_words("A=(--a 1 # one\n  --b)\nrun --c \"${A[@]}\" --d") == "--c --a 1 --b --d ");
  CHECK(run_words("A=\"\n --a 1\n --b\n\"\nrun --c $A ${A[*]}") == "--c --a 1 --b --a 1 --b ");
  CHECK(run_words("A=(--a 1)\nA+=(--b)\nrun ${A[@]}\nA=(--c)\nrun ${A[@]}") == "--a 1 --b --c ");
  CHECK(run_words("A=\"--a 1\"\nA=\"$A --b 2\"\nA+=\" --c 3\"\nrun $A") == "--a 1 --b 2 --c 3 ");
  CHECK(run_words("A=(--a)\nB=(--b \"${A[@]}\")\nrun ${B[@]}") == "--b --a ");
  CHECK(run_words("A=(--a 1)\n[ -n \"$1\" ] && A+=(--b)\nrun ${A[@]}") == "--a 1 ?--b ");
  CHECK(run_words("A=\"\"\nif [ -n \"$1\" ]; then A=\"--a 1\"; fi\nrun $A") == "?--a ?1 ");
  CHECK(run_words("f() {\n run \"${A[@]}\"\n}\nA=(--a)\nA+=(--b)\nf") == "--a --b ");
  CHECK(run_words("A=(--a)\nf1() {\n run ${A[@]}\n}\nA+=(--b)\nf1") == "--a --b ");
  CHECK(run_words("f1() { local A=(--a); run ${A[@]}; }\nf2() { local A=(--b); run ${A[@]}; }\n"
                  "f1\nf2") == "--a --b ");
  CHECK(run_words(
            "A=--a\nf1() { run $A; }\nf2() { local A=\"--b\"; A+=\" --c 1\"; run $A; }\nf1\nf2") ==
        "--a --b --c 1 ");
  CHECK(run_words("C=\"run --a 1 --b\"\neval $C") == "--a 1 --b ");
  CHECK(run_words("A=\"--x 1\" run --b 2\nC=(--c)\nrun ${C[@]}") == "--b 2 --c ");
  CHECK(run_words("A=${A:-\"--a 1 --b\"}\nrun $A") == "--a 1 --b ");
  CHECK(run_words("B=2\nA=${A:-\"--a $B --b\"}\nA=\"$A --c 3\"\nrun $A") == "--a 2 --b --c 3 ");
  CHECK(run_words("A=\"--a 1 --b\"\nB=$A\nrun $B") == "--a 1 --b ");
  CHECK(run_words("A=(--a 1)\nlocal B=\"${A[*]}\"\nB+=\" --b 2\"\nrun $B") == "--a 1 --b 2 ");
  CHECK(run_words("A=--a\nB=$A\nC=${B}\nrun $C $A") == "--a --a ");
  CHECK(run_words("A=(--a ${A[@]} ${A[@]})\nrun ${A[@]}").find("--a") == 0);
}

TEST_CASE("a command that is put together of variables in a variable has their arguments") {
  CHECK(run_words("A=--a\nB=\" --b 1\"\nC=\"--c 2\"\n"
                  "run_cmd=\"torchrun run $B x.py ${A}\"\neval ${run_cmd}") == "--b 1 x.py --a ");
  CHECK(run_words("L=\"run --l 1\"\nA=--a\nB=\"--b 2\"\nC=\"$L $A\"\nbash -c \"$C\"") ==
        "--l 1 --a ");
  CHECK(run_words("A=1\nB=2\nC=\"$A $B\"\nrun --c $A --d $B") == "--c 1 --d 2 ");
}

TEST_CASE("arguments that nothing uses are taken out, if any are used") {
  const auto unused = [](const std::string& text) { return read_script(text, "s.sh").unused; };
  using Names = std::vector<std::string>;
  CHECK(unused("A=(--a)\nB=(--b)\nrun ${A[@]}") == Names{"B"});
  CHECK(unused("A=(--a)\nB=\"--b 1\"\nB=\"$B --c\"\nrun ${A[@]}") == Names{"B"});
  CHECK(unused("A=(--a)\nB=(--b)").empty());  // for another to take in
  CHECK(unused("A=(--a)\nexport B=\"--b 1\"\nrun ${A[@]}").empty());
  CHECK(unused("A=(--a)\nB=(--b)\nrun ${A[@]} ${B[0]} \"${B[@]:1}\"").empty());
  CHECK(unused("A=(--a)\nB=(--b ${A[@]})").empty());
  for (const ShellWord& word : read_script("A=(--a)\nB=(--b)\nrun ${A[@]}", "s.sh").words)
    CHECK(word.text != "--b");
}

TEST_CASE("an option in a variable that only a run sets or not has to be settled") {
  CHECK(run_words("A=\"\"\nif [ $1 = a ]; then A=\"--a\"; fi\nrun $A") == "?--a ");
  CHECK(run_words("if [ $1 = a ]; then A=--a; fi\nrun $A") == "?--a ");
  CHECK(run_words("A=\"--a\"\nif [ $1 = b ]; then A=\"\"; fi\nrun $A") == "?--a ");
  CHECK(run_words("A=\"\"\nif [ 2 -gt 1 ]; then A=\"--a\"; fi\nrun $A") == "--a ");
  CHECK(run_words("[ $1 = a ] && A=\"x.y=1 x.z=2\"\nrun $A") == "?x.y=1 ?x.z=2 ");
  CHECK(run_words("A=\"--a 1\"\nunset A\nrun --b $A") == "--b ");
  CHECK(run_words("A=--a run --b $A").find("--b") == 0);
}

TEST_CASE("items of a list are those of the shell") {
  CHECK(run_words("A=(8 4)\nrun ${A[0]} ${A[1]} $A ${#A[@]} ${A[2]}") == "8 4 8 2 ${A[2]} ");
  CHECK(run_words("I=1\nA=(8 4)\nA+=(2)\nrun ${A[$I]} ${A[I+1]}") == "4 2 ");
  CHECK(run_words("P=\"8 4\"\nA=($P)\nrun ${A[1]}") == "4 ");
  CHECK(run_words("A=(8)\nif [ $1 = a ]; then A=(4); fi\nrun ${A[0]}") == "${A[0]} ");
  CHECK(run_words("A=(8)\nA=7\nrun ${A}") == "7 ");
  CHECK(run_words("X=1\nrun ${X:+--a} ${Y:+--b} ${X:+$X}") == "--a  1 ");
}

TEST_CASE("a loop over plans of options reads the first alone") {
  const std::string plans = "P=(\"--a 1 --b\" \"--c 2\")\n";
  CHECK(run_words(plans + "for X in \"${P[@]}\"; do\nrun $X\ndone") == "--a 1 --b ");
  CHECK(run_words("for X in \"--a 1 --b\" \"--c 2\"; do\nrun $X\ndone") == "--a 1 --b ");
  const ShellScript script = read_script(plans + "for X in \"${P[@]}\"; do\nrun $X\ndone", "s.sh");
  CHECK(script.rounds.at("X") == 2);
  CHECK(script.unused.empty());
  CHECK(run_words("C=(\"run --a 1\" \"run --b 2\")\nfor X in \"${C[@]}\"; do\neval $X\ndone") ==
        "--a 1 ");
}

TEST_CASE("what is printed is no argument, but where a file or a program takes it") {
  CHECK(read_script("echo \"x --a 1\n --b 2\"\nrun --c", "s.sh").words.size() == 2);
  CHECK(read_script("echo --a >&2\nrun --c", "s.sh").words.back().text == "--c");
  CHECK(run_words("echo X=1\nX=${X:-2}\nrun $X") == "2 ");
  const auto words = [](const std::string& text) { return read_script(text, "s.sh").words.size(); };
  CHECK(words("echo --a 1 > args") == 5);
  CHECK(words(": <<'END'\nrun --a ${X[@]}\nEND\nrun") == 1);
  CHECK(words(": 'run --a 1\nrun'\nrun") == 1);
  CHECK(run_words(": ${X:=1}\nrun $X") == "1 ");
  CHECK(words("cat <<END\nrun --a\nEND\nrun") == 1);
  CHECK(words("cat <<END > job\nrun --a\nEND\nrun") == 10);
  CHECK(words("echo --a 1 | bash") == 5);
  CHECK(words("echo --a 1 || run") == 3);
}

}  // namespace
}  // namespace simtrain::testing::recipe_arguments_test
