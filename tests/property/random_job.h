#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tests/property/random_clusters.h"

namespace simtrain::testing {

/// A scenario of the source tree with `--set` settings over it.
struct RandomJob {
  static constexpr const char* kFile = "scenarios/llama31_8b_h100.yaml";
  static constexpr const char* kRow = "bf16-8";
  std::vector<std::string> settings;

  [[nodiscard]] RandomJob with(const std::string& setting) const {
    RandomJob changed = *this;
    changed.settings.push_back(setting);
    return changed;
  }
  /// As one would call it, by its data folder.
  [[nodiscard]] std::string command(const std::string& data,
                                    const std::string& options = "") const {
    std::string text = fmt::format("SIMTRAIN_DATA={} simtrain run {} --row {}", data, kFile, kRow);
    for (const std::string& setting : settings) text += fmt::format(" --set '{}'", setting);
    return text + options;
  }
};

namespace random_job {

inline std::string placement(Draw& draw, int nodes, int available) {
  switch (draw.below(5)) {
    case 0:
      return "compact";
    case 1:
      return "spread";
    case 2:
      return fmt::format("{{kind: random, seed: {}}}", draw.below(1000));
    case 3:
      return fmt::format("{{kind: fragmented, seed: {}, free: {:.2f}}}", draw.below(1000),
                         0.01 * draw.between(100 * nodes / available, 100));
    default:
      break;
  }
  std::vector<int> hosts;
  while (static_cast<int>(hosts.size()) < nodes) {
    const int host = draw.below(available);
    if (std::find(hosts.begin(), hosts.end(), host) == hosts.end()) hosts.push_back(host);
  }
  return fmt::format("{{kind: hosts, hosts: [\"{}\"]}}", fmt::join(hosts, "\", \""));
}

inline std::string faults(Draw& draw, int hosts, int gpus) {
  std::vector<std::string> lists;
  const auto host = [&] { return fmt::format("host: \"{}\", ", draw.below(hosts)); };
  if (draw.once_in(2))
    lists.push_back(fmt::format("gpus: [{{{}gpu: {}, slowdown: 1.{}}}]", host(), draw.below(gpus),
                                draw.between(1, 9)));
  if (draw.once_in(2)) {
    std::vector<std::string> nics;
    for (int i = draw.between(1, 2); i > 0; --i)
      nics.push_back(fmt::format("{{{}nic: {}, bandwidth_share: {}}}",
                                 draw.once_in(5) ? "" : host(), draw.below(gpus),
                                 draw.one_of({"0", "0", "0.5", "0.25", "0.1"})));
    lists.push_back(fmt::format("nics: [{}]", fmt::join(nics, ", ")));
  }
  if (draw.once_in(6))
    lists.push_back(fmt::format("links: [{{from: leaf0, to: spine0, bandwidth_share: {}}}]",
                                draw.one_of({"0.5", "0.1"})));
  return fmt::format("{{{}}}", fmt::join(lists, ", "));
}

/// Where the job lies: cluster, nodes, placement, order, faults.
inline void add_place(Draw& draw, const ClusterChoice& cluster, int nodes,
                      std::vector<std::string>& settings) {
  settings.push_back("cluster.name=" + cluster.name);
  settings.push_back(fmt::format("cluster.nodes={}", nodes));
  const int most = std::min(cluster.hosts, nodes + 6);
  const int available = draw.once_in(2) ? draw.between(nodes, most) : nodes;
  if (available > nodes) settings.push_back(fmt::format("cluster.available_nodes={}", available));
  settings.push_back("cluster.placement=" + placement(draw, nodes, available));
  settings.push_back(std::string("cluster.rank_order=") +
                     draw.one_of({"by-host", "round-robin", "round-robin", "sorted-hosts"}));
  if (draw.once_in(2))
    settings.push_back("cluster.faults=" + faults(draw, available, cluster.gpus));
}

/// Whole state or only the optimizer's sharded, or gradients and parameters too.
inline void add_sharding(Draw& draw, std::vector<std::string>& settings) {
  const bool units = draw.once_in(3);
  settings.push_back(
      fmt::format("overlap.defer_embedding_wgrad_compute={}", !units && draw.once_in(2)));
  settings.push_back(fmt::format("optimizer.distributed={}", units || draw.once_in(2)));
  if (!units) return;
  settings.push_back(std::string("sharding.strategy=") +
                     draw.one_of({"zero1", "zero2", "zero3", "fsdp1", "fsdp2", "fsdp2",
                                  "megatron_fsdp", "xla_fsdp"}));
  if (draw.once_in(3)) settings.emplace_back("sharding.data_parallel_replicate_degree=2");
}

inline void add_flags(Draw& draw, bool sequence_parallel, std::vector<std::string>& settings) {
  for (const char* flag : {"overlap.overlap_p2p_comm", "overlap.overlap_grad_reduce",
                           "overlap.overlap_param_gather", "cuda_graphs"})
    settings.push_back(fmt::format("{}={}", flag, draw.once_in(2)));
  add_sharding(draw, settings);
  settings.push_back(fmt::format("parallelism.sequence_parallel={}", sequence_parallel));
  const bool quantized = draw.once_in(3);
  settings.push_back(
      std::string("precision=") +
      (quantized ? draw.one_of({"fp8", "fp8", "fp8_cs", "fp8_mx", "fp8_sc", "nvfp4"}) : "bf16"));
  if (quantized) settings.push_back(fmt::format("training.fp8_params={}", draw.once_in(2)));
  settings.push_back(std::string("recompute=") +
                     draw.one_of({"none", "none", "none", "selective", "selective", "full", "full",
                                  "save_dot_except_mlp"}));
  settings.push_back(fmt::format("hardware.recompute_early_stop={}", draw.once_in(2)));
  if (sequence_parallel && draw.once_in(4)) {
    settings.emplace_back("overlap.tp_comm_overlap=true");
    const bool symmetric = draw.once_in(3);
    if (symmetric) {
      settings.emplace_back("hardware.tensor_parallelism=dtensor");
      settings.emplace_back("hardware.separate_projections=true");
    }
    settings.push_back(std::string("overlap.tp_comm_overlap_table=") +
                       (symmetric ? "pytorch-symmetric-memory" : "te-default"));
  }
  if (draw.once_in(4)) settings.emplace_back("optimizer.bucket_size_mb=60");
}

/// A schedule that runs so many chunks a stage, with what it needs; drawn last.
inline void add_schedule(Draw& draw, int vp, std::vector<std::string>& settings) {
  settings.push_back(std::string("parallelism.pipeline_schedule=") +
                     (vp == 1 ? draw.one_of({"1f1b", "gpipe", "zb_h1", "zb_h2"})
                              : draw.one_of({"interleaved", "looped_bfs", "zb_v", "v_half", "v_min",
                                             "dualpipe_v"})));
  for (const char* needed : {"overlap.overlap_p2p_comm=true", "overlap.tp_comm_overlap=false",
                             "overlap.defer_embedding_wgrad_compute=false"})
    settings.emplace_back(needed);
}

}  // namespace random_job

/// A small job drawn at random; some are illegal.
inline RandomJob random_job_on(Draw& draw, const ClusterChoice& cluster) {
  RandomJob job;
  std::vector<std::string>& settings = job.settings;
  const int nodes = draw.between(1, std::min(8, cluster.hosts));
  random_job::add_place(draw, cluster, nodes, settings);
  int left = nodes * cluster.gpus;
  const auto divisor = [&](std::initializer_list<int> values) {
    int drawn = draw.one_of(values);
    while (left % drawn != 0) drawn = draw.one_of(values);
    left /= drawn;
    return drawn;
  };
  const int tp = divisor({1, 2, 2, 4, 4, 8});
  const int cp = divisor({1, 1, 2, 3, 4, 4, 5, 6, 7, 8, 10});
  const int pp = divisor({1, 1, 1, 2, 2, 3, 4, 5, 7});
  const int vp = pp > 1 ? draw.one_of({1, 1, 2}) : 1;
  const int micro_batches = vp > 1 ? pp * draw.between(1, 2) : draw.between(1, 4);
  for (const auto& [key, value] :
       {std::pair<const char*, int>{"tp", tp},
        {"cp", cp},
        {"pp", pp},
        {"vp", vp},
        {"gbs", left * micro_batches},
        {"training.seq_length", 2 * cp * tp * draw.one_of({16, 64, 256})},
        {"model_overrides.num_layers", pp * vp * draw.between(1, 2)}})
    settings.push_back(fmt::format("{}={}", key, value));
  random_job::add_flags(draw, tp > 1 && draw.once_in(2), settings);
  if (pp > 1 && draw.once_in(2)) random_job::add_schedule(draw, vp, settings);
  return job;
}

}  // namespace simtrain::testing
