#pragma once

#include <string>
#include <vector>

#include "sim/run/scenario/scenario.h"

namespace simtrain {

/// What a search may change in a recipe. DP follows from the others and the number of GPUs. Models
/// without experts have no ep and etp: 0. The schedule is searched where a limit names some:
/// otherwise it is 0, the scenario's own.
enum class Knob { tp, pp, vp, cp, dp, ep, etp, mbs, recompute, account, schedule };

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
                                   std::pair{std::string_view("schedule"), Knob::schedule}};
};
inline constexpr std::size_t kKnobs = EnumNames<Knob>::rows.size();

/// What counts as one layer beside the layers in the pipeline split: Megatron's
/// account_for_embedding_in_pipeline_split and account_for_loss_in_pipeline_split.
enum class SplitAccount { none, embedding, loss, both };

template <>
struct EnumNames<SplitAccount> {
  static constexpr std::array rows{
      std::pair{std::string_view("none"), SplitAccount::none},
      std::pair{std::string_view("embedding"), SplitAccount::embedding},
      std::pair{std::string_view("loss"), SplitAccount::loss},
      std::pair{std::string_view("both"), SplitAccount::both}};
};

/// One way to lay a recipe out on some GPUs: a number for each knob. `recompute` and `account`
/// hold the number of their enumeration's value, `schedule` one more.
struct PlanChoice {
  int gpus = 0;
  std::array<int, kKnobs> values{};

  [[nodiscard]] int operator[](Knob knob) const { return values[static_cast<std::size_t>(knob)]; }
  int& operator[](Knob knob) { return values[static_cast<std::size_t>(knob)]; }
  /// Whether the model has what a knob is of, and whether the schedule is searched.
  [[nodiscard]] bool has(Knob knob) const {
    return (knob != Knob::ep && knob != Knob::etp && knob != Knob::schedule) || (*this)[knob] > 0;
  }
  [[nodiscard]] PipelineSchedule schedule() const {
    return static_cast<PipelineSchedule>((*this)[Knob::schedule] - 1);
  }
  void set(PipelineSchedule schedule) { (*this)[Knob::schedule] = static_cast<int>(schedule) + 1; }
  friend bool operator==(const PlanChoice&, const PlanChoice&) = default;
};

/// `scenario` with the choice in its recipe. Its GPUs must be those of the choice. Where TP is 1,
/// tp_comm_overlap is off, as it has nothing to overlap.
void apply(const PlanChoice& choice, Scenario& scenario);

/// The same as keys of a scenario file, the number of nodes among them.
std::vector<Setting> settings_of(const PlanChoice& choice, const Scenario& scenario);

/// A knob's value as it is written: "8", "selective", "both".
std::string value_text(Knob knob, int value);

/// "TP 8, PP 8, VP 8, CP 2, DP 4, micro-batch 1, recompute none, account both"; of experts also
/// "EP 8, ETP 1", of a schedule that is searched "schedule zb_h1".
std::string text_of(const PlanChoice& choice);

}  // namespace simtrain
