#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/core/quantity.h"
#include "sim/run/engine/period/state_words.h"

namespace simtrain {

/// A transfer inside a stretch of a pass, as it is where the stretch runs alone.
struct Burst {
  std::uint8_t kind = 0;    ///< of its group: place in inner_kinds()
  std::uint8_t stream = 0;  ///< those of one stream come one after the other
  double start_s = 0;       ///< into the stretch, when its links are held from
  double needed_s = 0;      ///< into the stretch, when the first kernel waits for it
  Duration latency{};
  double wire = 0;   ///< bytes
  double limit = 0;  ///< bytes per second
  double load = 1;   ///< of its links by a byte, in those by one of its program's call of the kind
};

/// The transfers of a stretch in the order in which they start.
struct Bursts {
  explicit Bursts(std::vector<Burst> in_order = {});

  static constexpr std::uint32_t kNone = 0xffffffffU;
  /// Something that happens when the stretch has run `at_s` seconds of its time alone.
  struct Mark {
    double at_s = 0;
    std::uint32_t burst = 0;
    bool needed = false;  ///< otherwise it may start
  };
  std::vector<Burst> all;
  std::vector<Mark> marks;           ///< in order
  std::vector<std::uint32_t> after;  ///< by burst: the one before it on its stream, or kNone
};

/// By program of a plan and place in Program::inner; empty where what moves is known by its sums
/// alone.
using PlanBursts = std::vector<std::vector<Bursts>>;

/// A running stretch: which of its transfers have started and ended. Transfers start when the
/// stretch has come to them and those before them on their stream have ended; where a kernel needs
/// one that has not ended, the stretch is stalled.
class BurstRun {
 public:
  BurstRun() = default;
  explicit BurstRun(const Bursts& bursts)
      : bursts_(&bursts), states_(bursts.all.size(), State::ahead) {}

  [[nodiscard]] const Bursts& bursts() const { return *bursts_; }
  /// When something happens next, in seconds of its time alone; `end_s` where nothing does.
  [[nodiscard]] double next_s(double end_s) const {
    return mark_ < bursts_->marks.size() ? bursts_->marks[mark_].at_s : end_s;
  }
  [[nodiscard]] bool stalled() const { return awaited_ != Bursts::kNone; }
  /// Whether nothing is left to happen.
  [[nodiscard]] bool over() const { return !stalled() && mark_ == bursts_->marks.size(); }
  /// The stretch has come to next_s(): appends those that start then.
  void reach(std::vector<std::uint32_t>& started);
  /// For another time to be compared with.
  void describe(StateWords& words) const {
    words.add(mark_);
    words.add(awaited_);
    for (const State state : states_) words.add(static_cast<std::uint64_t>(state));
  }
  /// One has ended: the same.
  void end(std::uint32_t burst, std::vector<std::uint32_t>& started);

 private:
  enum class State : std::uint8_t { ahead, due, moving, ended };
  void due(std::uint32_t burst, std::vector<std::uint32_t>& started);
  void pass_marks(double at_s, std::vector<std::uint32_t>& started);

  const Bursts* bursts_ = nullptr;
  std::vector<State> states_;
  std::size_t mark_ = 0;
  std::uint32_t awaited_ = Bursts::kNone;
};

}  // namespace simtrain
