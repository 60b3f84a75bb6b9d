#include <filesystem>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "sim/collectives/libraries/nccl/nccl_library.h"
#include "sim/import/shell/shell_script.h"
#include "tests/core/error_of.h"
#include "tests/import/recipes.h"
#include "tests/import/shell/run_words.h"
#include "tests/import/shell/script_folder.h"

namespace simtrain::testing::recipe_shell_test {

TEST_CASE("arithmetic commands set variables and decide branches") {
  CHECK(run_words("G=64\n((G+=16))\nrun $G") == "80 ");
  CHECK(run_words("G=64\n(( G *= 2, H = 1 ))\nrun $G $H") == "128 1 ");
  CHECK(run_words("G=64\n(( G *= 2, H = G ))\nrun $G $H") == "$G $H ");
  CHECK(run_words("G=3\n((++G))\nlet \"H = G * 2\" G=1\nrun $G $H") == "1 8 ");
  CHECK(run_words("G=64\n((G=X*2))\nrun $G") == "$G ");
  CHECK(run_words("T=4\nif (( T > 2 )); then run --a; else run --b; fi") == "--a ");
  CHECK(run_words("T=4\nif ((T>2)) && [ $T -lt 4 ]; then run --a; else run --b; fi") == "--b ");
  CHECK(run_words("( (cd x; run --a) )\n") == "--a ");  // subshells
  CHECK(run_words("if (( X > 2 )); then run --a; fi") == "?--a ");
  CHECK(run_words("run $((3 > 2)) $(((2 == 3) + 5))") == "1 5 ");
  CHECK(run_words("for ((i=0;i<8;i++)); do run $i; done").find("$i") == 0);
}

TEST_CASE("variables have the value that they have where they are used") {
  CHECK(run_words("X=1\nrun $X\nX=2\nrun $X\n") == "1 2 ");
  CHECK(run_words("run $X\nX=2\n") == "2 ");  // in a function that is called later, say
  CHECK(run_words("A=1\nA+=2\nrun $A") == "12 ");
  CHECK(run_words("run ${N:-\"4\"} \"${N:-\"5\"}\" ${N:-'6'} ${N:-${M:-7}} ${N-8}") ==
        "4 5 6 7 8 ");
  CHECK(run_words("N=\"\"\nrun ${N:-4} x${N-8}") == "4 x ");
  CHECK(run_words("N=a/b.sh\nrun ${N%/*} ${N%.*} ${N:0:1}") == "a a/b a ");
  CHECK(run_words("TP=${TP:-8}\nrun $TP") == "8 ");
  std::string deep = "run ";
  for (int i = 0; i < 100; ++i) deep += "${A:-";
  CHECK(run_words(deep + std::string(100, '}')).find("${A") != std::string::npos);
}

TEST_CASE("branches that the script decides are read or passed over") {
  const std::string rest = "; then X=8; run --a; else X=9; run --b; fi\nrun $X";
  CHECK(run_words("T=fp8\nif [[ \"$T\" == \"fp8\" ]]" + rest) == "--a 8 ");
  CHECK(run_words("T=bf16\nif [ $T = fp8 ]" + rest) == "--b 9 ");
  CHECK(run_words("if [ -z $UNSET ]" + rest) == "--a 8 ");
  CHECK(run_words("T=3\nif ! [ $T -gt 2 ]" + rest) == "--b 9 ");
  CHECK(run_words("T=a\nif [[ $T == b ]] || [[ $1 ]] || [[ \"$T\" == a ]]" + rest) == "--a 8 ");
  CHECK(run_words("T=a\nif [[ $T == b ]] && [[ $1 ]]" + rest) == "--b 9 ");
  CHECK(run_words("T=a\nif [[ $T == a ]] && [ -n $1 ]" + rest) == "?--a ?--b $X ");
  CHECK(
      run_words("T=1\nif [ $T = 2 ]; then X=1; elif [ $T = 1 ]; then X=2; else X=3; fi\nrun $X") ==
      "2 ");
  CHECK(run_words("case 7B in 1B|3B) X=1;; 7B) X=2;; *) X=3;; esac\nrun $X") == "2 ");
  CHECK(run_words("case 9B in\n 7B)\n X=2\n ;;\n *)\n X=3\n ;;\nesac\nrun $X") == "3 ");
}

TEST_CASE("branches that only a run decides leave what they agree in") {
  const auto both = [](const std::string& a, const std::string& b) {
    return run_words("X=1\nif [ $1 = a ]; then " + a + "; else " + b + "; fi\nrun $X");
  };
  CHECK(both("X=8", "X=8") == "8 ");
  CHECK(both("X=8", "X=9") == "$X ");
  CHECK(both("X=8", "Y=1") == "$X ");
  CHECK(both("run --a", "run --b") == "?--a ?--b 1 ");
  CHECK(both("exit 1", "X=2") == "2 ");
  CHECK(run_words("if [ $1 = a ]; then X=8; fi\nrun $X") == "8 ");  // else the environment's
  CHECK(run_words("case $1 in a) X=8;; *) X=8;; esac\nrun $X") == "8 ");
  CHECK(run_words("X=1\ncase $1 in a) X=8;; b) X=8;; esac\nrun $X") == "$X ");
  CHECK(run_words("X=1\nfor X in $1 2; do\nrun $X\ndone") == "$X ");
  CHECK(run_words("X=1\n[ $1 = a ] && X=2\nrun $X") == "$X ");
  CHECK(run_words("if this is prose\nrun --a\n") == "--a ");
}

TEST_CASE("of a loop over a list the first round is read, and behind it nothing that it sets") {
  CHECK(run_words("for X in 4 8; do\nrun $X\ndone\nrun $X") == "4 $X ");
  CHECK(run_words("for X in 4; do\nrun $X\ndone\nrun $X") == "4 4 ");
  CHECK(run_words("L=\"4 8\"\nfor X in $L; do\nrun $X\ndone") == "4 ");
  CHECK(run_words("L=(\"4,1\" \"8,2\")\nfor X in \"${L[@]}\"; do\nrun $X\ndone") == "4,1 ");
  CHECK(run_words("for X in a b; do\nY=$X$X\nrun $Y\ndone\nrun $Y") == "aa $Y ");
  CHECK(run_words("Z=1\nfor X in a b; do\nZ=2\ndone\nrun $Z") == "$Z ");
  CHECK(run_words("for X in $(seq 4); do\nrun $X\ndone") == "$X ");
  CHECK(run_words("for X in {1..4}; do\nrun $X\ndone") == "$X ");
  CHECK(run_words("for X in *.sh; do\nrun $X\ndone") == "$X ");
  CHECK(run_words("for X in 1 2; do\nfor Y in 3 4; do\nrun $X$Y\ndone\ndone") == "13 ");
  const ShellScript script = read_script("for X in 4 8 9; do\nrun $X\ndone", "s.sh");
  REQUIRE(script.rounds.size() == 1);
  CHECK(script.rounds.at("X") == 3);
}

TEST_CASE("read takes a text of the script apart") {
  CHECK(run_words("C=4,1,True\nIFS=',' read -r T P S <<< \"$C\"\nrun $T/$P/$S") == "4/1/True ");
  CHECK(run_words("read A B <<< \"4 8 9\"\nrun $A $B") == "4 8 9 ");
  CHECK(run_words("IFS=: read A B <<< 4\nrun $A x$B") == "4 x ");
  CHECK(run_words("IFS=, read -r A B <<< \"$1\"\nrun $A") == "$A ");
  CHECK(run_words("A=1\nread A\nrun $A") == "$A ");
  CHECK(run_words("IFS=, read -ra A <<< 4,8\nrun $A") == "$A ");
}

TEST_CASE("patterns of case and of [[ are those of files") {
  CHECK(run_words("case qwen3_8b in llama*) X=1;; qwen3_?b) X=2;; *) X=3;; esac\nrun $X") == "2 ");
  CHECK(run_words("case $1 in a*) X=1;; esac\nrun $X") == "1 ");
  CHECK(run_words("M=HybridModel\nif [[ $M == *Hybrid* ]]; then X=1; else X=2; fi\nrun $X") ==
        "1 ");
  CHECK(run_words("M=Hybrid\nif [ $M = Hy* ]; then X=1; else X=2; fi\nrun $X") == "2 ");
}

TEST_CASE("an option that only a run gives has to be settled") {
  const ImportFile script = with(
      recipe_file("gpt15b_megatron.sh"), "torchrun",
      "if [ \"$1\" = fp8 ]; then\n  EXTRA=\"--fp8-format hybrid --lr 3\"\nfi\ntorchrun $EXTRA");
  RecipeRequest request = job("dgx-superpod-h100", "megatron-core-2025");
  CHECK(error_of([&] { import_recipe(script, request); })
            .find("fp8: 'hybrid' is in a branch that is decided at run time; --override "
                  "fp8=VALUE settles it, --override \"~fp8\" leaves it out") != std::string::npos);
  request.overrides = {"~fp8"};
  CHECK(!scenario_in(import_recipe(script, request).yaml).recipe.precision().quantized());
  request.overrides = {"fp8=hybrid"};
  CHECK(scenario_in(import_recipe(script, request).yaml).recipe.precision().quantized());
}

TEST_CASE("--nodes stands in for a number of servers that only a run knows") {
  const ImportFile script = with(with(recipe_file("gpt15b_megatron.sh"), "GPUS_PER_NODE=8\n", ""),
                                 "NUM_NODES=${SLURM_NNODES:-32}\n", "");
  RecipeRequest request = job("dgx-superpod-h100", "megatron-core-2025");
  CHECK(error_of([&] { import_recipe(script, request); }).find("has no value in the file") !=
        std::string::npos);
  request.nodes = 16;
  CHECK(scenario_in(import_recipe(script, request).yaml).gpus() == 128);
}

TEST_CASE("a layout of the stages is taken as it is, with as many virtual stages as it has") {
  const RecipeRequest request = job("dgx-superpod-h100", "megatron-core-2025");
  const auto imported = [&](const std::string& layout) {
    const ImportFile staged =
        with(recipe_file("gpt15b_megatron.sh"), "--pipeline-model-parallel-size=1",
             "--pipeline-model-parallel-size=4");
    return import_recipe(with(staged, "--num-layers 32",
                              "--num-layers 32 --pipeline-model-parallel-layout " + layout),
                         request);
  };
  const Recipe recipe = scenario_in(imported("'Et*3|(t*4|)*6t*5L'").yaml).recipe;
  CHECK(recipe.parallelism.pipeline_model_parallel_layout == "Et*3|(t*4|)*6t*5L");
  CHECK(recipe.pp() * recipe.vp() == 8);
  CHECK(error_of([&] { imported("'Et*3|x'"); }).find("character 6: E, t, m, L") !=
        std::string::npos);
}

TEST_CASE("arithmetic of a script is done where its names are known") {
  CHECK(run_words("A=6\nB=4\nrun $((A*B)) $(($A * ${B} / 8)) $((-A+B)) $((A%4*(B+1)))") ==
        "24 3 -2 10 ");
  CHECK(run_words("G=$((2*3))\nrun $((G*G)) x$((1+1))y") == "36 x2y ");
  CHECK(run_words("A=6\nrun $((A*NONE)) $((A/0)) $((A&7)) $((9223372036854775807+1))") ==
        "$((A*NONE)) $((A/0)) $((A&7)) $((9223372036854775807+1)) ");
  CHECK(run_words("A=6\nfor A in 1 2; do\nrun $((A*2))\ndone\nA=7") == "2 ");
  CHECK(run_words("A=6\nfor A in $1; do\nrun $((A*2))\ndone\nA=7") == "$((A*2)) ");
  CHECK(run_words(": ${A:=8} ${B=9}\nB=7\nrun $A $B $((A+B))") == "8 7 15 ");
  CHECK(run_words("B=3\nrun $((${A:-2} * ${B:-8})) $((${A:-${B}} + 1)) $((2**3*2)) $((1<<4))") ==
        "6 4 16 16 ");
  CHECK(run_words("N=$((${G:-8} * ${M:-2}))\nrun $(($N * 4)) $((N > 8 ? N / 8 : 1))") == "64 2 ");
  CHECK(run_words("run $((${A} * 2)) $((2**99)) $((1<<63)) $((1 ? 2))") ==
        "$((${A} * 2)) $((2**99)) $((1<<63)) $((1 ? 2)) ");
  const std::string deep = "$((" + std::string(100, '(') + "1" + std::string(100, ')') + "))";
  CHECK(run_words("run " + deep) == deep + " ");
}

TEST_CASE("files that a script takes in are read from its folder") {
  const ScriptFolder folder;
  folder.write("common.sh", "TP=8\n");
  folder.write("conf/more.sh",
               "PP=$((2))\nPP=2\nsource \"$(dirname \"${BASH_SOURCE[0]}\")/deep.sh\"\n");
  folder.write("conf/deep.sh", "CP=4\n");
  for (const std::string path :
       {"common.sh", "./common.sh", "\"common.sh\"", "${SCRIPT_DIR}/common.sh",
        "$(dirname \"$0\")/common.sh", "\"$(dirname \"$0\")/common.sh\"", "`pwd`/common.sh",
        "$(cd \"$(dirname \"${BASH_SOURCE[0]}\")\" && pwd)/common.sh",
        "$(dirname $SCRIPT_PATH)/common.sh", "${0%/*}/common.sh", "$PWD/common.sh",
        "${BASH_SOURCE%/*}/common.sh", "$(readlink -f $(dirname $0))/common.sh"}) {
    CAPTURE(path);
    CHECK(folder.run("SCRIPT_PATH=\"${BASH_SOURCE[0]}\"\n"
                     "SCRIPT_DIR=\"$( cd -- \"$( dirname -- \"$0\" )\" &> /dev/null && pwd )\"\n"
                     "source " +
                     path + "\nrun $TP\n") == "8 ");
  }
  CHECK(folder.run("if true; then\n. conf/more.sh\nfi\nrun $PP $CP\n") == "2 4 ");
  CHECK(folder.run("A=b\nif [ $A = c ]; then source nowhere.sh; fi\nrun 1\n") == "1 ");
  CHECK(folder.run("source = 3\nrun 1\n") == "1 ");
  CHECK(folder.run("source ~/.bashrc; source /opt/venv/bin/activate\nrun 1\n") == "1 ");
}

TEST_CASE("files that a script takes in and that cannot be read are refused by name") {
  const ScriptFolder folder;
  CHECK(error_of([&] { static_cast<void>(folder.run("TP=1\nsource conf/common.sh\n")); }) ==
        folder.path() +
            "/main.sh:2:8: source: takes in conf/common.sh, which is not there; put it "
            "beside the script, or --override \"~source common.sh\" or --defaults reads on "
            "without it");
  CHECK(error_of([&] {
          static_cast<void>(folder.run("[ -f x ] && . $1\n"));
        }).find("takes in '$1', whose path only a run knows") != std::string::npos);
  folder.write("a.sh", "source b.sh\n");
  folder.write("b.sh", "source a.sh\n");
  CHECK(error_of([&] {
          static_cast<void>(folder.run("source a.sh\n"));
        }).find("goes in a circle: ") != std::string::npos);
  for (int i = 0; i < 100; ++i)
    folder.write(fmt::format("c{}.sh", i), fmt::format("source c{}.sh\n", i + 1));
  CHECK(error_of([&] {
          static_cast<void>(folder.run("source c0.sh\n"));
        }).find("takes in more than 64 files") != std::string::npos);
  CHECK(read_script("source x.sh\nrun", "s.sh", {{"x.sh"}, {}}).words.back().text == "run");
  CHECK(error_of([&] {
          static_cast<void>(folder.run("source no/one.sh\n. no/two.sh\n"));
        }).ends_with("--override \"~source *\" or --defaults reads on without one.sh, two.sh"));
  CHECK(read_script("source x.sh\n. $1\nrun", "s.sh", {{"*"}, {}}).words.back().text == "run");
  std::string nested;
  for (int i = 0; i < 100; ++i) nested += "if a\nthen\n";
  CHECK(error_of([&] { read_script(nested, "s.sh"); }).find("has more branches") !=
        std::string::npos);
}

TEST_CASE("a script's own environment reaches NCCL") {
  const ImportFile script = with(recipe_file("gpt15b_megatron.sh"), "GPUS_PER_NODE=8",
                                 "GPUS_PER_NODE=8\nexport NCCL_NVLS_ENABLE=0\n"
                                 "export NCCL_P2P_NET_CHUNKSIZE=2097152\n"
                                 "export CUDA_LAUNCH_BLOCKING=0");
  const ImportedRecipe recipe =
      import_recipe(script, job("dgx-superpod-h100", "megatron-core-2025"));
  CHECK(recipe.yaml.find("cuda_launch_blocking: false # CUDA_LAUNCH_BLOCKING\n") !=
        std::string::npos);
  const ImportFile blocking = with(recipe_file("gpt15b_megatron.sh"), "GPUS_PER_NODE=8",
                                   "GPUS_PER_NODE=8\nexport CUDA_LAUNCH_BLOCKING=1\n");
  CHECK(error_of([&] {
          import_recipe(blocking, job("dgx-superpod-h100", "megatron-core-2025"));
        }).find("which cuda_launch_blocking: true prevents") != std::string::npos);
  const NcclSettings nccl = *nccl_settings_of(scenario_in(recipe.yaml).recipe.software.library);
  CHECK(!nccl.nvls.value);
  CHECK(nccl.p2p_net_chunk.value.value() == 2097152);
}

TEST_CASE("commands behind a test run where it holds") {
  const std::string end = "\nrun $TP $PP\n";
  CHECK(run_words(
            "TP=2; PP=1; S=8b; [[ $S == 70b ]] && export TP=8; [ $S = 70b ] && { TP=8; PP=4; }" +
            end) == "2 1 ");
  CHECK(run_words(
            "TP=2; PP=1; S=70b; [[ $S == 70b ]] && export TP=8; [ $S = 70b ] && { TP=8; PP=4; }" +
            end) == "8 4 ");
  CHECK(run_words("TP=2; PP=1; test $TP = 2 || PP=3" + end) == "2 1 ");
  CHECK(run_words("TP=2; PP=1; [ $TP = 1 ] && PP=3 || PP=4" + end) == "2 4 ");
  CHECK(run_words("TP=2; PP=1; [ $TP = 2 ] && PP=3 || PP=4" + end) == "2 3 ");
  CHECK(run_words("TP=2; PP=1; [ $TP = 2 ] && [ $PP = 2 ] && PP=3" + end) == "2 1 ");
  CHECK(run_words("TP=2; PP=1\n[ $TP = 2 ] &&\n  PP=3 && TP=5\n" + end) == "5 3 ");
  CHECK(run_words(
            "TP=1; PP=1; S=70b; if [[ $S == 70b ]]; then TP=8; PP=2; [ -d \"$C\" ] || exit 1; fi" +
            end) == "8 2 ");
  CHECK(run_words("TP=2; PP=1; [[ $? -eq 0 ]] && PP=3" + end) == "2 $PP ");  // only a run knows
}

TEST_CASE(
    "options behind a test that does not hold are not taken, those of an open one undecided") {
  const auto words = [](const std::string& text) { return read_script(text, "s.sh").words; };
  const auto named = [&](const std::string& text) {
    for (const ShellWord& word : words(text)) {
      if (word.text == "--fp8") return word.undecided ? "open" : "taken";
    }
    return "none";
  };
  CHECK(named("F=0\n[[ $F -eq 1 ]] && ARGS+=(--fp8)\nrun") == std::string("none"));
  CHECK(named("F=1\n[[ $F -eq 1 ]] && ARGS+=(--fp8)\nrun") == std::string("taken"));
  CHECK(named("[ -f here ] && ARGS+=(--fp8)\nrun") == std::string("open"));
  CHECK(named("F=0\n[ \"$F\" = 1 ] && ARGS=\"$ARGS --fp8 --x\"\nrun") == std::string("none"));
  CHECK(named("F=0\n[ \"$F\" = 1 ] && ARGS=\"$ARGS --x\"\nrun --fp8") == std::string("taken"));
}

TEST_CASE("quotes in a command in brackets hide its brackets") {
  CHECK(run_words("N=$(echo $T | cut -d '(' -f 1)\nrun 3\n") == "3 ");
  CHECK(run_words("N=\"$(echo \"$T\" | cut -d ')' -f 1)\"\nrun 3\n") == "3 ");
  CHECK(run_words("N=$(echo it's)\nrun 3\n") == "3 ");
}

TEST_CASE("a quoted command of MaxText is a command") {
  CHECK(run_words("x --command \"run python3 train.py base.yml a=1\"") ==
        "python3 train.py base.yml a=1 ");
}

TEST_CASE("Slurm's variables are those of the #SBATCH lines, or of the job") {
  const std::string head =
      "#!/bin/bash\n#SBATCH --nodes=64 # all\n#SBATCH --ntasks-per-node 8\n#SBATCH "
      "--gres=gpu:h100:8\n";
  const std::string run =
      "run $SLURM_NNODES $SLURM_JOB_NUM_NODES $SLURM_GPUS_ON_NODE $SLURM_NTASKS\n";
  CHECK(run_words(head + run) == "64 64 8 512 ");
  CHECK(run_words("#SBATCH -N 2\nrun $SLURM_NNODES") == "2 ");
  CHECK(run_words("#SBATCH -N4\nrun $SLURM_NNODES") == "4 ");
  CHECK(run_words("#SBATCH --nodes=2-4\nrun $SLURM_NNODES") == "$SLURM_NNODES ");
  CHECK(run_words("#SBATCH --nodelist=a\nrun ${SLURM_NNODES:-3}") == "3 ");
  CHECK(read_script(head + "run $SLURM_NNODES", "s.sh", {{}, 16}).words.back().text == "16");
  CHECK(run_words("A=$(srun --nodes=1 hostname)\nsrun --label \\\n  -N 16 run $SLURM_NNODES") ==
        "16 ");
  CHECK(run_words("srun --nodes 4 x\nrun $SLURM_NNODES") == "4 ");
  CHECK(run_words("srun -N${N} x\nrun $SLURM_NNODES") == "$SLURM_NNODES ");
  CHECK(run_words(head + "srun -N 128 x\nrun $SLURM_NNODES") == "64 ");
}

}  // namespace simtrain::testing::recipe_shell_test
