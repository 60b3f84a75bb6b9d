#include "sim/run/engine/bursts.h"

#include <algorithm>
#include <array>
#include <utility>

#include "sim/workload/kernels/program.h"

namespace simtrain {

Bursts::Bursts(std::vector<Burst> in_order) : all(std::move(in_order)) {
  std::array<std::uint32_t, kStreams> last{};  // by stream
  last.fill(kNone);
  after.reserve(all.size());
  marks.reserve(2 * all.size());
  for (std::uint32_t burst = 0; burst < all.size(); ++burst) {
    after.push_back(std::exchange(last[all[burst].stream], burst));
    marks.push_back({all[burst].start_s, burst, false});
    marks.push_back({all[burst].needed_s, burst, true});
  }
  std::stable_sort(marks.begin(), marks.end(), [](const Mark& one, const Mark& other) {
    return std::pair(one.at_s, one.needed) < std::pair(other.at_s, other.needed);
  });
}

void BurstRun::due(std::uint32_t burst, std::vector<std::uint32_t>& started) {
  const std::uint32_t before = bursts_->after[burst];
  const bool free = before == Bursts::kNone || states_[before] == State::ended;
  states_[burst] = free ? State::moving : State::due;
  if (free) started.push_back(burst);
}

void BurstRun::pass_marks(double at_s, std::vector<std::uint32_t>& started) {
  for (; !stalled() && next_s(-1) == at_s; ++mark_) {
    const Bursts::Mark& mark = bursts_->marks[mark_];
    if (!mark.needed) {
      due(mark.burst, started);
    } else if (states_[mark.burst] != State::ended) {
      awaited_ = mark.burst;
    }
  }
}

void BurstRun::reach(std::vector<std::uint32_t>& started) { pass_marks(next_s(-1), started); }

void BurstRun::end(std::uint32_t burst, std::vector<std::uint32_t>& started) {
  states_[burst] = State::ended;
  for (std::uint32_t next = burst + 1; next < states_.size(); ++next) {
    if (bursts_->after[next] != burst) continue;
    if (states_[next] == State::due) due(next, started);
    break;
  }
  if (awaited_ != burst) return;
  awaited_ = Bursts::kNone;
  pass_marks(bursts_->all[burst].needed_s, started);
}

}  // namespace simtrain
