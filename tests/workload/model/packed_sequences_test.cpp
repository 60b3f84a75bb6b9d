// Packed documents: attention costs the sum of their squared lengths.
#include <doctest/doctest.h>

#include "sim/workload/model/layers/model_parts.h"
#include "tests/workload/expanded.h"

namespace simtrain::testing::packed_sequences_test {

namespace {

Recipe whole_sequences() {
  Recipe recipe = llama_8b();
  recipe.parallelism.context_parallel_size = 1;
  return recipe;
}

Recipe packed(const PackedSequencesSpec& documents) {
  Recipe recipe = whole_sequences();
  recipe.packed_sequences = documents;
  return recipe;
}

Attention attention_of(const Recipe& recipe, Phase phase) {
  return Expanded(recipe, {Part::layer, phase}).kernels<Attention>().front();
}

}  // namespace

TEST_CASE("Means of documents and of their tokens") {
  PackedSequencesSpec documents;
  documents.documents = {{100, 0.5}, {300, 0.5}};
  CHECK(documents.mean() == 200);
  CHECK(documents.mean_of_tokens() == 250);
  CHECK(documents.longest() == 300);
  const PackedSequencesSpec alike{180, {}};
  CHECK(alike.mean() == 180);
  CHECK(alike.mean_of_tokens() == 180);
}

TEST_CASE("FLOPs of attention are those of the pairs inside documents") {
  PackedSequencesSpec two_lengths;
  two_lengths.documents = {{100, 0.5}, {300, 0.5}};
  const Recipe recipe = packed(two_lengths);
  const double pairs = 8192 * 250 / 2.0;
  CHECK(kernel_flops(attention_of(recipe, Phase::forward)) ==
        doctest::Approx(2 * 32 * pairs * 2 * 128).epsilon(1e-12));
  CHECK(kernel_flops(attention_of(recipe, Phase::backward)) ==
        doctest::Approx(2 * 32 * pairs * 5 * 128).epsilon(1e-12));
  CHECK(attention_of(recipe, Phase::forward).batch == 41);
  CHECK(model_flops(recipe.model, 8192, recipe.packed_sequences).attention_square ==
        doctest::Approx(32 * 2 * 8192 * 250 * 2 * 4096.0));
}

TEST_CASE("One document of a whole sequence is none, shorter ones take less") {
  const Attention whole = attention_of(whole_sequences(), Phase::forward);
  const Attention one = attention_of(packed({8192, {}}), Phase::forward);
  CHECK(one.batch == whole.batch);
  CHECK(one.queries == whole.queries);
  CHECK(one.keys == whole.keys);
  CHECK(one.unevenness == 1);
  const GpuSpec h100 = gpu("h100-sxm");
  const FittedKernelModel model(h100);
  Duration last = model.time(whole).time;
  for (const double length : {4096, 2048, 512}) {
    const Duration shorter = model.time(attention_of(packed({length, {}}), Phase::forward)).time;
    CHECK(shorter < last);
    last = shorter;
  }
}

}  // namespace simtrain::testing::packed_sequences_test
