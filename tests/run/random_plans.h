#pragma once

#include <random>

#include "tests/run/plans.h"

namespace simtrain::testing {

/// A plan of some ranks that compute and communicate at random. Ops are laid out in one order for
/// all ranks, so that it always comes to an end.
inline HandMade random_plan(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto below = [&](std::size_t most) { return static_cast<std::size_t>(random() % most); };
  HandMade made;
  made.plan.overlap_slowdown = 0.05;
  std::vector<std::uint32_t> ranks;
  for (std::size_t i = 0; i < 2 + below(5); ++i)
    ranks.push_back(made.rank(static_cast<int>(i / 2)));
  std::vector<int> links;
  for (std::size_t i = 0; i < 2 + below(4); ++i)
    links.push_back(made.link(50.0 * static_cast<double>(1 + below(4))));
  const std::array slots{GroupKind::tensor, GroupKind::data, GroupKind::context,
                         GroupKind::replica};
  std::vector<std::pair<GroupKind, std::vector<std::uint32_t>>> groups;
  for (const GroupKind slot : slots) {
    // Neighbouring ranks in groups of random length.
    for (std::size_t begin = 0; begin < ranks.size();) {
      const std::size_t end = std::min(ranks.size(), begin + 1 + below(3));
      const std::vector<std::uint32_t> members(ranks.begin() + static_cast<std::ptrdiff_t>(begin),
                                               ranks.begin() + static_cast<std::ptrdiff_t>(end));
      std::vector<LinkShare> shares;
      for (const int link : links) {
        if (below(2) == 0) shares.push_back({link, 0.25 * static_cast<double>(1 + below(4))});
      }
      made.group(slot, members, slot == GroupKind::replica ? std::vector<LinkShare>{} : shares);
      groups.emplace_back(slot, members);
      begin = end;
    }
  }
  const auto length = [&] {
    return below(5) == 0 ? Duration(0)
                         : Duration(1 + static_cast<std::int64_t>(random() % 3'000'000'000'000));
  };
  for (std::size_t step = 0; step < 20 + below(60); ++step) {
    const auto& [slot, members] = groups[below(groups.size())];
    const bool compute = slot == GroupKind::replica;
    const auto work = HandMade::work(length(), 0.5, 0.25);
    auto transfer = HandMade::bytes(static_cast<std::int64_t>(below(400)),
                                    20.0 * static_cast<double>(1 + below(6)),
                                    below(2) == 0 ? Duration(0) : length());
    transfer.sms = static_cast<int>(below(30));
    transfer.memory_traffic = 1e9;
    const Stream stream = slot == GroupKind::tensor ? Stream::tensor
                          : slot == GroupKind::data ? Stream::data
                                                    : Stream::context;
    for (const std::uint32_t member : members) {
      const std::size_t ops = made.program(member).ops.size();
      std::uint32_t after = kNoOp;
      if (ops > 0 && below(2) == 0) after = static_cast<std::uint32_t>(below(ops));
      if (compute) {
        made.compute(member, work, {after}, slot);
      } else {
        made.transfer(member, stream, slot, transfer, {after});
      }
    }
  }
  return made;
}

}  // namespace simtrain::testing
