#include <doctest/doctest.h>

#include "tests/import/shell/run_words.h"

namespace simtrain::testing::recipe_expansion_test {
namespace {

TEST_CASE("parts of a variable's value are those of the shell") {
  CHECK(run_words("M=a_b_32\nrun ${M##*_} ${M#*_} ${M%_*} ${M%%_*}") == "32 b_32 a_b a ");
  CHECK(run_words("M=x.yaml\nE=.yaml\nrun ${M%\"$E\"} ${M%$E}") == "x x ");
  CHECK(run_words("M=a-b-c\nrun ${M/-/+} ${M//-/+} ${M//-} ${M/b*/d}") == "a+b-c a+b+c abc a-d ");
  CHECK(run_words("M=Llama\nrun ${M^^} ${M,,} ${M:1} ${M:1:3} ${M:9}") == "LLAMA llama lama lam  ");
  CHECK(run_words("run ${M##*_}") == "${M##*_} ");
  CHECK(run_words("M=a\nrun ${M#$1} ${M:$1}") == "${M#$1} ${M:$1} ");
  CHECK(run_words("M=a\nrun ${M:-b} ${M:+c}") == "a c ");
}

TEST_CASE("items of a map have its keys, those of a list count from its end too") {
  CHECK(run_words("declare -A L=([7B]=32 [13B]=40)\nS=13B\nrun ${L[$S]} ${L[\"7B\"]}") == "40 32 ");
  CHECK(run_words("L[7B]=32\nL['13B']=40\nrun ${L[13B]}") == "40 ");
  CHECK(run_words("L=(1 2 3)\nrun ${L[-1]} ${L[-4]}") == "3 ${L[-4]} ");
  CHECK(run_words("L=(1 2 3)\nL[1]=5\nrun ${L[1]}") == "5 ");
  CHECK(run_words("L[a]=1\nif [ $1 = 2 ]; then L[a]=2; fi\nrun ${L[a]}") == "${L[a]} ");
}

TEST_CASE("echo hands on words, and bc computes") {
  CHECK(run_words("N=4\nrun $(echo $N) \"$(echo \"a  $N\")\" `echo b`") == "4 a 4 b ");
  CHECK(run_words("N=4\nrun $(echo \"($N + 1) * 2\" | bc) $(echo $N*8|bc)") == "10 32 ");
  CHECK(run_words("O=\"a=1\n b=2\"\nC=x\nC=\"$C $(echo \"$O\" | tr '\\n' ' ')\"\nrun $C") ==
        "x a=1 b=2 ");
  CHECK(run_words("run $(echo $1 | cut -d, -f1) $(echo -n a)") ==
        "$(echo $1 | cut -d, -f1) $(echo -n a) ");
}

TEST_CASE("expr computes") {
  CHECK(run_words("N=4\nrun $(expr $N \\* 8) `expr $N + 1` $(expr 3 '*' 2)") == "32 5 6 ");
  CHECK(run_words("run $(expr length abc) $(expr $1 + 1)") == "$(expr length abc) $(expr $1 + 1) ");
}

TEST_CASE("a script is read as one without arguments: loops over them have no rounds") {
  const std::string shifts = " case $1 in --tp) T=$2; shift 2;; *) shift;; esac\ndone\nrun $T";
  CHECK(run_words("T=4\nwhile [[ $# -gt 0 ]]; do" + shifts) == "4 ");
  CHECK(run_words("T=4\nwhile [ \"$1\" != \"\" ]; do" + shifts) == "4 ");
  CHECK(run_words("T=4\nfor i in \"$@\"; do T=$i; done\nrun $T") == "4 ");
  CHECK(run_words("T=4\nwhile getopts t: o; do T=$OPTARG; done\nrun $T") == "4 ");
  CHECK(run_words("T=4\nwhile true; do T=$1; done\nrun $T") == "$T ");
}

std::string run_words_with(const std::string& arguments, const std::string& text) {
  std::string out;
  for (const ShellWord& word : read_script(text, "s.sh", {.arguments = arguments}).words)
    out += word.text + (word.ends || word.undecided ? "? " : " ");
  return out;
}

TEST_CASE("a script has the arguments that it is given, and its functions have theirs") {
  CHECK(run_words_with("8B 'a b'", "run $1 ${2} ${3:-4} $# \"$@\"") == "run 8B a b 4 2 8B a b ");
  CHECK(run_words_with("S=8B 4", "T=$1\nrun $S $T") == "T=4 run 8B 4 ");
  CHECK(run_words_with("", "run ${1:-8} x$1") == "run 8 x ");
  CHECK(run_words_with("1 2", "shift\nrun $1") == "shift run 2 ");
  CHECK(run_words_with("1", "f() { run $1; }\ng() { run $1; }\nf 5\nrun $1") == "run 5 ;? run 1 ");
  CHECK(run_words_with("7B", "if [ $1 = 7B ]; then run 32; else run 40; fi") == "run 32 ;? ");
  const auto refused = [](const std::string& arguments, const std::string& text) {
    try {
      run_words_with(arguments, text);
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  CHECK(refused("--tp 8", "while [[ $# -gt 0 ]]; do shift; done") ==
        "s.sh: arguments: are shifted in a branch or loop; --override KEY=VALUE gives each key");
  CHECK(refused("8 | tee", "run $1") ==
        "--arguments:1:3: '|' is for a shell; values alone would do");
  CHECK(refused("$TP", "run $1") == "--arguments:1:1: '$TP' is for a shell; values alone would do");
}

}  // namespace
}  // namespace simtrain::testing::recipe_expansion_test
