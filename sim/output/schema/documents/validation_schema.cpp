#include <array>

#include "sim/output/schema/documents/document_members.h"
#include "sim/output/schema/documents/member_schema.h"

namespace simtrain {
namespace {

using Json = nlohmann::ordered_json;

constexpr auto kValidationMembers = std::to_array<SchemaMember>({
    {"schema", "id", "simtrain.validation/1"},
    {"summary", "summary", "of all headline tables"},
    {"memory_summary", "summary", "of all figures of memory"},
    {"broken_bounds", "texts", "where errors are larger than the files allow"},
    {"tables[].document", "string", "that has it"},
    {"tables[].table", "string", "heading"},
    {"tables[].use", "string", "headline or reported"},
    {"tables[].group", "string", "model and document"},
    {"tables[].precision", "string", "of its runs"},
    {"tables[].scenario", "string", "file"},
    {"tables[].summary", "summary", "of its rows"},
    {"tables[].bounds?.mean", "number", "error, at most"},
    {"tables[].bounds?.max", "number", "error, at most"},
    {"tables[].growth?.from", "string", "row"},
    {"tables[].growth?.to", "string", "row"},
    {"tables[].growth?.measured", "number", "of the step time, as a share"},
    {"tables[].growth?.predicted", "number", "of the step time, as a share"},
    {"tables[].growth?.bound", "number", "of the difference"},
    {"tables[].growth?.holds", "boolean", "the bound does"},
    {"tables[].rows[].row", "string", "of the scenario's table"},
    {"tables[].rows[].column", "string", "heading in the document"},
    {"tables[].rows[].caveat?", "string", "what a reader should know"},
    {"tables[].rows[].printed?", "string", "step time as printed"},
    {"tables[].rows[].measured_s?", "number", "seconds"},
    {"tables[].rows[].predicted_s?", "number", "seconds"},
    {"tables[].rows[].error?", "number", "predicted over measured, less one"},
    {"tables[].rows[].low_s?", "number", "end of the 90 % interval"},
    {"tables[].rows[].high_s?", "number", "end of the 90 % interval"},
    {"tables[].rows[].covered?", "boolean", "inside the interval"},
    {"tables[].rows[].figures[].figure", "string", "step-time, mfu, ..."},
    {"tables[].rows[].figures[].label", "string", "as printed"},
    {"tables[].rows[].figures[].kind", "string", "how it came about"},
    {"tables[].rows[].figures[].unit", "string", "of the figure"},
    {"tables[].rows[].figures[].printed", "string", "digits of the document"},
    {"tables[].rows[].figures[].measured", "number", "in its unit"},
    {"tables[].rows[].figures[].recomputed?", "number", "from the measured step time"},
    {"tables[].rows[].figures[].follows?", "boolean", "as far as digits say"},
    {"tables[].rows[].figures[].disputed?", "boolean", "the file says why it does not"},
    {"tables[].rows[].figures[].predicted?", "number", "in its unit"},
    {"tables[].rows[].figures[].error?", "number", "predicted over measured, less one"},
    {"tables[].rows[].figures[].bound?", "number", "of the error"},
    {"tables[].rows[].breakdown_s", "breakdown", "seconds of the critical path by share"},
});

constexpr auto kMeasuredMembers = std::to_array<SchemaMember>({
    {"schema", "id", "simtrain.measured-validation/1"},
    {"groupings[].by", "string", "source, GPU, precision, ..."},
    {"groupings[].groups[].name", "string", "of the group"},
    {"groupings[].groups[].rows", "integer", "runs"},
    {"groupings[].groups[].mean_absolute_error", "number", "as a share"},
    {"groupings[].groups[].median_absolute_error", "number", "as a share"},
    {"groupings[].groups[].percentile_90", "number", "nine of ten absolute errors are smaller"},
    {"groupings[].groups[].bias", "number", "median of errors with their sign"},
    {"groupings[].groups[].covered", "number", "share of runs inside their interval"},
    {"groupings[].groups[].covered_source_left_out", "number",
     "share, as the other sources make the interval"},
    {"rows[].source", "string", "who published it"},
    {"rows[].scenario", "string", "file"},
    {"rows[].row", "string", "of its table"},
    {"rows[].framework", "string", "that ran"},
    {"rows[].year", "integer", "0: not known"},
    {"rows[].gpu", "string", "name"},
    {"rows[].precision", "string", "name"},
    {"rows[].grade", "string", "A, B or C: how much is stated"},
    {"rows[].stack", "string", "how well the software is known"},
    {"rows[].measured_s", "number", "seconds"},
    {"rows[].predicted_s", "number", "seconds"},
    {"rows[].error", "number", "predicted over measured, less one"},
    {"rows[].interval_90_s", "numbers", "seconds: 9 of 10 measured means lie between"},
});

constexpr auto kLeftOutHeadMembers = std::to_array<SchemaMember>({
    {"schema", "id", "simtrain.left-out/1"},
});

constexpr auto kLeftOutSummaryMembers = std::to_array<SchemaMember>({
    {"rows", "integer", "predicted by fits to others"},
    {"mean_absolute_error", "number", "as a share"},
    {"largest_absolute_error", "number", "as a share"},
    {"bias", "number", "mean of errors with their sign"},
    {"covered", "number", "share of rows inside their interval"},
    {"half_width", "number", "of intervals, mean"},
    {"widening", "number", "of stated errors, with which 90 % would be inside"},
});

constexpr auto kLeftOutFitMembers = std::to_array<SchemaMember>({
    {"converged", "boolean", "the fit to the others did"},
    {"values", "numbers", "of the parameters, in their order"},
});

constexpr auto kLeftOutRowMembers = std::to_array<SchemaMember>({
    {"document", "string", "that gives the measured time"},
    {"table", "string", "of the document"},
    {"row", "string", "of the scenario"},
    {"measured_s", "number", "seconds"},
    {"predicted_s", "number", "seconds"},
    {"low_s", "number", "end of the 90 % interval"},
    {"high_s", "number", "end of the 90 % interval"},
    {"error", "number", "predicted over measured, less one"},
    {"covered", "boolean", "inside the interval"},
});

constexpr auto kLeftOutGroupMembers = std::to_array<SchemaMember>({
    {"by_group?.parts[].name", "string", "group that is left out"},
});

constexpr auto kLeftOutTableMembers = std::to_array<SchemaMember>({
    {"by_table?.parts[].name", "string", "table that is left out"},
});

constexpr auto kKernelValidationMembers = std::to_array<SchemaMember>({
    {"schema", "id", "simtrain.kernel-validation/1"},
    {"groups[].family", "string", "gemm, attention or streaming"},
    {"groups[].gpu", "string", "name"},
    {"groups[].variant", "string", "data type, implementation"},
    {"groups[].shape", "string", "of kernels that are alike"},
    {"groups[].errors", "errors", "of the group"},
    {"groups[].not_predicted", "integer", "points that simtrain has no kernel for"},
    {"fitted", "errors", "of all points that may set parameters"},
});

}  // namespace

Json validation_schema() { return schema_of({{kValidationMembers}}); }

Json measured_validation_schema() { return schema_of({{kMeasuredMembers}}); }

Json left_out_schema() {
  return schema_of({{kLeftOutHeadMembers},
                    {kLeftOutSummaryMembers, "by_group?.summary"},
                    {kLeftOutGroupMembers},
                    {kLeftOutFitMembers, "by_group?.parts[]"},
                    {kLeftOutSummaryMembers, "by_group?.parts[].summary"},
                    {kLeftOutRowMembers, "by_group?.parts[].rows[]"},
                    {kLeftOutSummaryMembers, "by_table?.summary"},
                    {kLeftOutTableMembers},
                    {kLeftOutFitMembers, "by_table?.parts[]"},
                    {kLeftOutSummaryMembers, "by_table?.parts[].summary"},
                    {kLeftOutRowMembers, "by_table?.parts[].rows[]"}});
}

Json kernel_validation_schema() { return schema_of({{kKernelValidationMembers}}); }

}  // namespace simtrain
