#include <array>

#include "sim/output/schema/documents/document_members.h"
#include "sim/output/schema/documents/member_schema.h"
#include "sim/output/schema/files/scenario_schema.h"
#include "sim/output/sweep/sweep_table.h"

namespace simtrain {
namespace {

using Json = nlohmann::ordered_json;

constexpr auto kSweepMembers = std::to_array<SchemaMember>({
    {"schema", "id", "simtrain.sweep/1"},
    {"scenario", "string", "file and row, and what is set in it"},
    {"question", "string", "fingerprint of what the sweep asks"},
    {"candidates", "integer", "of the grid"},
    {"complete", "boolean", "every candidate has a row"},
    {"columns", "object", "unit and meaning of each"},
    {"rows", "array", "in the order of the grid, no figure: null"},
});

constexpr auto kColumnMembers = std::to_array<SchemaMember>({
    {"unit", "string", "empty: a count, a name or a share"},
    {"meaning", "string", "of the column"},
});

/// An object with all columns that every sweep has, and the keys that this one varies.
Json columns_schema(Json (*cell)(const SweepColumn& column), Json varied) {
  Json names = Json::array();
  Json schema = object_schema();
  for (const SweepColumn& column : common_sweep_columns()) {
    names.push_back(column.name);
    schema["required"].push_back(column.name);
    schema["properties"][column.name] = cell(column);
  }
  schema["propertyNames"] = {{"anyOf", {{{"enum", std::move(names)}}, varied_key_schema()}}};
  schema["additionalProperties"] = std::move(varied);
  return schema;
}

Json described_column(const SweepColumn& /*column*/) { return schema_of({{kColumnMembers}}); }

Json cell_schema(const SweepColumn& column) {
  const char* type = column.kind == SweepCellKind::text    ? "string"
                     : column.kind == SweepCellKind::whole ? "integer"
                                                           : "number";
  return {{"type", {type, "null"}}, {"description", column.meaning}};
}

constexpr auto kTuneHeadMembers = std::to_array<SchemaMember>({
    {"schema", "id", "simtrain.tune/1"},
    {"scenario", "string", "title"},
    {"by", "string", "what is best: step_time, mfu or cost"},
    {"memory_margin", "number", "share of a GPU's memory that is left free"},
    {"allow_tight", "boolean", "tight plans rank as the others"},
    {"tokens", "number", "of the training run whose days are given"},
});

constexpr auto kSearchMembers = std::to_array<SchemaMember>({
    {"usd_per_gpu_hour?", "number", "price"},
    {"simulated", "integer", "plans"},
});

constexpr auto kTunedPlanMembers = std::to_array<SchemaMember>({
    {"plan", "plan", "GPUs and knobs"},
    {"step_time_s", "number", "seconds of a step, mean"},
    {"tokens_per_s", "number", "tokens per second, of the job"},
    {"mfu", "number", "model FLOPs over the peak, from 0 to 1"},
    {"memory_bytes", "number", "of the fullest GPU"},
    {"spare_bytes", "number", "that this leaves, without the margin"},
    {"fits", "boolean", "every stage has room"},
    {"tight", "boolean", "it fits, but not with the usual fragmentation"},
    {"days", "number", "of the training run"},
    {"gpu_hours", "number", "of the training run"},
    {"cost_usd?", "number", "dollars of the training run, where a price is given"},
    {"breakdown_s", "breakdown", "seconds of the critical path by share"},
});

constexpr auto kTightAheadMembers = std::to_array<SchemaMember>({
    {"tight_ahead.plans", "integer", "tight plans that would be before the best"},
});

constexpr auto kSkippedMembers = std::to_array<SchemaMember>({
    {"reason", "string", "why plans could not be simulated"},
    {"plans", "integer", "of this reason"},
    {"example", "plan", "one of them"},
});

constexpr auto kChangedKnobMembers = std::to_array<SchemaMember>({
    {"plan", "plan", "GPUs and knobs"},
    {"step_time_s?", "number", "seconds of a step, mean"},
    {"tokens_per_s?", "number", "tokens per second, of the job"},
    {"mfu?", "number", "model FLOPs over the peak, from 0 to 1"},
    {"memory_bytes?", "number", "of the fullest GPU"},
    {"spare_bytes?", "number", "that this leaves, without the margin"},
    {"fits?", "boolean", "every stage has room"},
    {"tight?", "boolean", "it fits, but not with the usual fragmentation"},
    {"days?", "number", "of the training run"},
    {"gpu_hours?", "number", "of the training run"},
    {"cost_usd?", "number", "dollars of the training run, where a price is given"},
    {"breakdown_s?", "breakdown", "seconds of the critical path by share"},
    {"skipped?", "string", "why it could not be simulated"},
    {"knob", "string", "that one step of the best plan changes"},
});

constexpr auto kSpaceMembers = std::to_array<SchemaMember>({
    {"considered", "integer", "plans of one number of GPUs"},
    {"legal", "integer", "of them"},
    {"fitting", "integer", "of the legal ones"},
    {"tight", "integer", "of the fitting ones"},
    {"capacity_bytes", "number", "memory of a GPU"},
    {"illegal[].key", "string", "of the scenario, which plans are refused at"},
    {"illegal[].plans", "integer", "refused there"},
    {"illegal[].example", "string", "why one of them is"},
    {"smallest?.plan", "plan", "that needs least memory"},
    {"smallest?.memory_bytes", "number", "that it needs"},
});

constexpr auto kGivenMembers = std::to_array<SchemaMember>({
    {"given?.gpus", "integer", "of the plan that the scenario has"},
    {"given?.layout", "string", "TP, PP, ... of it"},
    {"given?.step_time_s", "number", "seconds"},
    {"given?.mfu", "number", "from 0 to 1"},
    {"given?.fits", "boolean", "every stage has room"},
    {"given?.tight", "boolean", "as of the best"},
    {"given_illegal?", "string", "why the scenario's own plan is refused"},
});

constexpr auto kFrontHeadMembers = std::to_array<SchemaMember>({
    {"schema", "id", "simtrain.tune-front/1"},
    {"scenario", "string", "title"},
    {"objectives", "texts", "of which each plan of the front has less than others"},
    {"memory_margin", "number", "share of a GPU's memory that is left free"},
    {"allow_tight", "boolean", "tight plans count as the others"},
});

constexpr auto kFrontPlanMembers = std::to_array<SchemaMember>({
    {"plan", "plan", "GPUs and knobs"},
    {"step_time_s", "number", "seconds of a step, mean"},
    {"tokens_per_s", "number", "tokens per second, of the job"},
    {"mfu", "number", "from 0 to 1"},
    {"memory_bytes", "number", "of the fullest GPU"},
    {"spare_bytes", "number", "that this leaves, without the margin"},
    {"tight", "boolean", "it fits, but not with the usual fragmentation"},
    {"joules_per_token", "number", "site included"},
    {"usd_per_1t_tokens?", "number", "by GPU hours, where a price is given"},
});

constexpr auto kScaleHeadMembers = std::to_array<SchemaMember>({
    {"schema", "id", "simtrain.scale/1"},
    {"scenario", "string", "title"},
    {"mode", "string", "weak: the batch grows with the GPUs; strong: it stays"},
    {"tokens", "number", "of the training run whose days are given"},
});

constexpr auto kScaleMembers = std::to_array<SchemaMember>({
    {"usd_per_gpu_hour?", "number", "price"},
    {"sizes[].gpus", "integer", "of the job"},
    {"sizes[].illegal?", "string", "why the plan is refused there"},
    {"sizes[].global_batch_size?", "integer", "samples"},
    {"sizes[].step_time_s?", "number", "seconds of a step, mean"},
    {"sizes[].tokens_per_s?", "number", "of the job"},
    {"sizes[].tflops_per_gpu?", "number", "TFLOP/s of model FLOPs"},
    {"sizes[].mfu?", "number", "from 0 to 1"},
    {"sizes[].efficiency?", "number", "throughput of a GPU over that of the first legal size"},
    {"sizes[].fits?", "boolean", "every stage has room"},
    {"sizes[].days?", "number", "of the training run"},
    {"sizes[].gpu_hours?", "number", "of the training run"},
    {"sizes[].cost_usd?", "number", "of the training run, where a price is given"},
    {"sizes[].joules_per_token?", "number", "site included"},
    {"sizes[].usd_per_1t_tokens?", "number", "as far as the scenario gives prices"},
    {"sizes[].breakdown_s?", "breakdown", "seconds of the critical path by share"},
});

constexpr auto kDifferenceMembers = std::to_array<SchemaMember>({
    {"schema", "id", "simtrain.difference/1"},
    {"change_s", "number", "seconds that this run's step takes more"},
    {"same_tokens_per_step", "boolean", "of both, so that their times compare"},
    {"parts[].share", "string", "of the breakdown"},
    {"parts[].against_s", "number", "seconds of the other run"},
    {"parts[].run_s", "number", "seconds of this run"},
    {"parts[].change_s", "number", "seconds; they sum to that of the step"},
    {"keys[].key", "string", "dotted, that differs"},
    {"keys[].against", "string", "of the other run; empty: not set"},
    {"keys[].run", "string", "of this run"},
    {"run", "result", "simtrain.result/1 of this run"},
    {"against", "result", "simtrain.result/1 of the other run"},
});

}  // namespace

Json sweep_schema() {
  Json schema = schema_of({{kSweepMembers}});
  Json& properties = schema["properties"];
  properties["columns"].update(columns_schema(described_column, schema_of({{kColumnMembers}})));
  properties["rows"]["items"] =
      columns_schema(cell_schema, {{"type", {"string", "number", "null"}}});
  return schema;
}

Json tune_schema() {
  return schema_of({{kTuneHeadMembers},
                    {changes_members()},
                    {kSearchMembers},
                    {kTunedPlanMembers, "best[]"},
                    {kTightAheadMembers},
                    {kTunedPlanMembers, "tight_ahead.best?"},
                    {kSkippedMembers, "skipped[]"},
                    {kChangedKnobMembers, "sensitivity[]"},
                    {kSpaceMembers, "spaces[]"},
                    {kGivenMembers}});
}

Json tune_front_schema() {
  return schema_of({{kFrontHeadMembers},
                    {changes_members()},
                    {kSearchMembers},
                    {kFrontPlanMembers, "front[]"},
                    {kFrontPlanMembers, "dominated[]"},
                    {kSkippedMembers, "skipped[]"},
                    {kSpaceMembers, "spaces[]"}});
}

Json scale_schema() {
  return schema_of({{kScaleHeadMembers}, {changes_members()}, {kScaleMembers}});
}

Json difference_schema() { return schema_of({{kDifferenceMembers}}); }

}  // namespace simtrain
