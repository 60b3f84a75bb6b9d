#include "sim/job/simulation/job_run.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "sim/job/simulation/job_clock.h"
#include "sim/job/simulation/job_nodes.h"
#include "sim/job/simulation/replica_sets.h"
#include "sim/job/simulation/saved_states.h"

namespace simtrain {
namespace {

/// A device that slows the job down, or makes its results wrong, until it is noticed.
struct Unnoticed {
  const FailureKind* kind;
  double until_s;
};

class Run {
 public:
  Run(const JobPlan& plan, std::uint32_t run, UseTrace* trace)
      : plan_(plan), clock_(plan, run, trace), nodes_(plan), sets_(plan, nodes_) {
    clock_.on_arrival([this](const FailureKind& kind) { return arrive(kind); });
  }

  JobRun all() {
    restart(0);
    while (!over()) train();
    JobRun result = clock_.result();
    result.steps = done_;
    result.finished = done_ >= plan_.goal_steps || clock_.now() >= plan_.horizon_s;
    result.restarts = restarts_ - 1;  // the first start is none
    result.saves = saves_;
    result.departures = departures_;
    return result;
  }

 private:
  [[nodiscard]] bool over() const { return clock_.ended() || done_ >= plan_.goal_steps; }

  /// A failure comes while time passes. True where it ends what the job is doing.
  bool arrive(const FailureKind& kind) {
    switch (kind.effect) {
      case FailureEffect::stops:
        failed_ = &kind;
        return true;
      case FailureEffect::planned:
        announced_.push_back(&kind);
        return false;
      case FailureEffect::slows:
        slow_.push_back({&kind, clock_.now() + clock_.delay(kind, kind.detection_s)});
        return false;
      case FailureEffect::corrupts:
        begin_corruption(kind);
        return false;
    }
    return false;
  }

  /// The job will go back to what was saved before. One that comes meanwhile changes nothing.
  void begin_corruption(const FailureKind& kind) {
    if (corrupt_) return;
    const double now = clock_.now();
    corrupt_ = Corruption{&kind, now + clock_.delay(kind, kind.detection_s),
                          saved_.newest(now, FailureReach::node)};
    saved_.hold(now);
  }

  /// How many times as long the steps of a job of this size take beside all that is slow: the
  /// slowest device decides.
  [[nodiscard]] double slowdown(std::size_t size) const {
    double most = 1;
    for (const Unnoticed& slow : slow_) most = std::max(most, slow.kind->slowdowns.at(size));
    return most;
  }

  /// The next step at which something is to be saved.
  [[nodiscard]] double next_save() const {
    return std::min(after(plan_.persistent), after(plan_.local));
  }
  [[nodiscard]] double after(const SavePlan& save) const {
    return save.interval > 0 ? (std::floor(done_ / save.interval) + 1) * save.interval : kNever;
  }

  /// When something beside failures changes.
  [[nodiscard]] double next_change() const {
    double next = kNever;
    for (const Unnoticed& slow : slow_) next = std::min(next, slow.until_s);
    if (corrupt_) next = std::min(next, corrupt_->until_s);
    return std::min(next, plan_.replicas ? sets_.next_change() : nodes_.next_growth());
  }
  /// Index of `JobPlan::smaller`.
  [[nodiscard]] std::size_t smaller() const {
    return plan_.replicas ? static_cast<std::size_t>(sets_.out()) : nodes_.smaller();
  }

  /// Of a step's worth of tokens, validation with it.
  struct Pace {
    double step_s;  ///< all
    double data_s;  ///< of it waiting for data
  };
  [[nodiscard]] Pace pace_now() const {
    const SmallerJob& size = plan_.smaller[smaller()];
    const double runs = size.step_s * slowdown(smaller());
    const double waits = plan_.data.wait_s(runs, size.share);
    return {(runs + waits) / size.share + plan_.eval_s, waits / size.share};
  }

  /// Counts steps that took `spent` seconds under `slowed` as what they are.
  void count_steps(double gained, double spent, const Pace& pace) {
    const double evaluating = gained * plan_.eval_s;
    const double waiting = gained * pace.data_s;
    const bool at_full_speed =
        pace.step_s == plan_.full_step_s() && pace.data_s == plan_.data.wait_s(plan_.step_s, 1);
    clock_.move(TimeUse::slowed, TimeUse::evaluation, evaluating);
    clock_.move(TimeUse::slowed, TimeUse::data, waiting);
    clock_.move(TimeUse::slowed, TimeUse::training,
                at_full_speed ? spent - evaluating - waiting : gained * plan_.step_s);
  }

  /// Passes over whole cycles of steps and saves in which nothing else happens, all at once. The
  /// last ones before something does are left, so that what can be loaded then is known.
  void pass_cycles(const Pace& pace) {
    const double per_step = pace.step_s;
    const SavePlan& save = plan_.persistent;
    const SavePlan& local = plan_.local;
    const double steps = save.interval;
    if (steps <= 0 || !is_multiple(done_, steps)) return;
    const double locals = local.interval > 0 ? steps / local.interval - 1 : 0;
    const double saving =
        save.stall_s() + save.still_written_s(steps, per_step) +
        locals * (local.stall_s() + local.still_written_s(local.interval, per_step));
    const double slowed = save.slows_s + locals * local.slows_s;
    const double cycle = steps * per_step + saving + slowed;
    const double left = 4 + std::ceil((save.write_s + 2 * save.drain_s) / cycle);
    const double until = std::min(next_change(), clock_.next_arrival()) - clock_.now();
    const double whole = std::min(until / cycle, (plan_.goal_steps - done_) / steps);
    const double cycles = std::floor(whole) - left;
    if (!(cycles > 0)) return;
    clock_.set_data_share(steps * pace.data_s / (slowed + steps * per_step));
    clock_.pass_in_turns(cycles, slowed + steps * per_step, saving);
    count_steps(cycles * steps, cycles * steps * per_step, pace);
    done_ += cycles * steps;
    whole_ = done_;
    saves_ += static_cast<std::int64_t>(cycles * (1 + locals));
  }

  /// Steps until something happens, and what happens then.
  void train() {
    if (act()) return;
    const Pace pace = pace_now();
    const double per_step = pace.step_s;
    pass_cycles(pace);
    const double target = std::min(next_save(), plan_.goal_steps);
    const double whole = (target - done_) * per_step;
    const double until = std::min(whole, next_change() - clock_.now());
    const double begun = clock_.now();
    clock_.set_data_share(pace.data_s / per_step);
    const Passed passed = clock_.pass_until_arrival(until, TimeUse::slowed);
    clock_.set_data_share(0);
    const double spent = clock_.now() - begun;
    const bool there = passed == Passed::whole && until >= whole;
    const double gained = there ? target - done_ : spent / per_step;
    count_steps(gained, spent, pace);
    done_ = there ? target : done_ + gained;
    if (passed == Passed::stopped) {
      if (!clock_.ended()) recover();
    } else if (there && !over()) {
      save();
    }
  }

  /// What is due between steps; false where there is nothing.
  bool act() {
    const double now = clock_.now();
    if (corrupt_ && corrupt_->until_s <= now) {
      const Corruption found = *corrupt_;
      corrupt_.reset();
      saved_.release();
      go_back(found.clean);
      begin_again(*found.kind);
      return true;
    }
    for (std::size_t i = 0; i < slow_.size(); ++i) {
      if (slow_[i].until_s > now) continue;
      const FailureKind& kind = *slow_[i].kind;
      slow_.erase(slow_.begin() + static_cast<std::ptrdiff_t>(i));
      if (kind.nodes > 0) give_up(kind);
      return true;
    }
    if (!announced_.empty()) {
      const FailureKind& kind = *announced_.back();
      announced_.pop_back();
      give_up(kind);
      return true;
    }
    if (plan_.replicas) return join();
    if (nodes_.next_growth() <= now) {
      leave(nullptr);
      return true;
    }
    return false;
  }

  /// The nodes of a failure that does not end the job by itself.
  void give_up(const FailureKind& kind) {
    if (plan_.spares_others(kind)) {
      whole_ = done_;  // between two steps
      drop_out(kind, 0);
    } else {
      leave(&kind);
    }
  }

  /// Replicas come back; false where none does.
  bool join() {
    if (sets_.next_change() > clock_.now()) return false;
    if (sets_.join(clock_) == 0) return true;
    whole_ = done_;
    if (!clock_.pass(plan_.replicas->join_s, TimeUse::groups) && !clock_.ended()) recover();
    return true;
  }

  /// Replicas leave, and the others go on when there are enough of them. What fails meanwhile
  /// leaves too, or ends that.
  void drop_out(const FailureKind& first, double notice_s) {
    const FailureKind* kind = &first;
    while (kind != nullptr) {
      undo_step();
      const int left = sets_.lose(*kind, notice_s, clock_);
      departures_ += left;
      if (sets_.all_out()) {
        go_back(saved_.newest(clock_.now(), FailureReach::unit));
        restart(notice_s);
        return;
      }
      const bool goes_on = (left == 0 || (clock_.pass(notice_s, TimeUse::detection) &&
                                          clock_.pass(plan_.replicas->leave_s, TimeUse::groups))) &&
                           enough();
      if (goes_on || clock_.ended()) return;
      if (!plan_.spares_others(*failed_)) {
        recover();
        return;
      }
      kind = failed_;
      notice_s = plan_.replicas->notice_s;
    }
  }

  /// Waits for replicas; false where a failure or the end of the run cut that short.
  bool enough() {
    while (smaller() >= plan_.smaller.size()) {
      if (!clock_.pass(sets_.next_change() - clock_.now(), TimeUse::waiting)) return false;
      sets_.join(clock_);
    }
    return true;
  }

  /// The step that a failure ended is done again by those that go on.
  void undo_step() {
    if (done_ <= whole_) return;
    const double share = plan_.smaller[smaller()].share;
    const Pace pace = pace_now();
    const double lost = std::fmod(done_ - whole_, share);
    const double longer = std::max(0.0, pace.step_s - pace.data_s - plan_.step_s - plan_.eval_s);
    clock_.move(TimeUse::slowed, TimeUse::lost_work, lost * longer);
    clock_.move(TimeUse::evaluation, TimeUse::lost_work, lost * plan_.eval_s);
    clock_.move(TimeUse::training, TimeUse::lost_work, lost * plan_.step_s);
    done_ -= lost;
    whole_ = done_;
  }

  /// Saves, gives the nodes of `kind` up and starts again.
  void leave(const FailureKind* kind) {
    SavePlan now = plan_.persistent;
    now.async = false;
    if (!clock_.pass(now.stall_s(), TimeUse::saving)) {
      if (!clock_.ended()) recover();
      return;
    }
    keep(now, clock_.now() - now.stall_s());
    if (kind != nullptr) nodes_.lose(*kind, clock_);
    load_s_ = now.load_s;
    restart(0);
  }

  void save() {
    whole_ = done_;
    const bool persistent = is_multiple(done_, plan_.persistent.interval);
    const SavePlan& kind = persistent ? plan_.persistent : plan_.local;
    const double busy = saved_.busy_until(persistent);
    const double begun = std::max(clock_.now(), busy);
    const bool done = clock_.pass(begun - clock_.now() + kind.stall_s(), TimeUse::saving) &&
                      clock_.pass(kind.slows_s, TimeUse::slowed);
    if (done) {
      keep(kind, begun);
      saved_.set_busy(persistent, begun + kind.copy_s + kind.write_s);
    } else if (!clock_.ended()) {
      recover();
    }
  }

  void keep(const SavePlan& kind, double begun) {
    saved_.add(kind, begun, clock_.now(), done_, clock_.used());
    ++saves_;
  }

  /// The job has ended by `failed_`.
  void recover() {
    const FailureKind& kind = *failed_;
    if (plan_.spares_others(kind)) {
      drop_out(kind, plan_.replicas->notice_s);
      return;
    }
    go_back(saved_.newest(clock_.now(), kind.takes));
    begin_again(kind);
  }

  void begin_again(const FailureKind& kind) {
    nodes_.lose(kind, clock_);
    restart(kind.effect == FailureEffect::stops ? kind.detection_s : 0);
  }

  /// Steps since a state was saved are lost.
  void go_back(const SavedState& state) {
    clock_.lose_since(state.used);
    done_ = state.done;
    whole_ = done_;
    load_s_ = state.load_s;
    saved_.forget_after(state, clock_.now());
    if (corrupt_ && state.begun_s <= corrupt_->clean.begun_s) corrupt_->clean = state;
  }

  /// From a failure to the first step. What fails on the way begins it anew.
  void restart(double detection_s) {
    while (!clock_.ended()) {
      ++restarts_;
      const bool there = started(detection_s);
      if (there && plan_.replicas) sets_.start_all();
      if (there || clock_.ended()) return;
      const FailureKind& kind = *failed_;
      if (kind.takes != FailureReach::none) go_back(saved_.newest(clock_.now(), kind.takes));
      nodes_.lose(kind, clock_);
      detection_s = kind.detection_s;
    }
  }

  bool started(double detection_s) {
    const bool manual = restarts_ > 1 && detection_s > 0 && clock_.chance() < plan_.manual_share;
    return clock_.pass(detection_s, TimeUse::detection) &&
           clock_.pass(manual ? clock_.delay(plan_.manual_s) : 0, TimeUse::manual) &&
           nodes_.fill(clock_) && clock_.pass(plan_.scheduler_s, TimeUse::scheduling) &&
           clock_.pass(plan_.launch_s, TimeUse::launch) &&
           clock_.pass(plan_.groups_s, TimeUse::groups) && clock_.pass(load_s_, TimeUse::loading) &&
           clock_.pass(plan_.first_step_s, TimeUse::first_steps);
  }

  const JobPlan& plan_;
  JobClock clock_;
  JobNodes nodes_;
  ReplicaSets sets_;  ///< where the plan has replicas that leave and come back
  SavedStates saved_;
  double done_ = 0;
  double whole_ = 0;  ///< what was done at the end of some step of the job as large as it is
  double load_s_ = 0;
  std::int64_t restarts_ = 0;
  std::int64_t saves_ = 0;
  std::int64_t departures_ = 0;
  const FailureKind* failed_ = nullptr;
  std::vector<const FailureKind*> announced_;
  std::vector<Unnoticed> slow_;
  std::optional<Corruption> corrupt_;
};

}  // namespace

double JobRun::effective_time() const {
  double interrupted = 0;
  for (const TimeUse use : {TimeUse::lost_work, TimeUse::detection, TimeUse::manual,
                            TimeUse::waiting, TimeUse::scheduling, TimeUse::launch, TimeUse::groups,
                            TimeUse::loading, TimeUse::first_steps})
    interrupted += used[use];
  return 1 - interrupted / elapsed_s;
}

JobRun simulate_job(const JobPlan& plan, std::uint32_t run, UseTrace* trace) {
  return Run(plan, run, trace).all();
}

}  // namespace simtrain
