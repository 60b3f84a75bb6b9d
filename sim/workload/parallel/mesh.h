#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/core/enum_names.h"

namespace simtrain {

/// What the ranks of a job share out among themselves, in Megatron's words. Experts have axes of
/// their own: ETP, EP and expert data parallelism; `pass` are the ranks that go through passes
/// together. Where only some of the DP x CP ranks shard their state, `shard` are those, and
/// `replicate` the groups of them. `copy` are the two stages that hold the same layers where
/// pipelines hold the model twice.
enum class Axis : std::uint8_t { tp, cp, dp, pp, etp, ep, edp, pass, shard, replicate, copy };
inline constexpr std::size_t kAxes = 11;

template <>
struct EnumNames<Axis> {
  static constexpr std::array rows{std::pair{std::string_view("tp"), Axis::tp},
                                   std::pair{std::string_view("cp"), Axis::cp},
                                   std::pair{std::string_view("dp"), Axis::dp},
                                   std::pair{std::string_view("pp"), Axis::pp},
                                   std::pair{std::string_view("etp"), Axis::etp},
                                   std::pair{std::string_view("ep"), Axis::ep},
                                   std::pair{std::string_view("edp"), Axis::edp},
                                   std::pair{std::string_view("pass"), Axis::pass},
                                   std::pair{std::string_view("shard"), Axis::shard},
                                   std::pair{std::string_view("replicate"), Axis::replicate},
                                   std::pair{std::string_view("copy"), Axis::copy}};
};

/// Some axes of a mesh.
class AxisSet {
 public:
  constexpr AxisSet() = default;
  constexpr AxisSet(std::initializer_list<Axis> axes) {
    for (const Axis axis : axes) bits_ |= bit(axis);
  }
  [[nodiscard]] constexpr bool has(Axis axis) const { return (bits_ & bit(axis)) != 0; }
  friend constexpr bool operator==(AxisSet, AxisSet) = default;

 private:
  static constexpr unsigned bit(Axis axis) { return 1U << static_cast<unsigned>(axis); }
  unsigned bits_ = 0;
};

struct MeshAxis {
  Axis axis{};
  int size = 1;
};

/// Ranks 0 to n-1 as a grid of named axes. Several meshes may lie over the same ranks.
class Mesh {
 public:
  /// The first axis runs fastest: neighbours along it are neighbours in rank. Sizes are at least 1.
  explicit Mesh(std::vector<MeshAxis> axes);

  [[nodiscard]] int ranks() const { return ranks_; }
  /// 1 for an axis that the mesh does not have.
  [[nodiscard]] int size(Axis axis) const { return span_of(axis).size; }
  [[nodiscard]] int coordinate(int rank, Axis axis) const {
    const Span& span = span_of(axis);
    return rank / span.stride % span.size;
  }
  /// The rank at another place of an axis, all other coordinates alike.
  [[nodiscard]] int at(int rank, Axis axis, int place) const {
    return rank + (place - coordinate(rank, axis)) * span_of(axis).stride;
  }
  /// The rank `step` places on, around the axis.
  [[nodiscard]] int moved(int rank, Axis axis, int step) const;

  /// The ranks that differ from `rank` in nothing but these axes, in rank order, itself among them.
  [[nodiscard]] std::vector<int> group(int rank, AxisSet axes) const;
  /// The first of them.
  [[nodiscard]] int first(int rank, AxisSet axes) const;
  /// How many there are.
  [[nodiscard]] int count(AxisSet axes) const;

  struct Span {
    int size = 1;
    int stride = 1;
  };
  /// Of those of these axes that have more than one place: meshes over the same ranks with the same
  /// spans have the same groups.
  [[nodiscard]] std::vector<Span> spans(AxisSet axes) const;

 private:
  [[nodiscard]] const Span& span_of(Axis axis) const {
    return spans_[static_cast<std::size_t>(axis)];
  }

  std::vector<MeshAxis> axes_;
  std::array<Span, kAxes> spans_{};
  int ranks_ = 1;
};

}  // namespace simtrain
