#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/measured/nccl/nccl_tests_log.h"
#include "sim/study/nccl/nccl_sweep.h"

namespace simtrain {

/// A size of nccl-tests beside its prediction.
struct PredictedTestRow {
  NcclTestRow measured;
  NcclSweepRow predicted;

  /// Predicted over measured time, less one.
  [[nodiscard]] double error(const NcclTestTime& time) const {
    return to_seconds(predicted.time) / time.seconds - 1;
  }
};

/// One run of a program of nccl-tests beside its prediction.
struct PredictedTest {
  std::string log;  ///< path
  NcclTest test;    ///< without its rows
  Collective collective{};
  std::string cluster;
  std::string gpu;  ///< of the cluster
  int gpus = 0;
  int nodes = 0;
  NcclSettings settings;
  std::vector<PredictedTestRow> rows;
};

/// What a program of nccl-tests measures, by its name without `_perf`; nothing for an empty name.
/// Throws InputError at one that is not predicted (reduce, gather, ...).
std::optional<Collective> collective_of_program(const std::string& path, const std::string& name);

/// What a table can be of, where its program is unknown: all_reduce, send_receive and
/// reduce_scatter name a reduction, and count all of the elements, or a rank's part of them; the
/// first two differ in their bandwidths. Nothing for others, which look alike.
std::optional<Collective> collective_of_rows(const NcclTest& test, std::size_t ranks);

/// Predicts every row; `test.collective`, `settings`, `gpus` and `nodes` define the calls.
void predict_rows(const Cluster& cluster, const std::vector<NcclTestRow>& rows,
                  PredictedTest& test);

}  // namespace simtrain
