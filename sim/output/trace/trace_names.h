#pragma once

#include <string>
#include <string_view>

#include "sim/collectives/library.h"
#include "sim/output/trace/trace_writer.h"
#include "sim/workload/plan/plan.h"

namespace simtrain {

/// A kernel as a profiler names it: "gemm_fp8_wgrad".
std::string kernel_name(const Kernel& kernel);

/// The same behind its module, with its shape and what it reaches in
/// `time`.
TraceSlice kernel_slice(const OpNote& note, Duration time);

/// A transfer under the name of its library's kernel, or userbuffers_... With algorithm, protocol,
/// bytes and the bandwidths that nccl-tests would print; `ranks` of the communicator.
TraceSlice transfer_slice(const LibraryRow& library, const TransferCost& cost,
                          std::string_view module, std::size_t ranks, Duration time);

/// A compute op of a step that is no pass: the optimizer and its like. `first` in its program?
TraceSlice own_slice(const Op& op, const ComputeCost& cost, bool first);

/// A pass, and how much of it was slowed by what ran beside it.
TraceSlice pass_slice(const Op& op, bool chunks, Duration alone, Duration time);

}  // namespace simtrain
