#pragma once

#include <algorithm>
#include <bitset>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "sim/collectives/algorithm.h"

namespace simtrain::testing {

/// Whose data a part holds, added up.
using Contributors = std::bitset<128>;

/// A schedule carried out on symbols: every end of a move (ranks, NVLink switches, the network's
/// switch) holds of each part the set of ranks whose data is in it.
class SymbolicRun {
 public:
  SymbolicRun(Collective collective, const GroupShape& shape, const Schedule& schedule)
      : collective_(collective),
        shape_(shape),
        parts_(schedule.parts),
        cells_(static_cast<std::size_t>(shape.network_switch() + 1) *
               static_cast<std::size_t>(schedule.parts)),
        sent_(static_cast<std::size_t>(shape.ranks())) {
    for (int rank = 0; rank < shape.ranks(); ++rank) {
      for (int part = 0; part < parts_; ++part) {
        if (starts_with(rank, part)) cell(rank, part).set(static_cast<std::size_t>(rank));
      }
    }
    for (const Move& move : schedule.moves) carry_out(move, schedule.share);
    for (int rank = 0; rank < shape.ranks(); ++rank) {
      for (int part = 0; part < parts_; ++part) check_end(rank, part);
    }
  }

  /// What went wrong first; empty where nothing did.
  [[nodiscard]] const std::string& failure() const { return failure_; }
  /// What a rank has sent, in parts of the call's bytes.
  [[nodiscard]] SentBytes sent(int rank) const { return sent_[static_cast<std::size_t>(rank)]; }

 private:
  Contributors& cell(int end, int part) {
    return cells_[static_cast<std::size_t>(end) * static_cast<std::size_t>(parts_) +
                  static_cast<std::size_t>(part)];
  }
  [[nodiscard]] int owner(int part) const { return part * shape_.ranks() / parts_; }

  [[nodiscard]] bool starts_with(int rank, int part) const {
    switch (collective_) {
      case Collective::all_gather:
      case Collective::send_receive:
        return rank == owner(part);
      case Collective::broadcast:
        return rank == 0;
      case Collective::all_to_all:
        return rank == part / shape_.ranks();
      default:
        return true;
    }
  }

  /// Whether the collective promises the part to the rank, and whose data it is then.
  [[nodiscard]] bool ends_with(int rank, int part, Contributors& whose) const {
    const int ranks = shape_.ranks();
    const auto only = [&](int from) { whose.set(static_cast<std::size_t>(from)); };
    switch (collective_) {
      case Collective::all_gather:
        only(owner(part));
        return true;
      case Collective::broadcast:
        only(0);
        return true;
      case Collective::all_to_all:
        only(part / ranks);
        return rank == part % ranks;
      case Collective::send_receive:
        only((rank + ranks - 1) % ranks);
        return part == (rank + ranks - 1) % ranks;
      default:
        for (int from = 0; from < ranks; ++from) only(from);
        return collective_ == Collective::all_reduce || rank == owner(part);
    }
  }

  void fail(const std::string& what) {
    if (failure_.empty()) failure_ = what;
  }

  void carry_out(const Move& move, double share) {
    const Contributors from = cell(move.from, move.part);
    Contributors& to = cell(move.to, move.part);
    const auto refuse = [&](const char* what) {
      fail(fmt::format("{} -> {}, part {}: {}", move.from, move.to, move.part, what));
    };
    if (move.from == move.to) refuse("goes nowhere");
    if (from.none()) refuse("the sender has nothing");
    if (move.reduce && (from & to).any()) refuse("a contributor is added twice");
    if (!move.reduce && (to & ~from).any()) refuse("what the receiver had is lost");
    // What a switch passes on it does not keep, and its multicast reaches the sender too.
    const bool switched = std::max(move.from, move.to) >= shape_.ranks();
    if (!move.reduce && !switched && to == from) refuse("the receiver had it already");
    to |= from;
    count(move, share);
  }

  void count(const Move& move, double share) {
    if (move.from >= shape_.ranks()) return;
    SentBytes& sent = sent_[static_cast<std::size_t>(move.from)];
    (domain_of(move.from) == domain_of(move.to) ? sent.nvlink : sent.nic) += share;
  }
  /// Of a rank or an NVLink switch; -1 is the network.
  [[nodiscard]] int domain_of(int end) const {
    if (end == shape_.network_switch()) return -1;
    return end < shape_.ranks() ? end / shape_.per_domain : end - shape_.ranks();
  }

  void check_end(int rank, int part) {
    Contributors expected;
    if (ends_with(rank, part, expected) && cell(rank, part) != expected)
      fail(fmt::format("rank {} ends with the wrong data in part {}", rank, part));
  }

  Collective collective_;
  GroupShape shape_;
  int parts_;
  std::vector<Contributors> cells_;
  std::vector<SentBytes> sent_;
  std::string failure_;
};

}  // namespace simtrain::testing
