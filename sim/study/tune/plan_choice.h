#pragma once

#include <string>
#include <vector>

#include "sim/run/scenario/scenario.h"

namespace simtrain {

/// What a search may change in a recipe. DP follows from the others and the number of GPUs. Models
/// without experts have no ep and etp: 0. The schedule and how tokens find their experts are
/// searched where a limit names some: otherwise they are 0, the scenario's own.
enum class Knob { tp, pp, vp, cp, dp, ep, etp, mbs, recompute, account, schedule, dispatch };

template <>
struct EnumNames<Knob> {
  static constexpr std::array rows{std::pair{std::string_view("tp"), Knob::tp},
                                   std::pair{std::string_view("pp"), Knob::pp},
                                   std::pair{std::string_view("vp"), Knob::vp},
                                   std::pair{std::string_view("cp"), Knob::cp},
                                   std::pair{std::string_view("dp"), Knob::dp},
                                   std::pair{std::string_view("ep"), Knob::ep},
                                   std::pair{std::string_view("etp"), Knob::etp},
                                   std::pair{std::string_view("mbs"), Knob::mbs},
                                   std::pair{std::string_view("recompute"), Knob::recompute},
                                   std::pair{std::string_view("account"), Knob::account},
                                   std::pair{std::string_view("schedule"), Knob::schedule},
                                   std::pair{std::string_view("dispatch"), Knob::dispatch}};
};
inline constexpr std::size_t kKnobs = EnumNames<Knob>::rows.size();

/// How layers are dealt over stages and chunks: evenly, where beside the layers nothing, the
/// embedding, the loss or both count as one (Megatron's account_for_embedding_in_pipeline_split and
/// account_for_loss_in_pipeline_split); or by a pipeline_model_parallel_layout, that of the
/// scenario where it has as many chunks, else an even one (even_layout).
enum class SplitAccount { none, embedding, loss, both, layout };

template <>
struct EnumNames<SplitAccount> {
  static constexpr std::array rows{
      std::pair{std::string_view("none"), SplitAccount::none},
      std::pair{std::string_view("embedding"), SplitAccount::embedding},
      std::pair{std::string_view("loss"), SplitAccount::loss},
      std::pair{std::string_view("both"), SplitAccount::both},
      std::pair{std::string_view("layout"), SplitAccount::layout}};
};

/// What brings tokens to their experts: a dispatcher of Megatron's, flex by its library.
enum class Dispatch { allgather, alltoall, deepep, hybridep };

template <>
struct EnumNames<Dispatch> {
  static constexpr std::array rows{std::pair{std::string_view("allgather"), Dispatch::allgather},
                                   std::pair{std::string_view("alltoall"), Dispatch::alltoall},
                                   std::pair{std::string_view("deepep"), Dispatch::deepep},
                                   std::pair{std::string_view("hybridep"), Dispatch::hybridep}};
};

/// One way to lay a recipe out on some GPUs: a number for each knob. `recompute` and `account`
/// hold the number of their enumeration's value, `schedule` and `dispatch` one more.
struct PlanChoice {
  int gpus = 0;
  std::array<int, kKnobs> values{};

  [[nodiscard]] int operator[](Knob knob) const { return values[static_cast<std::size_t>(knob)]; }
  int& operator[](Knob knob) { return values[static_cast<std::size_t>(knob)]; }
  /// Whether the model has what a knob is of, and whether the schedule is searched.
  [[nodiscard]] bool has(Knob knob) const {
    return (knob != Knob::ep && knob != Knob::etp && knob != Knob::schedule &&
            knob != Knob::dispatch) ||
           (*this)[knob] > 0;
  }
  [[nodiscard]] PipelineSchedule schedule() const {
    return static_cast<PipelineSchedule>((*this)[Knob::schedule] - 1);
  }
  [[nodiscard]] Dispatch dispatch() const {
    return static_cast<Dispatch>((*this)[Knob::dispatch] - 1);
  }
  void set(Dispatch dispatch) { (*this)[Knob::dispatch] = static_cast<int>(dispatch) + 1; }
  void set(PipelineSchedule schedule) { (*this)[Knob::schedule] = static_cast<int>(schedule) + 1; }
  friend bool operator==(const PlanChoice&, const PlanChoice&) = default;
};

/// `scenario` with the choice in its recipe. Its GPUs must be those of the choice. Where TP is 1 or
/// leaves an NVLink domain, tp_comm_overlap is off: it has nothing to overlap, or does not reach so
/// far. Where tokens find their experts by other
/// means than the scenario's, these take their own number of SMs.
void apply(const PlanChoice& choice, const ClusterSpec& cluster, Recipe& recipe);
void apply(const PlanChoice& choice, Scenario& scenario);

/// The same as keys of a scenario file, the number of nodes among them.
std::vector<Setting> settings_of(const PlanChoice& choice, const Scenario& scenario);

/// Whether the values of a knob are names, not numbers.
bool is_named(Knob knob);

/// A knob's value as it is written: "8", "selective", "both".
std::string value_text(Knob knob, int value);

/// "TP 8, PP 8, VP 8, CP 2, DP 4, micro-batch 1, recompute none, account both"; of experts also
/// "EP 8, ETP 1", of a schedule or dispatcher that is searched "schedule zb_h1", "dispatch deepep".
std::string text_of(const PlanChoice& choice);

}  // namespace simtrain
