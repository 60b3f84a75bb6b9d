#include "sim/study/nccl/nccl_tests_validation.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "sim/core/input/input_error.h"
#include "sim/measured/nccl/nccl_tests_row.h"

namespace simtrain {
namespace {

struct NcclProgram {
  std::string_view name;
  Collective collective;
};
constexpr std::array<NcclProgram, 6> kNcclPrograms{{{"all_reduce", Collective::all_reduce},
                                                    {"all_gather", Collective::all_gather},
                                                    {"reduce_scatter", Collective::reduce_scatter},
                                                    {"broadcast", Collective::broadcast},
                                                    {"alltoall", Collective::all_to_all},
                                                    {"sendrecv", Collective::send_receive}}};

/// Of the last row: how many times the algorithm's bandwidth is that of the bus; 0 where no time is
/// known.
double bus_factor(const NcclTestRow& row) {
  const std::optional<NcclTestTime>& time = row.out_of_place ? row.out_of_place : row.in_place;
  if (!time || row.bytes <= 0) return 0;
  return time->bus_bandwidth * time->seconds / static_cast<double>(row.bytes);
}

/// all_reduce_perf and sendrecv_perf print the same columns, on two ranks the same bandwidths too.
std::optional<Collective> all_reduce_or_sends(const NcclTestRow& row, std::size_t ranks) {
  constexpr double kDigits = 0.03;
  if (ranks == 2) return std::nullopt;
  return std::abs(bus_factor(row) - 1) < kDigits ? Collective::send_receive
                                                 : Collective::all_reduce;
}

}  // namespace

std::optional<Collective> collective_of_program(const std::string& path, const std::string& name) {
  if (name.empty()) return std::nullopt;
  const auto* const found = std::find_if(kNcclPrograms.begin(), kNcclPrograms.end(),
                                         [&](const NcclProgram& one) { return one.name == name; });
  if (found != kNcclPrograms.end()) return found->collective;
  throw InputError({path}, "",
                   fmt::format("is of {}_perf, which is not predicted; all_reduce, all_gather, "
                               "reduce_scatter, broadcast, alltoall and sendrecv are",
                               name));
}

std::optional<Collective> collective_of_rows(const NcclTest& test, std::size_t ranks) {
  if (test.rows.empty() || ranks < 2) return std::nullopt;
  const NcclTestRow& row = test.rows.back();
  if (row.reduction.empty() || row.reduction == "none") return std::nullopt;
  const std::int64_t whole = row.count * nccl_tests_element(row.type);
  if (whole == row.bytes && row.root == -1) return all_reduce_or_sends(row, ranks);
  if (whole * static_cast<std::int64_t>(ranks) == row.bytes) return Collective::reduce_scatter;
  return std::nullopt;
}

void predict_rows(const Cluster& cluster, const std::vector<NcclTestRow>& rows,
                  PredictedTest& test) {
  test.cluster = cluster.spec().name;
  test.gpu = cluster.spec().gpu.name;
  const NcclCommunicator calls(cluster, test.settings, first_gpus(cluster, test.nodes, test.gpus));
  test.rows.reserve(rows.size());
  for (const NcclTestRow& row : rows)
    test.rows.push_back({row, calls.of(test.collective, Bytes(row.bytes))});
}

}  // namespace simtrain
