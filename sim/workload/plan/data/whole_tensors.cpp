#include "sim/workload/plan/data/whole_tensors.h"

#include <algorithm>
#include <functional>

namespace simtrain {
namespace {

std::vector<std::int64_t> tensors_of(const ModelTotals& totals, const ChunkLayout& chunk,
                                     GroupKind group) {
  std::vector<std::int64_t> tensors;
  const auto add = [&](const PartTotals& part) {
    for (const TrainedTensor& tensor : part.tensors) {
      if (tensor.reduced_over == group) tensors.push_back(tensor.elements);
    }
  };
  for (int layer = 0; layer < chunk.layers; ++layer) add(totals.layer(chunk.first_layer + layer));
  if (chunk.embedding) add(totals.embedding());
  if (chunk.head) add(totals.head());
  return tensors;
}

}  // namespace

std::vector<std::int64_t> whole_tensor_shards(const ModelTotals& totals, const ChunkLayout& chunk,
                                              GroupKind group, int ranks) {
  std::vector<std::int64_t> tensors = tensors_of(totals, chunk, group);
  std::sort(tensors.begin(), tensors.end(), std::greater<>());
  std::vector<std::int64_t> least_first(std::min(tensors.size(), static_cast<std::size_t>(ranks)));
  for (const std::int64_t elements : tensors) {
    std::pop_heap(least_first.begin(), least_first.end(), std::greater<>());
    least_first.back() += elements;
    std::push_heap(least_first.begin(), least_first.end(), std::greater<>());
  }
  std::sort(least_first.begin(), least_first.end(), std::greater<>());
  return least_first;
}

}  // namespace simtrain
