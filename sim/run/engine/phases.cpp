#include "sim/run/engine/phases.h"

#include <algorithm>

namespace simtrain {

void PhaseLog::add(std::vector<StateShare>& shares, StateShare more) {
  if (more.share <= 0) return;
  const auto known = std::find_if(shares.begin(), shares.end(), [&](const StateShare& share) {
    return share.state == more.state;
  });
  if (known == shares.end()) {
    shares.push_back(more);
  } else {
    known->share += more.share;
  }
}

void PhaseLog::cut(std::uint32_t activity, double left) {
  Cut& cut = cut_[activity];
  add(cut.done, {current().state, cut.left - left});
  cut.left = left;
}

void PhaseLog::note_end(std::uint32_t activity, std::uint32_t rank, std::uint32_t op) {
  states_.ended_in[rank][op] = current().state;
  const auto found = cut_.find(activity);
  if (found == cut_.end() || found->second.done.empty()) return;
  std::vector<StateShare> shares = found->second.done;
  add(shares, {current().state, found->second.left});
  if (shares.size() > 1 || shares.front().state != current().state)
    states_.cut[{rank, op}] = std::move(shares);
}

}  // namespace simtrain
