#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace simtrain {

/// The parts of a model that a pass runs one after the other: a layer of some kind, the embedding,
/// the head. `amax` is no part of the model: the reduction of amax and the new scales, once a pass.
/// `layer_pair`: a layer's forward and another's backward, of two micro-batches, beside each other.
enum class Part : std::uint8_t { layer, embedding, head, amax, layer_pair };

/// What of a part runs. `backward` is input and weight gradient together; a schedule may split
/// them. `weight_cast` makes the quantized copies of a layer's weights, on the first micro-batch.
enum class Phase : std::uint8_t { forward, backward, input_gradient, weight_gradient, weight_cast };

/// The pieces that passes are made of. Each is a program of kernels and of tensor- and
/// context-parallel collectives of one rank, the same on every rank of its TP x CP group.
struct Piece {
  Part part{};
  Phase phase{};
  int kind = 0;  ///< of a layer: its number in the model's LayerList; of a pair: of the forward's
  int backward_kind = 0;  ///< of a pair: of the backward's

  friend constexpr bool operator==(const Piece&, const Piece&) = default;
};

/// One value for each piece of a model whose layers are of `kinds` kinds.
template <class T>
class ByPiece {
 public:
  ByPiece() : ByPiece(1) {}
  explicit ByPiece(int kinds) : kinds_(static_cast<std::size_t>(kinds)), values_(count()) {}

  T& operator[](const Piece& piece) { return values_[number(piece)]; }
  const T& operator[](const Piece& piece) const { return values_[number(piece)]; }
  [[nodiscard]] auto begin() const { return values_.begin(); }
  [[nodiscard]] auto end() const { return values_.end(); }
  /// The same of what `f` makes of each value.
  template <class F>
  [[nodiscard]] auto map(F f) const {
    ByPiece<decltype(f(values_.front()))> result(static_cast<int>(kinds_));
    std::transform(values_.begin(), values_.end(), result.values_.begin(), f);
    return result;
  }
  void fill(const T& value) { values_.assign(values_.size(), value); }

 private:
  template <class>
  friend class ByPiece;
  static constexpr std::size_t kPasses = 4;  ///< phases that passes are made of

  /// Layers first, kind by kind, then embedding and head, weight casts, pairs and amax.
  [[nodiscard]] std::size_t number(const Piece& piece) const {
    const auto kind = static_cast<std::size_t>(piece.kind);
    const auto phase = static_cast<std::size_t>(piece.phase);
    if (piece.part == Part::amax) return count() - 1;
    if (piece.part == Part::layer_pair) {
      return (kinds_ + 2) * kPasses + kinds_ * (1 + kind) +
             static_cast<std::size_t>(piece.backward_kind);
    }
    if (piece.phase == Phase::weight_cast) return (kinds_ + 2) * kPasses + kind;
    if (piece.part == Part::layer) return kind * kPasses + phase;
    return (kinds_ + (piece.part == Part::embedding ? 0 : 1)) * kPasses + phase;
  }
  [[nodiscard]] std::size_t count() const {
    return (kinds_ + 2) * kPasses + kinds_ * (1 + kinds_) + 1;
  }

  std::size_t kinds_;
  std::vector<T> values_;
};

}  // namespace simtrain
