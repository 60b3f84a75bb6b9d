#include "sim/output/schema/documents/document_schemas.h"

#include <array>

#include "sim/output/schema/documents/document_members.h"

namespace simtrain {
namespace {

constexpr auto kDocumentSchemas = std::to_array<DocumentSchema>({
    {"result", "simtrain run", result_schema},
    {"results", "simtrain run, of a table,", results_schema},
    {"difference", "simtrain run --against", difference_schema},
    {"sweep", "simtrain sweep", sweep_schema},
    {"tune", "simtrain tune", tune_schema},
    {"tune-front", "simtrain tune --objectives", tune_front_schema},
    {"scale", "simtrain scale", scale_schema},
    {"goodput", "simtrain goodput", goodput_schema},
    {"job", "simtrain run --job", job_schema},
    {"share", "simtrain share", share_schema},
    {"metrics", "simtrain metrics", metrics_schema},
    {"comparison", "simtrain compare", comparison_schema},
    {"comparisons", "simtrain compare, of several logs,", comparisons_schema},
    {"profile", "simtrain profile", profile_schema},
    {"validation", "simtrain validate", validation_schema},
    {"measured-validation", "simtrain validate --measured", measured_validation_schema},
    {"left-out", "simtrain validate --leave-one-table-out", left_out_schema},
    {"kernel-validation", "simtrain validate --kernels", kernel_validation_schema},
    {"nccl-validation", "simtrain validate --nccl", nccl_validation_schema},
    {"calibration", "simtrain calibrate", calibration_schema},
    {"kernel-fit", "simtrain calibrate --kernels", kernel_fit_schema},
    {"machine-fit", "simtrain calibrate --machine", machine_fit_schema},
    {"nccl", "simtrain nccl", nccl_schema},
    {"topology", "simtrain topology", topology_schema},
});

}  // namespace

std::span<const DocumentSchema> document_schemas() { return kDocumentSchemas; }

}  // namespace simtrain
