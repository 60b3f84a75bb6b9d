#include "sim/run/analysis/step_work.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "sim/run/pieces/critical_path.h"
#include "sim/run/step/step_rank.h"

namespace simtrain {
namespace {

/// A call that takes at least this share of what a link lets through is held by the link.
constexpr double kFullLink = 0.9;

/// Kernels with equal keys are one row.
using KernelKey = std::tuple<std::string_view, Share, std::optional<Kernel>>;

/// The share of a kernel, whatever ranks wait beside it; none for ops that only wait.
std::optional<Share> work_share(const ComputeCost& cost) {
  for (const auto& row : EnumNames<Share>::rows) {
    if (!is_waiting(row.second) && part(cost.parts, row.second) > 0) return row.second;
  }
  return std::nullopt;
}

KernelBound kernel_bound(const ComputeCost& cost) {
  const double launch = 1 - cost.sm_bound - cost.memory_bound;
  if (launch > std::max(cost.sm_bound, cost.memory_bound)) return KernelBound::launch;
  return cost.sm_bound >= cost.memory_bound ? KernelBound::compute : KernelBound::memory;
}

std::optional<double> peak_of(const GpuSpec& gpu, DataType type) {
  for (const PeakRate& row : gpu.peak_rates) {
    if (row.data_type == type) return row.rate.value();
  }
  return std::nullopt;
}

std::optional<double> share_of_peak(const KernelWork& row, const GpuSpec& gpu) {
  if (row.bytes > 0) return row.bytes / row.each_s / gpu.memory_bandwidth.value.value();
  if (row.flops <= 0) return std::nullopt;
  const Gemm* gemm = std::get_if<Gemm>(&*row.kernel);
  const auto peak = peak_of(gpu, gemm != nullptr ? gemm->type : DataType::bf16);
  if (!peak) return std::nullopt;
  return row.flops / row.each_s / *peak;
}

std::string_view own_name(const Op& op, std::uint32_t place) {
  if (op.label == Label::gradient_norm) return "gradient_norm";
  return place == 0 ? "zero_gradients" : "optimizer";
}

template <class Key, class Row>
std::vector<Row> sorted_work(std::map<Key, Row> rows) {
  std::vector<Row> result;
  result.reserve(rows.size());
  for (auto& entry : rows) result.push_back(std::move(entry.second));
  std::stable_sort(result.begin(), result.end(), [](const Row& a, const Row& b) {
    return std::pair(a.path_s, a.total_s) > std::pair(b.path_s, b.total_s);
  });
  return result;
}

/// Sums kernels and transfers by kind, in a fixed order.
class WorkTally {
 public:
  explicit WorkTally(const SimulatedStep& simulated)
      : simulated_(simulated), busiest_(busiest_rank(simulated.plan, simulated.timeline)) {}

  StepWork take() {
    of_busiest();
    of_path();
    return {sorted_work(std::move(kernels_)), bounded(sorted_work(std::move(transfers_)))};
  }

 private:
  [[nodiscard]] const Program& program(const Plan& plan, std::uint32_t rank) const {
    return plan.programs[plan.ranks[rank].program];
  }

  /// What a rank does in one run of a plan's program, `times` over.
  void of_rank(const Plan& plan, const Timeline& timeline, std::uint32_t rank, std::int64_t times) {
    const Program& run = program(plan, rank);
    for (std::uint32_t i = 0; i < run.ops.size(); ++i) {
      const Op& op = run.ops[i];
      const auto count = static_cast<double>(times);
      if (!op.compute) {
        const TransferCost& cost = run.transfers[op.cost];
        const Span& span = timeline.span(rank, i);
        if (cost.wire.value() == 0) continue;
        TransferWork& row = transfer(op, cost);
        row.calls += times;
        row.total_s += to_seconds(span.end - span.start) * count;
      } else if (KernelWork* row = kernel(run, i)) {
        row->calls += times;
        row->total_s += to_seconds(run.compute_costs[op.cost].time) * count;
      }
    }
  }

  void of_busiest() {
    const Plan& plan = simulated_.plan;
    const StepRank rank(simulated_, plan.ranks[busiest_].rank);
    of_rank(plan, simulated_.timeline, busiest_, 1);
    const Recipe& recipe = simulated_.scenario.recipe;
    const auto counts = piece_counts(recipe, rank.stage(), simulated_.grid.micro_batches());
    for (const Piece& which : pieces_of(recipe)) {
      if (counts[which] == 0) continue;
      const SimulatedPiece& piece = rank.simulated(which);
      of_rank(piece.plan, piece.timeline, rank.place_in(piece), counts[which]);
    }
  }

  /// What is on the path of a run, each op by its weight.
  void of_path(const Plan& plan, const Timeline& timeline, const std::vector<PathStep>& path,
               const std::vector<double>& weights) {
    for (std::size_t i = 0; i < path.size(); ++i) {
      const PathStep& step = path[i];
      const Program& run = program(plan, step.rank);
      const Op& op = run.ops[step.op];
      const Span& span = timeline.span(step.rank, step.op);
      const double length = to_seconds(span.end - span.start);
      if (length <= 0) continue;
      if (!op.compute) {
        transfer(op, run.transfers[op.cost]).path_s += length * weights[i];
      } else if (KernelWork* row = kernel(run, step.op)) {
        row->path_s += part(run.compute_costs[op.cost].parts, row->share) * weights[i];
      }
    }
  }

  void of_path() {
    const Plan& plan = simulated_.plan;
    const std::vector<PathStep> path = critical_path(plan, simulated_.timeline);
    const std::vector<double> counted = counted_shares(plan, simulated_.timeline, path, busiest_);
    of_path(plan, simulated_.timeline, path, counted);
    using PassKind = std::tuple<std::uint32_t, std::uint32_t, Label>;  // rank, cost, label
    std::map<PassKind, std::pair<std::uint32_t, double>> passes;       // one of them, weight of all
    for (std::size_t i = 0; i < path.size(); ++i) {
      const Op& op = program(plan, path[i].rank).ops[path[i].op];
      if (!runs_pieces(op)) continue;
      auto& pass = passes[{path[i].rank, op.cost, op.label}];
      pass.first = path[i].op;
      pass.second += counted[i];
    }
    std::map<std::uint32_t, StepRank> ranks;
    std::map<const SimulatedPiece*, double> weights;
    std::vector<const SimulatedPiece*> order;  // of the path, whatever the addresses
    for (const auto& [kind, pass] : passes) {
      const std::uint32_t at = std::get<0>(kind);
      const StepRank& rank = ranks.try_emplace(at, simulated_, plan.ranks[at].rank).first->second;
      for (const PieceShare& part : rank.shares(pass.first)) {
        const auto [entry, fresh] = weights.try_emplace(part.simulated, 0);
        if (fresh) order.push_back(entry->first);
        entry->second += pass.second * part.share;
      }
    }
    for (const SimulatedPiece* piece : order)
      of_path(piece->plan, piece->timeline, piece->path,
              std::vector<double>(piece->path.size(), weights[piece]));
  }

  static bool runs_pieces(const Op& op) {
    return op.compute && (is_pass(op) || op.label == Label::weight_gradient);
  }

  /// The row of a kernel; none for passes, whose kernels have their own, and for ops that only
  /// wait.
  KernelWork* kernel(const Program& run, std::uint32_t place) {
    const Op& op = run.ops[place];
    const ComputeCost& cost = run.compute_costs[op.cost];
    const auto share = runs_pieces(op) ? std::nullopt : work_share(cost);
    if (!share) return nullptr;
    const bool own = run.notes.empty();  // of the step
    const std::string_view module = own ? own_name(op, place) : run.notes[place].module;
    const auto& of = own ? std::optional<Kernel>() : run.notes[place].kernel;
    const auto [entry, fresh] = kernels_.try_emplace({module, *share, of});
    KernelWork& row = entry->second;
    if (!fresh) return &row;
    row.module = module;
    row.kernel = of;
    row.share = *share;
    row.bound = kernel_bound(cost);
    row.each_s = to_seconds(cost.time);
    if (of) row.flops = kernel_flops(*of);
    if (const auto* streaming = of ? std::get_if<Streaming>(&*of) : nullptr)
      row.bytes = streaming->bytes;
    row.share_of_peak = share_of_peak(row, simulated_.cluster.spec().gpu);
    return &row;
  }

  TransferWork& transfer(const Op& op, const TransferCost& cost) {
    const GroupRow& group = row_of(op.group);
    const auto [entry, fresh] =
        transfers_.try_emplace({group.name, group.share, cost.collective, cost.algorithm,
                                cost.protocol, cost.bytes.value()});
    TransferWork& row = entry->second;
    if (fresh) {
      row.group = group.name;
      row.share = group.share;
      row.cost = cost;
    }
    return row;
  }

  [[nodiscard]] TransferBound transfer_bound(const TransferWork& row) const {
    if (row.cost.wire.value() == 0) return TransferBound::latency;
    const double alone = to_seconds(row.cost.alone());
    const double latency = to_seconds(row.cost.latency);
    const double mean = row.each_s();
    const ClusterSpec& cluster = simulated_.cluster.spec();
    const LinkLoad& load = row.cost.load;
    const auto share_of = [&](double taken, Bandwidth link) {
      return taken * row.cost.limit / link.value();
    };
    const double nvlink = share_of(load.nvlink, cluster.gpu.nvlink.bandwidth.value);
    const double nic = share_of(load.nic, cluster.usable_nic_bandwidth());
    if (latency >= std::max(alone - latency, mean - alone)) return TransferBound::latency;
    if (of_host(row.cost.algorithm))
      return mean * kFullLink > alone ? TransferBound::shared_host : TransferBound::host;
    if (mean - alone > alone - latency)
      return nic > 0 ? TransferBound::shared_nic : TransferBound::shared_nvlink;
    if (std::max(nic, nvlink) < kFullLink) return TransferBound::channels;
    return nic >= nvlink ? TransferBound::nic : TransferBound::nvlink;
  }

  std::vector<TransferWork> bounded(std::vector<TransferWork> rows) const {
    for (TransferWork& row : rows) row.bound = transfer_bound(row);
    return rows;
  }

  using TransferKey =
      std::tuple<std::string_view, Share, Collective, Algorithm, Protocol, std::int64_t>;
  const SimulatedStep& simulated_;
  std::uint32_t busiest_;
  std::map<KernelKey, KernelWork> kernels_;
  std::map<TransferKey, TransferWork> transfers_;
};

}  // namespace

double TransferWork::each_s() const {
  if (calls > 0) return total_s / static_cast<double>(calls);
  return to_seconds(cost.wire.value() > 0 ? cost.alone() : cost.latency);
}

double TransferWork::bus_bandwidth() const {
  const double seconds = each_s();
  return seconds > 0 ? static_cast<double>(cost.wire.value()) / seconds : 0;
}

bool is_waiting(Share share) {
  return share == Share::host || share == Share::bubble || share == Share::interference ||
         share == Share::routing_imbalance || share == Share::stragglers;
}

StepWork step_work(const SimulatedStep& simulated) { return WorkTally(simulated).take(); }

}  // namespace simtrain
