#include <array>

#include "sim/output/schema/documents/document_members.h"
#include "sim/output/schema/documents/member_schema.h"

namespace simtrain {
namespace {

using Json = nlohmann::ordered_json;

constexpr auto kCalibrationMembers = std::to_array<SchemaMember>({
    {"schema", "id", "simtrain.calibration/1"},
    {"converged", "boolean", "the fit did"},
    {"discrepancy", "number", "standard deviation of a table that no value removes"},
    {"parameters[].name", "string", "of validation/calibration.yaml"},
    {"parameters[].meaning", "string", "for people"},
    {"parameters[].unit", "string", "of its values; empty: a plain number"},
    {"parameters[].value", "number", "fitted"},
    {"parameters[].standard_error", "number", "of it"},
    {"parameters[].at_end_of_range", "boolean", "of what is plausible"},
    {"parameters[].before", "number", "in the hardware files"},
    {"parameters[].prior.value", "number", "known from elsewhere"},
    {"parameters[].prior.standard_error", "number", "of it"},
    {"parameters[].prior.source", "string", "of it"},
    {"parameters[].range", "numbers", "of what is plausible"},
    {"parameters[].sets[].file", "string", "below hardware/"},
    {"parameters[].sets[].key", "string", "dotted"},
    {"correlation", "lists", "of each parameter with each"},
    {"before", "summary", "with the hardware files"},
    {"after", "summary", "with the fitted values"},
    {"rows[].table", "string", "group and precision"},
    {"rows[].document", "string", "that gives the measured time"},
    {"rows[].scenario", "string", "file"},
    {"rows[].row", "string", "of its table"},
    {"rows[].measured_s", "number", "seconds"},
    {"rows[].before_s", "number", "seconds, with the hardware files"},
    {"rows[].after_s", "number", "seconds, with the fitted values"},
    {"rows[].error_before", "number", "predicted over measured, less one"},
    {"rows[].error_after", "number", "predicted over measured, less one"},
});

constexpr auto kKernelFitMembers = std::to_array<SchemaMember>({
    {"schema", "id", "simtrain.kernel-fit/1"},
    {"gpu", "string", "name"},
    {"fits[].family", "string", "gemm, attention or streaming"},
    {"fits[].variant", "string", "data type, implementation"},
    {"fits[].converged", "boolean", "the fit did"},
    {"fits[].parameters[].name", "string", "key of the GPU's file"},
    {"fits[].parameters[].value", "number", "fitted"},
    {"fits[].parameters[].standard_error", "number?", "null: the points do not tell"},
    {"fits[].parameters[].at_limit", "boolean", "of what is plausible"},
    {"fits[].parameters[].unit", "string", "of its values"},
    {"fits[].parameters[].in_file", "number", "what the file has now"},
    {"fits[].left_out[].shape", "string", "that the fit did not see"},
    {"fits[].left_out[].errors", "errors", "of it"},
    {"fits[].fitted", "errors", "of what the fit saw"},
});

constexpr auto kMachineFitMembers = std::to_array<SchemaMember>({
    {"schema", "id", "simtrain.machine/1"},
    {"name", "string", "of the machine"},
    {"node", "string", "file of hardware/nodes"},
    {"gpu", "string", "file of hardware/gpus"},
    {"values[].key", "string", "as behind hardware. in a scenario"},
    {"values[].unit", "string", "of its values"},
    {"values[].before", "number", "in the hardware file"},
    {"values[].value", "number", "on the machine"},
    {"values[].standard_error", "number", "as a share"},
    {"values[].points", "integer", "measured"},
    {"values[].source", "string", "what it follows from"},
    {"run_errors_before", "numbers", "of training runs with the hardware files"},
    {"run_errors_after", "numbers", "of training runs with the machine"},
    {"relative_error", "number", "of step times on it"},
});

}  // namespace

Json calibration_schema() { return schema_of({{kCalibrationMembers}}); }

Json kernel_fit_schema() { return schema_of({{kKernelFitMembers}}); }

Json machine_fit_schema() { return schema_of({{kMachineFitMembers}}); }

}  // namespace simtrain
