#include <array>

#include "sim/output/schema/documents/document_members.h"
#include "sim/output/schema/documents/member_schema.h"

namespace simtrain {
namespace {

using Json = nlohmann::ordered_json;

constexpr auto kMetricsMembers = std::to_array<SchemaMember>({
    {"schema", "id", "simtrain.metrics/1"},
    {"runs[].name", "string", "of the log"},
    {"runs[].path", "string", "of the log"},
    {"runs[].format", "string?", "of simtrain list log-formats"},
    {"runs[].status", "string", "Success, Partial, NaN or No steps"},
    {"runs[].why", "string", "where it is no success"},
    {"runs[].window.first", "integer?", "step that counts"},
    {"runs[].window.last", "integer?", "step that counts; null: to the end"},
    {"runs[].window.newest", "integer?", "steps that count, from the end"},
    {"runs[].window.deviation", "string", "sample or population"},
    {"runs[].window.last_step_instead", "boolean", "the log ends before the window"},
    {"runs[].window.tool", "string?", "whose window it is"},
    {"runs[].window.in_place_of~.first", "integer", "step of the usual window"},
    {"runs[].window.in_place_of~.last", "integer", "step of the usual window"},
    {"runs[].window.in_place_of~.steps_held", "integer", "of it, by the log"},
    {"runs[].window.in_place_of~.warm_up_steps", "integer", "that were left out"},
    {"runs[].window.text", "string", "for people"},
    {"runs[].step_time_s~.mean", "number", "seconds"},
    {"runs[].step_time_s~.std", "number?", "seconds, from step to step"},
    {"runs[].step_time_s~.min", "number", "seconds, smallest"},
    {"runs[].step_time_s~.max", "number", "seconds, largest"},
    {"runs[].logged_tflops_per_gpu~.mean", "number", "TFLOP/s as logged"},
    {"runs[].logged_tflops_per_gpu~.std", "number?", "TFLOP/s as logged, from step to step"},
    {"runs[].logged_tflops_per_gpu~.min", "number", "TFLOP/s as logged, smallest"},
    {"runs[].logged_tflops_per_gpu~.max", "number", "TFLOP/s as logged, largest"},
    {"runs[].tokens_per_s", "number?", "tokens per second"},
    {"runs[].tokens_per_s_per_gpu", "number?", "tokens per second"},
    {"runs[].tflops_per_gpu", "number?", "TFLOP/s of model FLOPs"},
    {"runs[].mfu", "number?", "from 0 to 1"},
    {"runs[].mfu_convention", "string", "how model FLOPs are counted; logged: as the log does"},
    {"runs[].days_per_1t_tokens", "number?", "days"},
    {"runs[].model_flops_per_sample", "number?", "FLOPs"},
    {"runs[].peak_tflops_per_gpu", "number?", "TFLOP/s"},
    {"runs[].peak_memory_bytes", "number?", "that the log names"},
    {"runs[].inputs.gpus?.value", "number", "of the run"},
    {"runs[].inputs.gpus?.source", "string", "where it is from"},
    {"runs[].inputs.global_batch_size?.value", "number", "samples"},
    {"runs[].inputs.global_batch_size?.source", "string", "where it is from"},
    {"runs[].inputs.seq_length?.value", "number", "tokens of a sample"},
    {"runs[].inputs.seq_length?.source", "string", "where it is from"},
    {"runs[].inputs.precision?.value", "string", "name"},
    {"runs[].inputs.precision?.source", "string", "where it is from"},
    {"runs[].inputs.gpu?.value", "string", "file of hardware/gpus"},
    {"runs[].inputs.gpu?.source", "string", "where it is from"},
    {"runs[].inputs.model?.value", "string", "file of scenarios/models"},
    {"runs[].inputs.model?.source", "string", "where it is from"},
    {"runs[].inputs.model_flops_per_sample?.value", "number", "FLOPs"},
    {"runs[].inputs.model_flops_per_sample?.source", "string", "where it is from"},
    {"runs[].inputs.peak_tflops_per_gpu?.value", "number", "TFLOP/s"},
    {"runs[].inputs.peak_tflops_per_gpu?.source", "string", "where it is from"},
    {"runs[].inputs.mfu_convention?.value", "string", "name"},
    {"runs[].inputs.mfu_convention?.source", "string", "where it is from"},
    {"runs[].contradictions", "texts", "between log and what was given"},
    {"runs[].missing", "texts", "what would give more figures"},
    {"runs[].log.lines", "integer", "of the log"},
    {"runs[].log.bytes", "integer", "of the log"},
    {"runs[].log.steps", "integer", "that it has"},
    {"runs[].log.first_step", "integer?", "number"},
    {"runs[].log.last_step", "integer?", "number"},
    {"runs[].log.skipped.count", "integer", "lines that could not be read"},
    {"runs[].log.skipped.reasons", "counts", "of them, by why"},
    {"runs[].log.skipped.first[].line", "integer", "number"},
    {"runs[].log.skipped.first[].why", "string", "it could not be read"},
    {"runs[].log.repeated_steps", "integer", "logged more than once"},
    {"runs[].log.largest_repeat_difference", "number", "of their times, as a share"},
    {"runs[].steps[].step", "integer", "number"},
    {"runs[].steps[].step_time_s", "number", "seconds"},
    {"runs[].steps[].tflops_per_gpu?", "number", "TFLOP/s as logged"},
    {"runs[].steps[].loss?", "number", "as logged"},
});

constexpr auto kComparisonIdMembers = std::to_array<SchemaMember>({
    {"schema", "id", "simtrain.comparison/1"},
});

constexpr auto kComparisonMembers = std::to_array<SchemaMember>({
    {"scenario", "string", "title"},
    {"log", "string", "path"},
    {"status", "string", "Success, Partial, NaN or No steps"},
    {"window", "string", "steps that count"},
    {"predicted_s", "number", "seconds of a step"},
    {"interval_90_s", "numbers", "seconds: 9 of 10 measured means lie between"},
    {"measured_s.mean", "number", "seconds of a step"},
    {"measured_s.std", "number?", "seconds, from step to step"},
    {"measured_s.min", "number", "seconds"},
    {"measured_s.max", "number", "seconds"},
    {"measured_s.median", "number", "seconds"},
    {"gap_s", "number", "measured less predicted"},
    {"error", "number", "predicted over measured, less one"},
    {"inside", "boolean", "of the interval"},
    {"explanations[].share", "string", "of the breakdown"},
    {"explanations[].predicted_s", "number", "seconds of it"},
    {"explanations[].needed_s", "number", "seconds with which it alone would explain the gap"},
    {"explanations[].standard_error_s", "number", "seconds, of the prediction"},
    {"explanations[].most_s", "number?", "seconds that it can take"},
    {"explanations[].standard_errors", "number", "that it would be off"},
    {"explanations[].verdict", "string", "how likely that is"},
    {"peak_memory_bytes", "number?", "that the log names"},
    {"predicted_peak_memory_bytes", "number", "of the fullest stage"},
    {"contradictions", "texts", "between log and scenario"},
    {"skipped_lines", "integer", "of the log, which could not be read"},
    {"steps[].step", "integer", "number"},
    {"steps[].step_time_s", "number", "seconds"},
    {"steps[].gap_s", "number", "seconds over the prediction"},
    {"steps[].error", "number", "predicted over measured, less one"},
});

constexpr auto kStackMembers = std::to_array<SchemaMember>({
    {"other_software~.error_rms", "number", "of the runs with their own stack"},
    {"other_software~.run_to_run", "number", "of the runs themselves"},
    {"other_software~.stacks[].software", "string", "file of hardware/software"},
    {"other_software~.stacks[].refused?", "string", "why it cannot be taken"},
    {"other_software~.stacks[].predicted_s?", "numbers", "seconds of each run"},
    {"other_software~.stacks[].error?", "numbers", "of each run"},
    {"other_software~.stacks[].error_rms?", "number", "of all"},
    {"other_software~.stacks[].explains_all?", "boolean", "the runs differ no more than by chance"},
});

constexpr auto kComparisonsMembers = std::to_array<SchemaMember>({
    {"schema", "id", "simtrain.comparisons/1"},
    {"runs", "array", "each with its log"},
    {"common_causes~.gap_rms", "number", "of the runs as predicted"},
    {"common_causes~.run_to_run", "number", "of the runs themselves"},
    {"common_causes~.needed", "boolean", "the gaps are more than chance"},
    {"common_causes~.tried", "integer", "numbers of hardware files"},
    {"common_causes~.without_effect", "integer", "of them"},
    {"common_causes~.numbers[].file", "string", "below hardware/"},
    {"common_causes~.numbers[].key", "string", "dotted"},
    {"common_causes~.numbers[].unit", "string", "as the file has it"},
    {"common_causes~.numbers[].source", "string", "of its value"},
    {"common_causes~.numbers[].value", "number", "in its unit"},
    {"common_causes~.numbers[].needed", "number", "value that explains the runs best"},
    {"common_causes~.numbers[].at_end", "boolean", "of what was tried"},
    {"common_causes~.numbers[].predicted_s", "numbers", "seconds of each run with it"},
    {"common_causes~.numbers[].gap_rms", "number", "of the runs with it"},
    {"common_causes~.numbers[].explains_all", "boolean", "the runs differ no more than by chance"},
});

constexpr auto kProfileMembers = std::to_array<SchemaMember>({
    {"schema", "id", "simtrain.profile/1"},
    {"scenario", "string", "title"},
    {"profiles[].path", "string", "of the file"},
    {"profiles[].format", "string", "of simtrain list profile-formats"},
    {"profiles[].lines", "integer", "of the file"},
    {"profiles[].gpus", "integer", "that it has kernels of"},
    {"profiles[].untold_calls", "integer",
     "of NCCL, of communicators that the log does not introduce"},
    {"profiles[].incomplete", "boolean", "calls were left out, for want of place"},
    {"profiles[].skipped_lines", "integer", "that could not be read"},
    {"profiles[].skipped_reasons", "counts", "of them, by why"},
    {"profiles[].comparisons[].rank", "integer", "that is compared"},
    {"profiles[].comparisons[].stage", "integer", "of the pipeline, from 0"},
    {"profiles[].comparisons[].rank_from", "string", "how the rank is known"},
    {"profiles[].comparisons[].steps", "number", "in the file"},
    {"profiles[].comparisons[].steps_from", "string", "how their number is known"},
    {"profiles[].comparisons[].process?", "string", "of a log of NCCL"},
    {"profiles[].comparisons[].predicted_s?", "number", "seconds of a step"},
    {"profiles[].comparisons[].predicted_busy_s?", "number", "seconds with a kernel"},
    {"profiles[].comparisons[].measured_s?", "number?", "seconds of a step"},
    {"profiles[].comparisons[].measured_busy_s?", "number?", "seconds with a kernel"},
    {"profiles[].comparisons[].predicted_straggler_wait_s?", "number", "seconds for slower ranks"},
    {"profiles[].comparisons[].kernels?[].kind", "string", "gemm, attention, ..."},
    {"profiles[].comparisons[].kernels?[].predicted_s", "number", "seconds in a step"},
    {"profiles[].comparisons[].kernels?[].predicted_waiting_s", "number",
     "seconds of them that wait"},
    {"profiles[].comparisons[].kernels?[].predicted_calls", "number", "in a step"},
    {"profiles[].comparisons[].kernels?[].measured_s", "number", "seconds in a step"},
    {"profiles[].comparisons[].kernels?[].error", "number?", "predicted over measured, less one"},
    {"profiles[].comparisons[].kernels?[].measured_calls", "number", "in a step"},
    {"profiles[].comparisons[].unclassified?[].name", "string", "of a kernel"},
    {"profiles[].comparisons[].unclassified?[].calls", "number", "in the file"},
    {"profiles[].comparisons[].unclassified?[].time_s", "number", "seconds of all"},
    {"profiles[].comparisons[].calls?[].function", "string", "of NCCL"},
    {"profiles[].comparisons[].calls?[].ranks", "integer?", "of the communicator"},
    {"profiles[].comparisons[].calls?[].type", "string", "of elements"},
    {"profiles[].comparisons[].calls?[].count", "integer", "elements"},
    {"profiles[].comparisons[].calls?[].bytes", "integer", "of a call"},
    {"profiles[].comparisons[].calls?[].predicted", "number", "calls in a step"},
    {"profiles[].comparisons[].calls?[].logged", "number", "calls in a step"},
});

constexpr auto kProfileSummaryMembers = std::to_array<SchemaMember>({
    {"schema", "id", "simtrain.profile/1"},
    {"scenario", "null", "none was given"},
    {"profiles[].path", "string", "of the file"},
    {"profiles[].format", "string", "of simtrain list profile-formats"},
    {"profiles[].lines", "integer", "of the file"},
    {"profiles[].gpus", "integer", "that it has kernels of"},
    {"profiles[].told_rank~.rank", "integer", "whose file it is"},
    {"profiles[].told_rank~.ranks", "integer", "of the job"},
    {"profiles[].steps", "number?", "in the file"},
    {"profiles[].untold_calls", "integer",
     "of NCCL, of communicators that the log does not introduce"},
    {"profiles[].incomplete", "boolean", "calls were left out, for want of place"},
    {"profiles[].skipped_lines", "integer", "that could not be read"},
    {"profiles[].skipped_reasons", "counts", "of them, by why"},
    {"profiles[].kernels[].name", "string", "as in the file"},
    {"profiles[].kernels[].kind", "string", "gemm, attention, ..."},
    {"profiles[].kernels[].calls", "number", "in the file"},
    {"profiles[].kernels[].time_s", "number", "seconds of all"},
    {"profiles[].calls[].function", "string", "of NCCL"},
    {"profiles[].calls[].ranks", "integer?", "of the communicator"},
    {"profiles[].calls[].type", "string", "of elements"},
    {"profiles[].calls[].count", "integer", "elements"},
    {"profiles[].calls[].bytes", "integer", "of a call"},
    {"profiles[].calls[].calls", "integer", "in the file"},
    {"profiles[].processes[].process", "string", "host and number"},
    {"profiles[].processes[].told_rank~.rank", "integer", "of the process"},
    {"profiles[].processes[].told_rank~.ranks", "integer", "of the job"},
    {"profiles[].processes[].calls[].function", "string", "of NCCL"},
    {"profiles[].processes[].calls[].ranks", "integer?", "of the communicator"},
    {"profiles[].processes[].calls[].type", "string", "of elements"},
    {"profiles[].processes[].calls[].count", "integer", "elements"},
    {"profiles[].processes[].calls[].bytes", "integer", "of a call"},
    {"profiles[].processes[].calls[].calls", "integer", "in the file"},
});

}  // namespace

Json metrics_schema() { return schema_of({{kMetricsMembers}}); }

Json comparison_schema() {
  return schema_of(
      {{kComparisonIdMembers}, {kComparisonMembers}, {kStackMembers}, {changes_members()}});
}

Json comparisons_schema() {
  Json schema = schema_of({{kComparisonsMembers}, {kStackMembers}});
  schema["properties"]["runs"]["items"] = schema_of({{kComparisonMembers}, {changes_members()}});
  return schema;
}

Json profile_schema() {
  return {{"type", "object"},
          {"anyOf", {schema_of({{kProfileMembers}}), schema_of({{kProfileSummaryMembers}})}}};
}

}  // namespace simtrain
