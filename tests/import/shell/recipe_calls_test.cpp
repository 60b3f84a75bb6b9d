// Functions of scripts, read where they are called.
#include <string>

#include <doctest/doctest.h>

#include "sim/import/shell/shell_script.h"
#include "tests/import/shell/run_words.h"

namespace simtrain::testing::recipe_calls_test {
namespace {

TEST_CASE("functions that a script does not call are passed over") {
  const std::string two = "f1() {\n run --a\n}\nfunction f2 {\n run --b\n}\n";
  CHECK(run_words(two + "f1") == "--a ");
  CHECK(run_words(two + "trap f2 EXIT\n") == "--b ");
  CHECK(run_words(two + "bash -c \"setup; f2\"\n") == "--b ");
  CHECK(run_words(two + "run f2.py\nf1") == "f2.py --a ");
  CHECK(run_words(two) == "--a --b ");  // for another to call
  CHECK(run_words(two + "\"$@\"") == "--a --b ");
  CHECK(run_words("f1() { run --a; }\nf2() { f1; run --b; }\nf3() { run --c; }\nf2\n") ==
        "--a --b ");
  CHECK(run_words("f2() { run --b; }\nf1() { f2; run --a; }\n") == "--b --a ");  // f2 but once
  CHECK(run_words("f1() {\n run --a\n").find("--a") == 0);
}

TEST_CASE("a function is read where it is called, as often as it is") {
  CHECK(run_words("f() { run $X; }\nX=1\nf\nX=2\nf") == "1 2 ");
  CHECK(run_words("f() { X=2; }\nX=1\nf\nrun $X") == "2 ");
  CHECK(run_words("main() { set_up; run $X; }\nset_up() { X=3; }\nmain \"$@\"") == "3 ");
  CHECK(run_words("f() { run --a; }\nf() { run --b; }\nf") == "--b ");
  CHECK(run_words("if [ 1 = 2 ]; then f() { run --a; }; else f() { run --b; }; fi\nf") == "--b ");
  CHECK(run_words("f() { run --a; }\n[ -n \"$X\" ] && f") == "");
  CHECK(run_words("f() { run --a; }\n[ \"$1\" = a ] && f") == "?--a ");
  CHECK(run_words("f() { A=(--a); }\nf\nrun \"${A[@]}\"") == "--a ");
  CHECK(run_words("f() { run --a; return; run --b; }\nf\nrun --c") == "--a --c ");
  CHECK(run_words("f() { if [ $1 = a ]; then return; fi; run --a; }\nf b\nrun --c") == "--a --c ");
  CHECK(run_words("f() { run --a; f; }\nf").find("--a ") == 0);
}

TEST_CASE("parameters of a call are put in") {
  CHECK(run_words("f() { run --tp $1 --pp ${2} --cp ${3:-1} $#; }\nf 8 4") ==
        "--tp 8 --pp 4 --cp 1 2 ");
  CHECK(run_words("f() { local tp=$1; run --tp $tp; }\nf 8\nf 4") == "--tp 8 --tp 4 ");
  CHECK(run_words("r() { echo \"$@\"; \"$@\"; }\nr run --a 1") == "--a 1 ");
  CHECK(run_words("r() { $*; }\nr run --a 1 2>&1 | tee log") == "--a 1 2 ");
  CHECK(run_words("f() { shift; run \"$@\"; }\nf x --a 1") == "--a 1 ");
  CHECK(run_words("f() { local n=$1; shift 2; run $n $1; }\nf 8 x 4") == "8 4 ");
  CHECK(run_words("f() { run \"${@:2}\"; }\nf x --a 1") == "--a 1 ");
  CHECK(run_words("f() { run $1 $2; }\nf \"--a 1 --b\" 2") == "--a 1 --b 2 ");
  CHECK(run_words("A=(--a 1)\nf() { run \"$@\"; }\nf \"${A[@]}\"") == "--a 1 ");
  CHECK(run_words("A=\"--a 1 --b\"\nf() { local args=\"$1\"; run $args; }\nf \"$A\"") ==
        "--a 1 --b ");
  CHECK(run_words("f() { g $2 $1; }\ng() { run $1 $2; }\nf 8 4") == "4 8 ");
  CHECK(run_words("T=8\nP=4\nf() { local T=$1 P=$2; run $T $P; }\nf $P $T\nrun $T") == "4 8 8 ");
  CHECK(run_words("f() { case $1 in a) run --a;; b) run --b;; esac; }\nf b") == "--b ");
  CHECK(run_words("f() { if [ -n \"$2\" ]; then run --a; else run --b; fi; }\nf x") == "--b ");
  CHECK(run_words("f() { for x in \"$@\"; do run $x; done; }\nf 8 4") == "8 ");
  CHECK(run_words("f() { run $1; }\nmain() { f \"$@\"; }\nmain \"$@\"") == "$1 ");
  CHECK(run_words("f() { run ${1%/*} ${x1}; }\nf a/b") == "${1%/*} ${x1} ");
}

TEST_CASE("what a call has of its own ends with it") {
  CHECK(run_words("X=1\nf() { local X=2; run $X; }\nf\nrun $X") == "2 1 ");
  CHECK(run_words("f() { local X=2; g; }\ng() { run $X; }\nX=1\nf\ng") == "2 1 ");
  CHECK(run_words("A=(--a)\nf() { local A=(--b); g; }\ng() { run \"${A[@]}\"; }\nf\ng") ==
        "--b --a ");
  CHECK(run_words("f() { local A=(--a); run ${A[@]}; }\nf\nrun ${A[@]}") == "--a ");
  CHECK(run_words("f() { local A=(); g; run \"${A[@]}\"; }\ng() { A+=(--a 1); }\nf") == "--a 1 ");
}

TEST_CASE("calls in calls end somewhere") {
  std::string doubling;
  for (int i = 0; i < 40; ++i)
    doubling += "f" + std::to_string(i) + "() { f" + std::to_string(i + 1) + " \"$@\" \"$@\"; f" +
                std::to_string(i + 1) + " $*; }\n";
  CHECK(read_script(doubling + "f40() { run $#; }\nf0 a b", "s.sh").words.size() < 1'000'000);
  std::string lists = "A=(1 2)\nf() {\n";
  for (int i = 0; i < 100; ++i) lists += "A+=(\"${A[@]}\")\n";
  CHECK(read_script(lists + "f\n}\nf\nrun ${A[0]}", "s.sh").words.size() < 100'000);
  std::string many = "f() { run \"$@\" \"$@\" \"$@\"; }\nf";
  for (int i = 0; i < 30'000; ++i) many += " x";
  CHECK(read_script(many, "s.sh").words.size() < 100'000);
}

}  // namespace
}  // namespace simtrain::testing::recipe_calls_test
