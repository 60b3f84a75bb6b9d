// Configurations that scripts write themselves: JSON in here-documents.
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "tests/core/error_of.h"
#include "tests/import/recipes.h"
#include "tests/import/shell/run_words.h"

namespace simtrain::testing::recipe_documents_test {
namespace {

const std::string kOptions =
    "--num-layers 24 --hidden-size 4096 --num-attention-heads 32 --seq-length 2048 "
    "--max-position-embeddings 2048 --vocab-size 50257 --tensor-model-parallel-size 1 "
    "--hidden-dropout 0.0 --bf16 --zero-stage $ZERO --no-pipeline-parallel --deepspeed ";

/// A script of Megatron-DeepSpeed that writes its configuration by `write` into `file`.
ImportFile script(const std::string& write, const std::string& file = "$config") {
  return {"main.sh", "config=\"./ds_config.$SLURM_JOBID.json\"\nMICRO=2\nGLOBAL=256\nZERO=1\n" +
                         write + "deepspeed --num_nodes 4 pretrain_gpt.py " + kOptions +
                         "--deepspeed_config " + file + "\n"};
}

const std::string kConfig =
    "{\n  \"train_micro_batch_size_per_gpu\": $MICRO,\n  \"train_batch_size\": $GLOBAL,\n"
    "  \"zero_optimization\": {\"stage\": $ZERO},\n  \"bf16\": {\"enabled\": true}\n}\n";

Recipe recipe_of(const ImportFile& file) {
  const RecipeRequest request = job("dgx-superpod-h100", "megatron-core-2025");
  return scenario_in(import_recipe(file, request).yaml).recipe;
}

std::string refusal_of(const ImportFile& file) {
  return error_of([&] { recipe_of(file); });
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST_CASE("a configuration of DeepSpeed that the script writes is read with its variables") {
  for (const std::string& write :
       std::vector<std::string>{"cat <<EOT > $config\n" + kConfig + "EOT\n",
                                "cat > ${config} << EOT\n" + kConfig + "EOT\n",
                                "cat <<-\"EOT\" >$config\n" + kConfig + "\tEOT\r\n"}) {
    CAPTURE(write);
    const Recipe recipe = recipe_of(script(write));
    CHECK(recipe.shards() == Sharding::zero1);
    CHECK(recipe.training.micro_batch_size == 2);
    CHECK(recipe.training.global_batch_size == 256);
  }
}

TEST_CASE("the last configuration that is written for certain counts, by its plain path") {
  const auto written = [](const std::string& file, const std::string& micro) {
    return "cat <<EOT >" + file + "\n{\"train_micro_batch_size_per_gpu\": " + micro +
           ", \"train_batch_size\": 256}\nEOT\n";
  };
  const auto micro = [](const std::string& write) {
    return recipe_of(script(write, "ds.json")).training.micro_batch_size;
  };
  CHECK(micro(written("./ds.json", "4")) == 4);
  CHECK(micro(written("ds.json", "4") + written("ds.json", "8")) == 8);
  CHECK(micro(written("ds.json", "4") + written("other.json", "8")) == 4);
  CHECK(micro(written("ds.json", "4") + "if false; then\n" + written("ds.json", "8") + "fi\n") ==
        4);
  const std::string maybe = "if [ $1 = a ]; then\n" + written("ds.json", "4") + "fi\n";
  CHECK(has(refusal_of(script(maybe, "ds.json")), "ds.json, which is not there"));
  CHECK(has(refusal_of(script("", "ds.json")), "ds.json, which is not there"));
}

TEST_CASE("errors in such a configuration name its line in the script") {
  const std::string write =
      "cat <<EOT >ds.json\n{\n  \"zero_optimization\": {\"stage\": 7}\n}\nEOT\n";
  CHECK(has(refusal_of(script(write, "ds.json")),
            "main.sh:7:34: zero_optimization.stage: '7' contradicts"));
  const std::string no_json = "cat <<EOT >ds.json\n{\n  \"a\": [\n}\nEOT\n";
  CHECK(has(refusal_of(script(no_json, "ds.json")), "main.sh:8:1"));
}

TEST_CASE("a document of JSON is no words of the script; another one is") {
  CHECK(run_words("cat <<EOT >a.json\n{\"it's\": [1, 2]}\nEOT\nrun a") == "a ");
  CHECK(run_words("cat <<EOT\n{\nrun b\n}\nEOT\nrun a") == "a ");
  CHECK(run_words("cat <<EOT >job.sh\nrun b\nEOT\nrun a") == "b a ");
  CHECK(run_words("f() {\ncat <<EOT >a.json\n{ run b }\nEOT\nrun a\n}\nf") == "a ");
  CHECK(run_words("cat <<EOT >a.json\n{\nrun b\n") == "b ");  // it has no end
  CHECK(run_words("x=$((1 << 2))\n{ run a; }") == "a ");
  CHECK(run_words("read x <<<EOT\n{ run a; }\nEOT\n") == "a ");
  CHECK(run_words("cat <<\n{ run a; }") == "a ");
  CHECK(run_words("cat <<EOT >a.json\n") == "");
  CHECK(run_words(std::string(2000000, '\n') + "run a") == "a ");  // looked through once
}

}  // namespace
}  // namespace simtrain::testing::recipe_documents_test
