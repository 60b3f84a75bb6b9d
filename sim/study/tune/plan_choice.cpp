#include "sim/study/tune/plan_choice.h"

#include <fmt/format.h>

#include "sim/run/scenario/checks/checks.h"
#include "sim/study/tune/even_layout.h"

namespace simtrain {
namespace {

bool counts_embedding(int account) {
  const auto value = static_cast<SplitAccount>(account);
  return value == SplitAccount::embedding || value == SplitAccount::both;
}

bool counts_loss(int account) {
  const auto value = static_cast<SplitAccount>(account);
  return value == SplitAccount::loss || value == SplitAccount::both;
}

TokenDispatcher dispatcher_of(Dispatch dispatch) {
  if (dispatch == Dispatch::allgather) return TokenDispatcher::allgather;
  return dispatch == Dispatch::alltoall ? TokenDispatcher::alltoall : TokenDispatcher::flex;
}

ExchangeLibrary library_of(Dispatch dispatch) {
  return dispatch == Dispatch::hybridep ? ExchangeLibrary::hybridep : ExchangeLibrary::deepep;
}

bool is_by(Dispatch dispatch, const MoeSpec& moe) {
  return moe.moe_token_dispatcher_type == dispatcher_of(dispatch) &&
         (moe.moe_token_dispatcher_type != TokenDispatcher::flex ||
          moe.moe_flex_dispatcher_backend == library_of(dispatch));
}

/// Where layers are dealt by a layout, the scenario's own if it has as many chunks.
std::optional<std::string> layout_of(const PlanChoice& choice, const Recipe& recipe) {
  if (static_cast<SplitAccount>(choice[Knob::account]) != SplitAccount::layout) return std::nullopt;
  const std::optional<std::string>& own = recipe.parallelism.pipeline_model_parallel_layout;
  if (own && recipe.pp() == choice[Knob::pp] && recipe.vp() == choice[Knob::vp]) return own;
  return even_layout(recipe.model, choice[Knob::pp] * choice[Knob::vp]);
}

bool overlaps_tensor(const PlanChoice& choice, const ClusterSpec& cluster, const Recipe& recipe) {
  const int tp = choice[Knob::tp];
  return recipe.overlap.tp_comm_overlap && tp > 1 && tp <= most_overlapping(cluster.node);
}

Setting setting(const std::string& key, const std::string& value) {
  YamlNode node;
  node.kind = YamlNode::Kind::scalar;
  node.text = value;
  return {key, {}, std::move(node)};
}

}  // namespace

void apply(const PlanChoice& choice, Scenario& scenario) {
  apply(choice, scenario.cluster, scenario.recipe);
}

void apply(const PlanChoice& choice, const ClusterSpec& cluster, Recipe& recipe) {
  ParallelismSpec& parallelism = recipe.parallelism;
  recipe.overlap.tp_comm_overlap = overlaps_tensor(choice, cluster, recipe);
  parallelism.pipeline_model_parallel_layout = layout_of(choice, recipe);
  parallelism.tensor_model_parallel_size = choice[Knob::tp];
  parallelism.pipeline_model_parallel_size = choice[Knob::pp];
  parallelism.virtual_pipeline_model_parallel_size = choice[Knob::vp];
  parallelism.context_parallel_size = choice[Knob::cp];
  if (choice.has(Knob::ep)) {
    parallelism.expert_model_parallel_size = choice[Knob::ep];
    parallelism.expert_tensor_parallel_size = choice[Knob::etp];
  }
  parallelism.account_for_embedding_in_pipeline_split = counts_embedding(choice[Knob::account]);
  parallelism.account_for_loss_in_pipeline_split = counts_loss(choice[Knob::account]);
  if (choice.has(Knob::schedule)) parallelism.pipeline_schedule = choice.schedule();
  if (choice.has(Knob::dispatch) && !is_by(choice.dispatch(), recipe.moe)) {
    recipe.moe.moe_token_dispatcher_type = dispatcher_of(choice.dispatch());
    recipe.moe.moe_flex_dispatcher_backend = library_of(choice.dispatch());
    recipe.moe.moe_flex_dispatcher_num_sms.reset();
  }
  recipe.training.micro_batch_size = choice[Knob::mbs];
  recipe.recompute = static_cast<Recompute>(choice[Knob::recompute]);
}

std::vector<Setting> settings_of(const PlanChoice& choice, const Scenario& scenario) {
  const auto number = [](int value) { return fmt::format("{}", value); };
  const auto truth = [](bool value) { return std::string(value ? "true" : "false"); };
  const int account = choice[Knob::account];
  std::vector<Setting> settings{
      setting("cluster.nodes", number(scenario.placement.nodes)),
      setting("training.micro_batch_size", number(choice[Knob::mbs])),
      setting("parallelism.tensor_model_parallel_size", number(choice[Knob::tp])),
      setting("parallelism.pipeline_model_parallel_size", number(choice[Knob::pp])),
      setting("parallelism.virtual_pipeline_model_parallel_size", number(choice[Knob::vp])),
      setting("parallelism.context_parallel_size", number(choice[Knob::cp])),
      setting("parallelism.account_for_embedding_in_pipeline_split",
              truth(counts_embedding(account))),
      setting("parallelism.account_for_loss_in_pipeline_split", truth(counts_loss(account))),
      setting("overlap.tp_comm_overlap",
              truth(overlaps_tensor(choice, scenario.cluster, scenario.recipe))),
      setting("recompute", value_text(Knob::recompute, choice[Knob::recompute]))};
  if (choice.has(Knob::ep)) {
    settings.push_back(setting("parallelism.expert_model_parallel_size", number(choice[Knob::ep])));
    settings.push_back(
        setting("parallelism.expert_tensor_parallel_size", number(choice[Knob::etp])));
  }
  if (const auto layout = layout_of(choice, scenario.recipe))
    settings.push_back(setting("parallelism.pipeline_model_parallel_layout", *layout));
  if (choice.has(Knob::dispatch)) {
    settings.push_back(setting("moe.moe_token_dispatcher_type",
                               std::string(name_of(dispatcher_of(choice.dispatch())))));
    settings.push_back(setting("moe.moe_flex_dispatcher_backend",
                               std::string(name_of(library_of(choice.dispatch())))));
  }
  if (choice.has(Knob::schedule))
    settings.push_back(setting("parallelism.pipeline_schedule",
                               value_text(Knob::schedule, choice[Knob::schedule])));
  return settings;
}

bool is_named(Knob knob) {
  return knob == Knob::recompute || knob == Knob::account || knob == Knob::schedule ||
         knob == Knob::dispatch;
}

std::string value_text(Knob knob, int value) {
  if (knob == Knob::recompute) return std::string(name_of(static_cast<Recompute>(value)));
  if (knob == Knob::account) return std::string(name_of(static_cast<SplitAccount>(value)));
  if (knob == Knob::schedule) return std::string(name_of(static_cast<PipelineSchedule>(value - 1)));
  if (knob == Knob::dispatch) return std::string(name_of(static_cast<Dispatch>(value - 1)));
  return fmt::format("{}", value);
}

std::string text_of(const PlanChoice& choice) {
  const std::string experts =
      choice.has(Knob::ep) ? fmt::format(", EP {}, ETP {}", choice[Knob::ep], choice[Knob::etp])
                           : "";
  const std::string schedule =
      choice.has(Knob::schedule)
          ? ", schedule " + value_text(Knob::schedule, choice[Knob::schedule])
          : "";
  const std::string dispatch =
      choice.has(Knob::dispatch)
          ? ", dispatch " + value_text(Knob::dispatch, choice[Knob::dispatch])
          : "";
  return fmt::format(
      "TP {}, PP {}, VP {}, CP {}, DP {}{}, micro-batch {}, recompute {}, account {}{}{}",
      choice[Knob::tp], choice[Knob::pp], choice[Knob::vp], choice[Knob::cp], choice[Knob::dp],
      experts, choice[Knob::mbs], value_text(Knob::recompute, choice[Knob::recompute]),
      value_text(Knob::account, choice[Knob::account]), schedule, dispatch);
}

}  // namespace simtrain
