#include "sim/study/tune/plan_space.h"

#include <algorithm>
#include <set>

#include <doctest/doctest.h>

#include "sim/run/simulate.h"
#include "tests/study/plan_search.h"

namespace simtrain::testing::plan_space_test {

namespace {

using Values = std::array<int, kKnobs>;

/// Every plan of a grid of values that the scenario reader takes, by asking it.
std::set<Values> read_plans(const std::string& file, const std::string& row,
                            const std::vector<std::string>& settings) {
  const ScenarioSource source = scenario_file(file);
  const Scenario base = draft(file, row, settings);
  std::set<Values> found;
  PlanChoice choice = choice_of(base);
  const auto read = [&] {
    std::vector<Setting> all = parsed(settings);
    for (Setting& setting : settings_of(choice, base)) all.push_back(std::move(setting));
    try {
      const Scenario scenario = source.scenario(data_folder(), row, all);
      found.insert(choice_of(scenario).values);
    } catch (const InputError&) {
      return;
    }
  };
  const auto judge = [&] {
    if (!base.recipe.model.has_experts()) return read();
    for (const int ep : {1, 2, 4, 8}) {
      choice[Knob::ep] = ep;
      for (const int etp : {1, 2}) {
        choice[Knob::etp] = etp;
        if (etp == 1 || etp == choice[Knob::tp]) read();
      }
    }
  };
  for (const int tp : {1, 2, 3, 8}) {
    choice[Knob::tp] = tp;
    for (const int pp : {1, 2, 3, 6}) {
      choice[Knob::pp] = pp;
      for (const int vp : {1, 2, 3}) {
        choice[Knob::vp] = vp;
        for (const int cp : {1, 2, 3}) {
          choice[Knob::cp] = cp;
          for (const int mbs : {1, 2}) {
            choice[Knob::mbs] = mbs;
            for (const SplitAccount account :
                 {SplitAccount::none, SplitAccount::loss, SplitAccount::both}) {
              choice[Knob::account] = static_cast<int>(account);
              judge();
            }
          }
        }
      }
    }
  }
  return found;
}

/// How a plan deals the layers, in place of the account that makes it so.
Values dealt(const Scenario& base, Values values) {
  const int pp = values[static_cast<std::size_t>(Knob::pp)];
  const int chunks = pp * values[static_cast<std::size_t>(Knob::vp)];
  int& account = values[static_cast<std::size_t>(Knob::account)];
  const auto counted = [&](SplitAccount which) {
    return base.recipe.model.num_layers + (which == SplitAccount::none ? 0 : 1) +
           (which == SplitAccount::both ? 1 : 0);
  };
  const bool alike =
      chunks == 1 || (chunks == 2 && account == static_cast<int>(SplitAccount::both) &&
                      counted(SplitAccount::none) % 2 == 0);
  if (alike) account = static_cast<int>(SplitAccount::none);
  return values;
}

}  // namespace

TEST_CASE("the space holds every plan that the reader takes and no other") {
  struct Case {
    const char* file;
    const char* row;
    std::vector<std::string> settings;
  };
  for (const auto& [file, row, settings] :
       {Case{"llama31_8b_h100", "bf16-8", {"nodes=3", "gbs=12"}},
        Case{"llama31_405b_h100", "fp8-32", {"nodes=3", "gbs=24", "model_overrides.num_layers=10"}},
        Case{"mixtral_8x7b_h200",
             "bf16-256",
             {"nodes=3", "gbs=24", "parallelism.sequence_parallel=true",
              "parallelism.expert_tensor_parallel_size=1"}}}) {
    const auto& shown = file;
    CAPTURE(shown);
    const Scenario base = draft(file, row, settings);
    std::set<Values> expected;
    for (const Values& values : read_plans(file, row, settings))
      expected.insert(dealt(base, values));
    const PlanSpace space = plan_space(
        base,
        limits({"tp=1,2,3,8", "pp=1,2,3,6", "vp=1:3", "cp=1:3", "mbs=1,2", "account=none,loss,both",
                "etp=1,2",
                std::string("recompute=") + std::string(name_of(base.recipe.recompute))}),
        0);
    std::set<Values> found;
    for (const LegalPlan& plan : space.legal) {
      CHECK(plan.choice.gpus == base.gpus());
      CHECK(found.insert(dealt(base, plan.choice.values)).second);
    }
    CHECK(found == expected);
    CHECK(!expected.empty());
    std::int64_t refused = 0;
    for (const auto& [key, refusal] : space.refused) {
      CHECK(key.find('.') != std::string::npos);
      CHECK(!refusal.example.empty());
      refused += refusal.count;
    }
    CHECK(space.considered == refused + static_cast<std::int64_t>(space.legal.size()));
  }
}

TEST_CASE("a plan fits where the report of its simulation does, less the margin") {
  const Scenario base = draft("llama31_8b_h100", "bf16-8", {"gbs=16"});
  const PlanSpace space = plan_space(base, limits({"cp=1,2", "mbs=1,2", "vp=1"}), 0);
  const PlanSpace narrow = plan_space(base, limits({"cp=1,2", "mbs=1,2", "vp=1"}), 0.5);
  REQUIRE(space.legal.size() == narrow.legal.size());
  CHECK(space.fitting() > narrow.fitting());
  CHECK(narrow.fitting() > 0);
  for (std::size_t i = 0; i < space.legal.size(); ++i) {
    Scenario scenario = base;
    apply(space.legal[i].choice, scenario);
    const Report report = simulate(scenario);
    CHECK(report.fits() == space.legal[i].fits);
    CHECK(narrow.legal[i].fits == (space.legal[i].memory_bytes <= 0.5 * space.capacity_bytes));
    CHECK(choice_of(scenario) == space.legal[i].choice);
  }
  REQUIRE(space.smallest() != nullptr);
  for (const LegalPlan& plan : space.legal)
    CHECK(plan.memory_bytes >= space.smallest()->memory_bytes);
}

TEST_CASE("a table that both ends share is held as often as the plan's schedule holds it") {
  for (const std::string shared :
       {"share_embeddings_and_output_weights=true", "mtp_num_layers=1"}) {
    CAPTURE(shared);
    const Scenario base =
        draft("llama31_8b_h100", "bf16-8",
              {"gbs=16", "pp=2", "overlap.overlap_p2p_comm=true",
               "parallelism.pipeline_schedule=dualpipe", "model_overrides." + shared});
    const PlanSpace space =
        plan_space(base, limits({"schedule=1f1b,dualpipe", "pp=2", "vp=1", "mbs=1", "cp=1"}), 0);
    std::set<int> schedules;
    for (const LegalPlan& plan : space.legal) {
      Scenario scenario = base;
      apply(plan.choice, scenario);
      CHECK(plan.memory_bytes == simulate(scenario).fullest_stage().total());
      schedules.insert(plan.choice[Knob::schedule]);
    }
    CHECK(schedules.size() == 2);
  }
}

TEST_CASE("a plan becomes keys of a scenario that reads as the plan") {
  const std::string file = "llama405b_a4_224";
  const Scenario base = draft(file, "");
  PlanSpace space = plan_space(base, limits({"mbs=1,2", "cp=1:4"}), 0);
  REQUIRE(space.legal.size() > 200);
  for (std::size_t i = 0; i < space.legal.size(); i += 37) {
    const PlanChoice& choice = space.legal[i].choice;
    CAPTURE(text_of(choice));
    const Scenario read =
        scenario_file(file).scenario(data_folder(), "", settings_of(choice, base));
    CHECK(choice_of(read) == choice);
    const int tp = choice[Knob::tp];
    CHECK(read.recipe.overlap.tp_comm_overlap == (tp > 1 && tp <= base.cluster.node.gpus));
  }
}

}  // namespace simtrain::testing::plan_space_test
