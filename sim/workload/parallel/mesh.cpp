#include "sim/workload/parallel/mesh.h"

namespace simtrain {

Mesh::Mesh(std::vector<MeshAxis> axes) : axes_(std::move(axes)) {
  for (const MeshAxis& axis : axes_) {
    spans_[static_cast<std::size_t>(axis.axis)] = {axis.size, ranks_};
    ranks_ *= axis.size;
  }
}

int Mesh::moved(int rank, Axis axis, int step) const {
  const int size = this->size(axis);
  return at(rank, axis, (coordinate(rank, axis) + step % size + size) % size);
}

std::vector<int> Mesh::group(int rank, AxisSet axes) const {
  std::vector<int> ranks{first(rank, axes)};
  ranks.reserve(static_cast<std::size_t>(count(axes)));
  for (const MeshAxis& axis : axes_) {
    if (!axes.has(axis.axis)) continue;
    const std::size_t before = ranks.size();
    for (int place = 1; place < axis.size; ++place) {
      for (std::size_t i = 0; i < before; ++i) ranks.push_back(at(ranks[i], axis.axis, place));
    }
  }
  return ranks;
}

int Mesh::first(int rank, AxisSet axes) const {
  for (const MeshAxis& axis : axes_) {
    if (axes.has(axis.axis)) rank = at(rank, axis.axis, 0);
  }
  return rank;
}

std::vector<Mesh::Span> Mesh::spans(AxisSet axes) const {
  std::vector<Span> spans;
  for (const MeshAxis& axis : axes_) {
    if (axes.has(axis.axis) && axis.size > 1) spans.push_back(span_of(axis.axis));
  }
  return spans;
}

int Mesh::count(AxisSet axes) const {
  int ranks = 1;
  for (const MeshAxis& axis : axes_) ranks *= axes.has(axis.axis) ? axis.size : 1;
  return ranks;
}

}  // namespace simtrain
