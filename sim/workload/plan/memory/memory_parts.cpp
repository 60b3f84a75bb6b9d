#include "sim/workload/plan/memory/memory_parts.h"

#include <algorithm>
#include <utility>

#include "sim/workload/schedule/schedule.h"

namespace simtrain {

double fp8_copy_bytes(const Recipe& recipe, const GpuSpec& gpu) {
  const Operand& weight = recipe.precision().layers.weight;
  if (weight.recast) return 0;  // each GEMM's own
  return copied_bytes(weight, gpu) - (recipe.training.fp8_params ? weight.rowwise.bytes() : 0);
}

double placeholder_bytes(const Recipe& recipe, const ModelTotals& totals,
                         const std::vector<ChunkLayout>& chunks) {
  const auto& wanted = recipe.software.weight_gradient_placeholders;
  if (!wanted || !wanted->value) return 0;
  std::vector<MatrixShape> shapes;  // few
  const auto add = [&](const PartTotals& part) {
    for (const MatrixShape& shape : part.matrices) {
      if (std::find(shapes.begin(), shapes.end(), shape) == shapes.end()) shapes.push_back(shape);
    }
  };
  for (const ChunkLayout& chunk : chunks) {
    for (int layer = 0; layer < chunk.layers; ++layer) add(totals.layer(chunk.first_layer + layer));
    if (chunk.head) add(totals.head());
  }
  const double element = recipe.precision().activation.bytes();
  double bytes = 0;
  for (const auto& [rows, columns] : shapes)
    bytes += element * static_cast<double>(rows) * static_cast<double>(columns);
  return bytes;
}

Communicators communicators(const Recipe& recipe, const RankGrid& grid, int neighbours) {
  Communicators opened;
  const auto open = [&](int ranks) {
    if (ranks == 2) ++opened.pairs;
    if (ranks > 2) ++opened.larger;
  };
  for (const GroupRow& row : group_rows()) {
    if (row.opened) open(grid.ranks_of(row.kind));
  }
  if (!overlaps_messages(recipe)) {
    open(recipe.pp());
  } else if (recipe.pp() > 1) {
    opened.pairs += recipe.pp() == 2 ? 1 : neighbours;
  }
  return opened;
}

double user_buffer_bytes(const Recipe& recipe, const ModelTotals& totals) {
  if (!recipe.overlap.tp_comm_overlap || recipe.tp() == 1) return 0;
  if (recipe.tp_overlap->symmetric()) {
    // One workspace, of two chunks that are scattered.
    const auto tokens = static_cast<double>(recipe.tokens()) / recipe.tp();
    return 2 * recipe.precision().activation.bytes() * tokens *
           static_cast<double>(recipe.model.hidden_size);
  }
  double bytes = 0;
  for (int kind = 0; kind < totals.kinds(); ++kind)
    bytes = std::max(bytes, totals.of_kind(kind).user_buffer_bytes);
  return bytes;
}

double dispatcher_buffer_bytes(const ModelTotals& totals) {
  double bytes = 0;
  for (int kind = 0; kind < totals.kinds(); ++kind)
    bytes = std::max(bytes, totals.of_kind(kind).dispatcher_buffer_bytes);
  return bytes;
}

}  // namespace simtrain
