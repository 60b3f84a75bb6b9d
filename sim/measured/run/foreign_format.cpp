#include "sim/measured/run/foreign_format.h"

#include <array>

#include <fmt/format.h>

#include "sim/measured/run/log_fields.h"

namespace simtrain {
namespace {

constexpr std::string_view kProfiles = "'simtrain profile' reads it";
constexpr std::string_view kMetrics = "'simtrain metrics' reads it";
constexpr std::string_view kNcclTests = "'simtrain validate --nccl' reads it";
constexpr std::string_view kNsysCsv =
    "'nsys stats --report cuda_gpu_kern_sum --format csv' writes what is read";

constexpr std::array<ForeignFormat, 10> kLogs{{
    {"RunningAvgSamplesPerSec=", "", "DeepSpeed's log", ""},
    {"[Rank 0] step=", ", lr=", "DeepSpeed's log", ""},
    {"{'loss': ", "'grad_norm': ", "the log of Hugging Face's Trainer", ""},
    {"'train_runtime': ", "", "the log of Hugging Face's Trainer", ""},
    {"\"_timestamp\":", "\"_step\":", "the history of Weights & Biases",
     "its export as CSV is read"},
    {"# nThread ", " nGpus ", "the output of nccl-tests", kNcclTests},
    {" NCCL INFO ", "", "a log of NCCL's calls", kProfiles},
    {"Time (%)", "Instances", "a table of nsys stats", kProfiles},
    {"SQLite format 3", "", "an SQLite export of nsys", kProfiles},
    {"\"traceEvents\":", "", "a trace of torch.profiler", kProfiles},
}};

constexpr std::array<ForeignFormat, 10> kForeignProfiles{{
    {"Time (%)", "Total Time (", "a text table of nsys stats", kNsysCsv},
    {"\"TotalDurationNs\"", "", "a table of rocprof", ""},
    {"brain.Event:2", "", "an event file of TensorBoard", kMetrics},
    {"# nThread ", " nGpus ", "the output of nccl-tests", kNcclTests},
    {"train_step_timing in s", "", "a training log", kMetrics},
    {"elapsed time per iteration (", "", "a training log", kMetrics},
    {" tps: ", " loss: ", "torchtitan's log", kMetrics},
    {"completed step: ", " seconds: ", "MaxText's log", kMetrics},
    {"elapsed_time_per_iteration_ms: ", "", "nanotron's log", kMetrics},
    {":::MLLOG", "", "MLPerf's log", kMetrics},
}};

bool holds(std::string_view text, std::string_view word) {
  return word.empty() || find_word(text, word) != std::string_view::npos;
}

}  // namespace

std::span<const ForeignFormat> foreign_logs() { return kLogs; }
std::span<const ForeignFormat> foreign_profiles() { return kForeignProfiles; }

void ForeignSight::line(std::string_view text) {
  for (std::size_t i = 0; i < found_; ++i) {
    if (holds(text, formats_[i].first) && holds(text, formats_[i].second)) found_ = i;
  }
}

std::string ForeignSight::sentence() const {
  if (found_ == formats_.size()) return "";
  const ForeignFormat& format = formats_[found_];
  return format.advice.empty() ? fmt::format("looks like {}, which is not read yet", format.name)
                               : fmt::format("looks like {}; {}", format.name, format.advice);
}

}  // namespace simtrain
