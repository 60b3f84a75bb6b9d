#include <cmath>
#include <cstdlib>
#include <numeric>

#include <doctest/doctest.h>

#include "sim/workload/plan/data/buckets.h"
#include "tests/workload/setup.h"

namespace simtrain::testing::data_parallel_test {

namespace {

constexpr ChunkLayout kChunk{32, true, true};
// Llama 3.1 8B whole, on the eight GPUs of one node.
constexpr std::int64_t kParameters = 8030261248;

ChunkBuckets buckets_of(const Recipe& recipe, int ranks) {
  const StepSetup setup(recipe, "dgx-superpod-h100", 1);
  GradientGroups groups;
  groups.data.ranks = ranks;
  return chunk_buckets(setup.context(), kChunk, groups);
}

std::int64_t bytes_of(const std::vector<BucketCall>& buckets) {
  return std::accumulate(
      buckets.begin(), buckets.end(), std::int64_t{0},
      [](std::int64_t sum, const BucketCall& bucket) { return sum + bucket.cost.bytes.value(); });
}

}  // namespace

TEST_CASE("the buckets of a chunk hold each of its parameters once") {
  const ChunkBuckets buckets = buckets_of(llama_8b(), 8);
  CHECK(bytes_of(buckets.reductions) == 2 * kParameters);
  CHECK(bytes_of(buckets.gathers) == 2 * kParameters);
}

TEST_CASE("a chunk has as many buckets as its gradients need at the recipe's size") {
  // 16.06 GB in buckets of 268.435456 MB.
  const ChunkBuckets buckets = buckets_of(llama_8b(), 8);
  CHECK(buckets.reductions.size() == 60);
  CHECK(buckets.gathers.size() == 60);
  for (const BucketCall& reduction : buckets.reductions)
    CHECK(static_cast<double>(reduction.cost.bytes.value()) <= 268.435456e6);
}

TEST_CASE("buckets fill one after the other, the last with the end of the backward") {
  const ChunkBuckets buckets = buckets_of(llama_8b(), 8);
  double before = 0;
  for (const BucketCall& reduction : buckets.reductions) {
    CHECK(reduction.at > before);
    before = reduction.at;
  }
  CHECK(before == 1);
}

TEST_CASE("gradients in FP32 take twice the bytes and buckets, parameters do not") {
  Recipe recipe = llama_8b();
  recipe.optimizer.grad_reduce_dtype = DataType::fp32;
  const ChunkBuckets buckets = buckets_of(recipe, 8);
  CHECK(bytes_of(buckets.reductions) == 4 * kParameters);
  CHECK(buckets.reductions.size() == 120);
  CHECK(bytes_of(buckets.gathers) == 2 * kParameters);
}

TEST_CASE("layers kept in FP8 are gathered in one byte, embedding and output layer in two") {
  Recipe recipe = llama_8b();
  recipe.training.precision = Precision::fp8;
  recipe.training.fp8_params = true;
  const ChunkBuckets buckets = buckets_of(recipe, 8);
  constexpr std::int64_t kEdges = 2 * 128256 * 4096 + 4096;  // with the final norm
  CHECK(bytes_of(buckets.gathers) == kParameters + kEdges);
  CHECK(bytes_of(buckets.reductions) == 2 * kParameters);
  const std::vector<BucketCall>& gathers = buckets.gathers;
  CHECK(gathers.front().cost.bytes.value() == buckets.reductions.front().cost.bytes.value());
  CHECK(gathers.back().cost.bytes.value() == buckets.reductions.back().cost.bytes.value());
  CHECK(std::abs(2 * gathers[30].cost.bytes.value() - gathers.front().cost.bytes.value()) <= 2);
}

TEST_CASE("the distributed optimizer reduces and scatters; without it gradients are all-reduced") {
  Recipe recipe = llama_8b();
  for (const BucketCall& reduction : buckets_of(recipe, 8).reductions)
    CHECK(reduction.cost.collective == Collective::reduce_scatter);
  recipe.optimizer.distributed = false;
  CHECK(buckets_of(recipe, 8).gathers.empty());
  for (const BucketCall& reduction : buckets_of(recipe, 8).reductions)
    CHECK(reduction.cost.collective == Collective::all_reduce);
}

TEST_CASE("a rank that is alone in its data-parallel group exchanges nothing") {
  const ChunkBuckets buckets = buckets_of(llama_8b(), 1);
  CHECK(buckets.reductions.empty());
  CHECK(buckets.gathers.empty());
}

}  // namespace simtrain::testing::data_parallel_test
