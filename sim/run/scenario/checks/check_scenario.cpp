#include <algorithm>
#include <array>
#include <set>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sim/collectives/group_layout.h"
#include "sim/collectives/libraries/nccl/nccl_library.h"
#include "sim/run/scenario/checks/checks.h"
#include "sim/topology/fault_times.h"
#include "sim/topology/faults.h"
#include "sim/workload/model/sharding.h"
#include "sim/workload/parallel/rank_grid.h"
#include "sim/workload/schedule/stage_layout.h"

namespace simtrain {
namespace {

/// Passes of one step over all stages: enough for any real recipe, few enough to be simulated.
constexpr double kMostPasses = 2e7;

void check_precision(const Recipe& recipe, const YamlNode& tree) {
  const TrainingSpec& training = recipe.training;
  require(recipe.precision().quantized() || !training.fp8_params, tree, "training.fp8_params",
          "is true with precision {}; FP8 parameters need precision fp8",
          name_of(training.precision));
  require(!recipe.precision().layers.weight.recast || !training.fp8_params, tree,
          "training.fp8_params",
          "is true with precision {}, whose weights are kept and gathered in BF16; "
          "false would do",
          name_of(training.precision));
  const HighLayers high = high_layers(recipe);
  require(recipe.precision().quantized() || high.first + high.last == 0, tree,
          high.first > 0 ? "training.num_layers_at_start_in_bf16"
                         : "training.num_layers_at_end_in_bf16",
          "is set with precision {}, which has all layers in {}; 0 would do",
          name_of(training.precision),
          recipe.precision().layers.input.rowwise.type == DataType::bf16 ? "BF16" : "TF32");
}

/// A precision that a GPU has no rates of is refused. Every GPU computes in BF16; a file without
/// that is to blame itself.
void check_rates(const GpuSpec& gpu, Precision precision, const YamlNode& tree) {
  require(has_rates(gpu, row_of(precision)) || !has_rates(gpu, row_of(Precision::bf16)), tree,
          "training.precision",
          "'{}' is not computed by {}, whose file has no rates of it; bf16 would do",
          name_of(precision), gpu.name);
}

void check_overlap_table(const Recipe& recipe, const YamlNode& tree) {
  const TpOverlapTable& table = *recipe.tp_overlap;
  const std::string_view key = "overlap.tp_comm_overlap_table";
  using enum TpOverlapMethod;
  const bool symmetric = table.symmetric();
  require(symmetric || table.gathers == ring_exchange, tree, key,
          "gathers by {}; ring_exchange or symmetric_memory would do", name_of(table.gathers));
  require(overlaps_by(recipe.software, table), tree, key,
          "gathers by {}, which is not how {} overlaps; {} would do", name_of(table.gathers),
          recipe.software.name, usual_overlap_table(recipe.software));
  for (const TpOverlapEntry& entry : {table.proj_fprop, table.fc2_fprop}) {
    const bool fits = symmetric ? entry.method == symmetric_memory
                                : entry.method == pipeline || entry.method == ring_exchange;
    require(fits, tree, key, "gives a forward GEMM the method {}; {} would do",
            name_of(entry.method), symmetric ? "symmetric_memory" : "pipeline or ring_exchange");
    divides(entry.splits, recipe.tokens(), tree, key, "the tokens of a micro-batch");
    require(entry.method != pipeline || entry.sms > 0, tree, key,
            "has a pipeline entry without SMs");
  }
  for (const TpOverlapEntry& entry :
       {table.qkv_dgrad, table.qkv_wgrad, table.fc1_dgrad, table.fc1_wgrad}) {
    const bool fits = symmetric ? entry.method == none : entry.method == bulk && entry.sms > 0;
    require(fits, tree, key, "gives a backward GEMM something else than {}",
            symmetric ? "none" : "bulk with SMs");
  }
}

/// The fused attention of a stack runs on the GPU; unfused attention is of its GEMMs.
void check_attention(const Scenario& scenario, const YamlNode& tree) {
  const AttentionKernel kernel = scenario.recipe.attention();
  if (kernel == AttentionKernel::unfused) return;
  std::vector<std::string_view> known;
  for (const AttentionSpec& row : scenario.cluster.gpu.attention) {
    if (row.implementation == kernel) return;
    if (row.direction == Direction::forward) known.push_back(name_of(row.implementation));
  }
  require(false, tree, "software", "runs {} attention, which {} has not; a stack with {} would do",
          name_of(kernel), scenario.cluster.gpu.name, fmt::join(known, " or "));
}

void check_overlap_domain(const Scenario& scenario, const YamlNode& tree) {
  const int domain = most_overlapping(scenario.cluster.node);
  require(!scenario.recipe.overlap.tp_comm_overlap || scenario.recipe.tp() <= domain, tree,
          "overlap.tp_comm_overlap",
          "needs the {} GPUs of a TP group in one NVLink domain, which are {} here; false would do",
          scenario.recipe.tp(), domain);
}

void check_overlap(const Recipe& recipe, const YamlNode& tree) {
  const OverlapSpec& overlap = recipe.overlap;
  require(!overlap.tp_comm_overlap || recipe.tp_overlap, tree, "overlap.tp_comm_overlap_table",
          "is missing; tp_comm_overlap needs a table of hardware/tp_overlap");
  if (!overlap.tp_comm_overlap) return;
  require(nccl_settings_of(recipe.software.library) != nullptr, tree, "overlap.tp_comm_overlap",
          "is of user buffers beside NCCL, which {} does not run; false would do",
          recipe.software.name);
  require(recipe.tp() > 1 && recipe.parallelism.sequence_parallel, tree, "overlap.tp_comm_overlap",
          "needs tensor parallelism of 2 or more with sequence_parallel");
  check_overlap_table(recipe, tree);
}

/// Where each kernel ends before the next is launched, none runs beside another.
void check_launch_blocking(const Recipe& recipe, const YamlNode& tree) {
  if (!recipe.cuda_launch_blocking) return;
  const OverlapSpec& overlap = recipe.overlap;
  const std::array<std::pair<std::string_view, bool>, 8> beside{
      {{"overlap.tp_comm_overlap", overlap.tp_comm_overlap},
       {"overlap.overlap_p2p_comm", overlap.overlap_p2p_comm},
       {"overlap.overlap_grad_reduce", overlap.overlap_grad_reduce},
       {"overlap.overlap_param_gather", overlap.overlap_param_gather},
       {"overlap.overlap_moe_expert_parallel_comm", overlap.overlap_moe_expert_parallel_comm},
       {"moe.moe_shared_expert_overlap", recipe.moe.moe_shared_expert_overlap},
       {"offload", recipe.offload.anything()},
       {"sharding.strategy", sharding_of(recipe).units.has_value()}}};
  for (const auto& [key, on] : beside) {
    require(!on, tree, key,
            "has copies or messages run beside kernels, which cuda_launch_blocking: true prevents; "
            "one of them would do");
  }
}

void check_grid(const Scenario& scenario, const YamlNode& tree) {
  const Recipe& recipe = scenario.recipe;
  const std::int64_t gpus = scenario.gpus();
  const std::int64_t model = static_cast<std::int64_t>(recipe.tp()) * recipe.cp() * recipe.pp();
  require(gpus % model == 0, tree, size_key(tree),
          "{} GPUs are no multiple of TP {} x CP {} x PP {} = {}", gpus, recipe.tp(), recipe.cp(),
          recipe.pp(), model);
  check_experts(scenario, tree);
  const std::int64_t dp = gpus / model;
  const TrainingSpec& training = recipe.training;
  const std::int64_t together = dp * training.micro_batch_size;
  require(training.global_batch_size % together == 0, tree, "training.global_batch_size",
          "{} is no multiple of DP {} x micro-batch {} = {}", training.global_batch_size, dp,
          training.micro_batch_size, together);
  const std::int64_t micro_batches = training.global_batch_size / together;
  const double passes = 2.0 * static_cast<double>(micro_batches) * recipe.vp() * recipe.pp();
  require(passes <= kMostPasses, tree, "training.global_batch_size",
          "makes {:.3g} passes a step; up to {:.0g} are simulated", passes, kMostPasses);
  require(recipe.vp() == 1 || recipe.pp() > 1, tree,
          "parallelism.virtual_pipeline_model_parallel_size",
          "is {} without pipeline parallelism; 1 would do", recipe.vp());
  check_schedule(recipe, micro_batches, tree);
}

void check_layout(const Recipe& recipe, const YamlNode& tree) {
  const ParallelismSpec& parallelism = recipe.parallelism;
  const std::string key = "parallelism.pipeline_model_parallel_layout";
  require(!parallelism.account_for_embedding_in_pipeline_split &&
              !parallelism.account_for_loss_in_pipeline_split,
          tree, key, "says where embedding and loss are; the keys account_for_... cannot as well");
  std::vector<ChunkLayout> chunks;
  try {
    chunks = chunks_of_layout(*parallelism.pipeline_model_parallel_layout);
  } catch (const std::invalid_argument& refusal) {
    throw InputError(place_of(tree, key), key, refusal.what());
  }
  const std::size_t wanted =
      static_cast<std::size_t>(recipe.pp()) * static_cast<std::size_t>(recipe.vp());
  require(chunks.size() == wanted, tree, key, "has {} stages; PP {} x VP {} = {} would do",
          chunks.size(), recipe.pp(), recipe.vp(), wanted);
  std::int64_t layers = 0;
  for (const ChunkLayout& chunk : chunks) layers += chunk.layers;
  require(layers == recipe.model.num_layers, tree, key, "has {} layers, the model {}", layers,
          recipe.model.num_layers);
  require(chunks.back().mtp_layers == recipe.model.mtp_num_layers, tree, key,
          "has {} layers m of multi-token prediction, the model {}", chunks.back().mtp_layers,
          recipe.model.mtp_num_layers);
}

/// Layers that are named by number are the model's.
void check_named_layers(const Recipe& recipe, const YamlNode& tree) {
  const int layers = recipe.model.num_layers;
  const HighLayers high = high_layers(recipe);
  require(high.first + high.last <= layers, tree,
          high.first > layers ? "training.num_layers_at_start_in_bf16"
                              : "training.num_layers_at_end_in_bf16",
          "makes {} layers in BF16 of the {} that {} has", high.first + high.last, layers,
          recipe.model.name);
  const int every = recipe.recompute_every_nth_layer;
  require(every <= layers, tree, "recompute_every_nth_layer",
          "is {}, so that none of the {} layers of {} is computed again; recompute none would do",
          every, layers, recipe.model.name);
}

/// What would split layers into chunks that they do not fill evenly.
std::string other_split(const Recipe& recipe, std::int64_t chunks) {
  if ((recipe.model.num_layers + 2) % chunks == 0)
    return "with account_for_embedding_in_pipeline_split and "
           "account_for_loss_in_pipeline_split they do";
  return "pipeline_model_parallel_layout deals them out unevenly";
}

void check_layers(const Recipe& recipe, const YamlNode& tree) {
  check_named_layers(recipe, tree);
  const ParallelismSpec& parallelism = recipe.parallelism;
  if (parallelism.pipeline_model_parallel_layout) return check_layout(recipe, tree);
  const int counted = recipe.dealt_layers();
  const std::int64_t chunks = static_cast<std::int64_t>(recipe.pp()) * recipe.vp();
  require(counted % chunks == 0, tree, "parallelism.pipeline_model_parallel_size",
          "{} layers (embedding and loss counted as set) do not split into PP {} x VP "
          "{} = {} chunks; {}",
          counted, recipe.pp(), recipe.vp(), chunks, other_split(recipe, chunks));
  int least = recipe.model.num_layers;
  for (const int stage : {0, recipe.pp() - 1}) {
    for (const ChunkLayout& chunk : stage_chunks(recipe, stage))
      least = std::min(least, chunk.layers);
  }
  require(least >= 0, tree, "parallelism.pipeline_model_parallel_size",
          "leaves a chunk with fewer than no layers");
}

void check_placement(const Scenario& scenario, const YamlNode& tree) {
  try {
    placed_hosts(scenario.cluster, scenario.placement);
  } catch (const std::invalid_argument& refusal) {
    throw InputError(place_of(tree, "cluster.placement"), "cluster.placement", refusal.what());
  }
}

/// All hosts must be alike, since one replica's passes represent all.
void check_hosts(const Scenario& scenario, const YamlNode& tree) {
  const ClusterSpec& cluster = scenario.cluster;
  for (int host = 0; host < cluster.nodes; ++host) {
    const NodeSpec& node = cluster.node_of(host);
    require(node.gpus == cluster.node.gpus &&
                node.nvlink_domain_nodes.value == cluster.node.nvlink_domain_nodes.value,
            tree, size_key(tree),
            "takes in hosts of {} and {} GPUs or of unlike NVLink domains; a training "
            "step needs them equal",
            cluster.node.gpus, node.gpus);
  }
}

/// All tensor groups must lie alike, for the same reason.
void check_domains(const Scenario& scenario, const YamlNode& tree) {
  const ClusterSpec& cluster = scenario.cluster;
  const std::optional<int> segment = scenario.placement.spec.segment;
  const std::int64_t domain = static_cast<std::int64_t>(cluster.node.gpus) *
                              segment.value_or(cluster.node.nvlink_domain_nodes.value);
  const std::int64_t tp = scenario.recipe.tp();
  const int gpus = segment ? scenario.gpus() : cluster.gpus();
  require(gpus <= domain || domain % tp == 0 || tp % domain == 0, tree,
          "parallelism.tensor_model_parallel_size",
          "{} neither divides nor is a multiple of the {} GPUs of {}, so that "
          "groups would lie differently",
          tp, domain, segment ? "a segment" : "an NVLink domain");
}

/// The stack has one library, the GPU's file has numbers for it, and no map of the scenario is of
/// another.
void check_library(const Scenario& scenario, const YamlNode& tree) {
  const LibraryRow* library = scenario.recipe.software.library.row;
  const std::string& software = scenario.recipe.software.name;
  require(library != nullptr, tree, "software", "{} needs one communication library, nccl or rccl",
          software);
  require(library->knows == nullptr || library->knows(scenario.cluster.gpu), tree, "software",
          "{} runs {}, of which hardware/gpus/{}.yaml has no numbers", software, library->name,
          scenario.cluster.gpu.name);
  for (const LibraryRow* row : library_rows()) {
    const std::string key(row->name);
    require(row == library || !tree.find(key), tree, key,
            "is of a library that {} does not run; it runs {}", software, library->name);
  }
  const NcclSettings* nccl = nccl_settings_of(scenario.recipe.software.library);
  if (nccl == nullptr || !nccl->min_channels || !nccl->max_channels) return;
  require(nccl->min_channels->value <= nccl->max_channels->value, tree, "nccl.min_channels",
          "{} is more than the {} of max_channels", nccl->min_channels->value,
          nccl->max_channels->value);
}

/// At all times, faults name devices that the cluster has and leave every host a NIC.
void check_faults(const ClusterSpec& cluster) {
  const std::vector<Host> hosts = hosts_of(cluster);
  const auto check = [&](const ClusterFaults& faults) {
    static_cast<void>(gpu_slowdowns(faults, hosts));
    static_cast<void>(nics_in_use(faults, nic_factors(faults, hosts), hosts));
  };
  if (!come_and_go(cluster.faults)) return check(cluster.faults);
  check(faults_in_place_at(cluster.faults, Duration(0)));
  for (const Duration edge : fault_edges(cluster.faults, Duration(0)))
    check(faults_in_place_at(cluster.faults, edge));
}

}  // namespace

int most_overlapping(const NodeSpec& node) { return node.gpus * node.nvlink_domain_nodes.value; }

void check_plan(const Scenario& scenario, double parameters, const ScenarioTrees& trees) {
  check_library(scenario, trees.scenario);
  check_precision(scenario.recipe, trees.scenario);
  require(scenario.recipe.model.has_experts() || !trees.scenario.find("moe"), trees.scenario, "moe",
          "is of experts, which {} does not have", scenario.recipe.model.name);
  check_rates(scenario.cluster.gpu, scenario.recipe.training.precision, trees.scenario);
  check_attention(scenario, trees.scenario);
  check_model_cuts(scenario.recipe, parameters, trees.scenario);
  check_grid(scenario, trees.scenario);
  check_layers(scenario.recipe, trees.scenario);
  check_sharding(scenario, trees.scenario);
  check_optimizer(scenario.recipe, trees.scenario);
  check_fine_tuning(scenario.recipe, trees.scenario);
  check_offload(scenario, trees.scenario);
  check_overlap(scenario.recipe, trees.scenario);
  check_overlap_domain(scenario, trees.scenario);
  check_launch_blocking(scenario.recipe, trees.scenario);
  check_domains(scenario, trees.scenario);
}

void check_cluster(const Scenario& scenario, const ScenarioTrees& trees) {
  check_placement(scenario, trees.scenario);
  check_hosts(scenario, trees.scenario);
  check_faults(scenario.cluster);
}

void check_scenario(const Scenario& scenario, const ScenarioTrees& trees) {
  check_plan(scenario, check_model(scenario.recipe.model, trees.model), trees);
  check_recompute(scenario.recipe, trees.scenario);
  check_cluster(scenario, trees);
}

}  // namespace simtrain
