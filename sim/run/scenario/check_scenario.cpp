#include <algorithm>
#include <set>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sim/collectives/group_layout.h"
#include "sim/run/scenario/scenario.h"
#include "sim/topology/faults.h"
#include "sim/workload/parallel/rank_grid.h"
#include "sim/workload/schedule/stage_layout.h"

namespace simtrain {
namespace {

/// Passes of one step over all stages: enough for any real recipe, few enough to be simulated.
constexpr double kMostPasses = 2e7;
/// Sizes whose products stay far inside 64 bits.
constexpr double kMostParameters = 1e15;
constexpr double kMostRows = 1e10;

void require(bool holds, const YamlNode& tree, const std::string& key,
             const std::string& sentence) {
  if (!holds) throw InputError(place_of(tree, key), key, sentence);
}

void divides(std::int64_t divisor, std::int64_t number, const YamlNode& tree,
             const std::string& key, std::string_view what) {
  require(number % divisor == 0, tree, key,
          fmt::format("{} does not divide {} ({})", divisor, what, number));
}

void check_precision(const Recipe& recipe, const YamlNode& tree) {
  const TrainingSpec& training = recipe.training;
  require(recipe.precision().quantized() || !training.fp8_params, tree, "training.fp8_params",
          fmt::format("is true with precision {}; FP8 parameters need precision fp8",
                      name_of(training.precision)));
  require(bytes_of(recipe.optimizer.grad_reduce_dtype) > 1, tree, "optimizer.grad_reduce_dtype",
          "'fp8' cannot hold gradients; bf16 or fp32 would do");
}

/// A precision that a GPU has no rates of is refused. Every GPU computes in BF16; a file without
/// that is to blame itself.
void check_rates(const GpuSpec& gpu, Precision precision, const YamlNode& tree) {
  require(has_rates(gpu, row_of(precision)) || !has_rates(gpu, row_of(Precision::bf16)), tree,
          "training.precision",
          fmt::format("'{}' is not computed by {}, whose file has no rates of it; bf16 would do",
                      name_of(precision), gpu.name));
}

/// Experts have blocks of their own, which a list of layers names.
void check_expert_blocks(const ModelSpec& model, const YamlNode& tree) {
  bool listed = false;
  for (const LayerSpec& layer : model.layers.value_or(std::vector<LayerSpec>{})) {
    if (std::find(layer.blocks.begin(), layer.blocks.end(), BlockKind::moe) == layer.blocks.end())
      continue;
    listed = true;
    if (!model.experts)
      throw InputError(layer.where, "layers.blocks",
                       "has moe; experts says nothing of the experts");
  }
  if (!model.experts) return;
  require(listed, tree, "experts", "is of moe blocks, which layers does not have");
  require(model.experts->moe_router_topk <= model.experts->num_moe_experts, tree, "experts",
          fmt::format("takes {} of {} experts; at most all of them would do",
                      model.experts->moe_router_topk, model.experts->num_moe_experts));
  const double weights = static_cast<double>(model.experts->num_moe_experts) *
                         static_cast<double>(model.experts->moe_ffn_hidden_size) *
                         static_cast<double>(model.hidden_size);
  require(weights <= kMostParameters, tree, "experts",
          fmt::format("makes {:.3g} weights of one matrix of a layer; up to {:.0g} are modelled",
                      weights, kMostParameters));
}

/// A list of layers has as many as the model, of blocks that layers are made of.
void check_layer_list(const ModelSpec& model, const YamlNode& tree) {
  if (!model.layers) return;
  std::vector<std::string_view> known;
  for (const BlockRow& row : block_rows()) {
    if (row.of_layer) known.push_back(name_of(row.kind));
  }
  const auto refuse = [&](const LayerSpec& layer, const std::string& found) {
    throw InputError(layer.where, "layers.blocks",
                     fmt::format("{}; some of {} would do", found, fmt::join(known, ", ")));
  };
  for (const LayerSpec& layer : *model.layers) {
    if (layer.blocks.empty()) refuse(layer, "is empty");
    for (const BlockKind block : layer.blocks) {
      if (!row_of(block).of_layer)
        refuse(layer, fmt::format("has '{}', which is no block of a layer", name_of(block)));
    }
  }
  const std::int64_t layers = listed_layers(model);
  require(layers == model.num_layers, tree, "layers",
          fmt::format("has {} layers, num_layers says {}", layers, model.num_layers));
}

void check_model(const Recipe& recipe, const ScenarioTrees& trees) {
  const ModelSpec& model = recipe.model;
  check_layer_list(model, trees.model);
  check_expert_blocks(model, trees.model);
  const YamlNode& tree = trees.scenario;
  require(model.num_attention_heads % model.num_query_groups == 0, trees.model, "num_query_groups",
          fmt::format("{} does not divide the {} attention heads", model.num_query_groups,
                      model.num_attention_heads));
  require(!model.share_embeddings_and_output_weights, trees.model,
          "share_embeddings_and_output_weights",
          "is true; tied embeddings are not modelled yet, false would do");
  const std::string key = "parallelism.tensor_model_parallel_size";
  divides(recipe.tp(), model.num_attention_heads, tree, key, "the attention heads");
  divides(recipe.tp(), model.num_query_groups, tree, key, "the query groups");
  divides(recipe.tp(), model.ffn_hidden_size, tree, key, "ffn_hidden_size");
  divides(recipe.tp(), model.vocab_size, tree, key, "vocab_size");
  divides(recipe.tp(), model.hidden_size, tree, key, "hidden_size");
}

/// Of a whole model, where they might leave 64 bits.
double estimated_parameters(const ModelSpec& model) {
  Recipe one_rank;
  one_rank.model = model;
  const ModelTotals totals(one_rank);
  auto parameters = static_cast<double>(totals.embedding().parameters + totals.head().parameters);
  for (int kind = 0; kind < totals.kinds(); ++kind) {
    parameters += totals.layers().kinds()[static_cast<std::size_t>(kind)].layers *
                  static_cast<double>(totals.of_kind(kind).parameters);
  }
  return parameters;
}

void check_sizes(const Recipe& recipe, const ScenarioTrees& trees) {
  constexpr double kMostTokens = 1e9;
  constexpr double kMostColumns = 1e8;
  constexpr double kMostBuckets = 1e5;
  const ModelSpec& model = recipe.model;
  const double tokens =
      static_cast<double>(recipe.training.seq_length) * recipe.training.micro_batch_size;
  require(tokens <= kMostTokens, trees.scenario, "training.micro_batch_size",
          fmt::format("makes {:.3g} tokens of one pass; up to {:.0g} are modelled", tokens,
                      kMostTokens));
  const double columns =
      static_cast<double>(model.num_attention_heads) * static_cast<double>(model.kv_channels);
  require(columns <= kMostColumns, trees.model, "kv_channels",
          fmt::format("makes {:.3g} columns with {} heads; up to {:.0g} are modelled", columns,
                      model.num_attention_heads, kMostColumns));
  const double parameters = estimated_parameters(model);
  require(parameters <= kMostParameters, trees.model, "num_layers",
          fmt::format("makes {:.3g} parameters; up to {:.0g} are modelled", parameters,
                      kMostParameters));
  const double buckets = parameters / recipe.tp() *
                         static_cast<double>(bytes_of(recipe.optimizer.grad_reduce_dtype)) /
                         (recipe.optimizer.bucket_size_mb * 1e6);
  require(buckets <= kMostBuckets, trees.scenario, "optimizer.bucket_size_mb",
          fmt::format("makes {:.3g} buckets of the gradients; up to {:.0g} are simulated", buckets,
                      kMostBuckets));
}

void check_sequence(const Recipe& recipe, const YamlNode& tree) {
  const bool fused = recipe.software.attention.value != AttentionKernel::unfused;
  require(fused || recipe.cp() == 1, tree, "parallelism.context_parallel_size",
          fmt::format("is {}; the unfused attention of {} is not split over context, 1 would do",
                      recipe.cp(), recipe.software.name));
  const std::int64_t blocks = recipe.cp() > 1 ? 2 * recipe.cp() : 1;
  require(recipe.training.seq_length % blocks == 0, tree, "parallelism.context_parallel_size",
          fmt::format("{} cuts a sequence into {} blocks, which do not divide seq_length {}",
                      recipe.cp(), blocks, recipe.training.seq_length));
  if (recipe.parallelism.sequence_parallel) {
    divides(recipe.tp(), recipe.training.seq_length / recipe.cp(), tree,
            "parallelism.sequence_parallel", "the tokens of a micro-batch");
  }
}

void check_overlap(const Recipe& recipe, const YamlNode& tree) {
  const OverlapSpec& overlap = recipe.overlap;
  require(!overlap.tp_comm_overlap || recipe.tp_overlap, tree, "overlap.tp_comm_overlap_table",
          "is missing; tp_comm_overlap needs a table of hardware/tp_overlap");
  if (!overlap.tp_comm_overlap) return;
  require(recipe.tp() > 1 && recipe.parallelism.sequence_parallel, tree, "overlap.tp_comm_overlap",
          "needs tensor parallelism of 2 or more with sequence_parallel");
  for (const TpOverlapEntry& entry :
       {recipe.tp_overlap->proj_fprop, recipe.tp_overlap->fc2_fprop}) {
    require(entry.method != TpOverlapMethod::bulk, tree, "overlap.tp_comm_overlap_table",
            "gives a forward GEMM the method bulk; pipeline or ring_exchange would do");
    divides(entry.splits, recipe.tokens(), tree, "overlap.tp_comm_overlap_table",
            "the tokens of a micro-batch");
    require(entry.method != TpOverlapMethod::pipeline || entry.sms > 0, tree,
            "overlap.tp_comm_overlap_table", "has a pipeline entry without SMs");
  }
  for (const TpOverlapEntry& entry : {recipe.tp_overlap->qkv_dgrad, recipe.tp_overlap->qkv_wgrad,
                                      recipe.tp_overlap->fc1_dgrad, recipe.tp_overlap->fc1_wgrad}) {
    require(entry.method == TpOverlapMethod::bulk && entry.sms > 0, tree,
            "overlap.tp_comm_overlap_table",
            "gives a backward GEMM something else than bulk with SMs");
  }
}

/// Rows that the busiest rank of a recipe may have, by what it says of them.
void check_rows(const Recipe& recipe, const YamlNode& tree) {
  const MoeSpec& moe = recipe.moe;
  const double by_token = recipe.model.experts->moe_router_topk *
                          moe.moe_expert_capacity_factor.value_or(1) *
                          moe.moe_load_imbalance.value_or(1);
  const double rows = static_cast<double>(recipe.tokens()) *
                      std::max(by_token, static_cast<double>(recipe.ep())) * recipe.etp();
  require(rows <= kMostRows, tree, "parallelism.expert_model_parallel_size",
          fmt::format("makes {:.3g} rows of one rank's experts; up to {:.0g} are modelled", rows,
                      kMostRows));
}

void check_dispatcher(const Recipe& recipe, const YamlNode& tree) {
  const MoeSpec& moe = recipe.moe;
  const bool flex = moe.moe_token_dispatcher_type == TokenDispatcher::flex;
  require(flex || !moe.moe_flex_dispatcher_num_sms, tree, "moe.moe_flex_dispatcher_num_sms",
          "is of the flex dispatcher; moe_token_dispatcher_type says another");
  require(moe.moe_expert_capacity_factor || !moe.moe_pad_expert_input_to_capacity, tree,
          "moe.moe_pad_expert_input_to_capacity",
          "needs a capacity: moe_expert_capacity_factor is missing");
  require(!moe.moe_expert_capacity_factor ||
              moe.moe_token_dispatcher_type != TokenDispatcher::allgather ||
              !moe.moe_pad_expert_input_to_capacity,
          tree, "moe.moe_pad_expert_input_to_capacity",
          "is not of the allgather dispatcher; alltoall would do");
}

/// Experts divide over EP and ETP, and these over the ranks of a stage.
void check_experts(const Scenario& scenario, const YamlNode& tree) {
  const Recipe& recipe = scenario.recipe;
  const std::string ep = "parallelism.expert_model_parallel_size";
  const std::string etp = "parallelism.expert_tensor_parallel_size";
  if (!recipe.model.has_experts()) {
    require(recipe.ep() == 1, tree, ep,
            fmt::format("is {}; {} has no experts, 1 would do", recipe.ep(), recipe.model.name));
    require(!recipe.parallelism.expert_tensor_parallel_size, tree, etp,
            fmt::format("is of experts, which {} does not have", recipe.model.name));
    return;
  }
  const ExpertsSpec& experts = *recipe.model.experts;
  divides(recipe.ep(), experts.num_moe_experts, tree, ep, "the experts");
  divides(recipe.etp(), experts.moe_ffn_hidden_size, tree, etp, "moe_ffn_hidden_size");
  divides(recipe.tp(), experts.moe_shared_expert_intermediate_size, tree,
          "parallelism.tensor_model_parallel_size", "moe_shared_expert_intermediate_size");
  const std::int64_t stage = scenario.gpus() / recipe.pp();
  const std::int64_t together = std::int64_t{recipe.ep()} * recipe.etp();
  require(stage % together == 0, tree, ep,
          fmt::format("{} x ETP {} = {} does not divide the {} GPUs of a pipeline stage",
                      recipe.ep(), recipe.etp(), together, stage));
  require(recipe.tp() == 1 || recipe.parallelism.sequence_parallel, tree,
          "parallelism.sequence_parallel", "is false; experts under tensor parallelism need it");
  check_rows(recipe, tree);
  check_dispatcher(recipe, tree);
}

void check_grid(const Scenario& scenario, const YamlNode& tree) {
  const Recipe& recipe = scenario.recipe;
  const std::int64_t gpus = scenario.gpus();
  const std::int64_t model = static_cast<std::int64_t>(recipe.tp()) * recipe.cp() * recipe.pp();
  require(gpus % model == 0, tree, size_key(tree),
          fmt::format("{} GPUs are no multiple of TP {} x CP {} x PP {} = {}", gpus, recipe.tp(),
                      recipe.cp(), recipe.pp(), model));
  check_experts(scenario, tree);
  const std::int64_t dp = gpus / model;
  const TrainingSpec& training = recipe.training;
  const std::int64_t together = dp * training.micro_batch_size;
  require(training.global_batch_size % together == 0, tree, "training.global_batch_size",
          fmt::format("{} is no multiple of DP {} x micro-batch {} = {}",
                      training.global_batch_size, dp, training.micro_batch_size, together));
  const std::int64_t micro_batches = training.global_batch_size / together;
  const double passes = 2.0 * static_cast<double>(micro_batches) * recipe.vp() * recipe.pp();
  require(
      passes <= kMostPasses, tree, "training.global_batch_size",
      fmt::format("makes {:.3g} passes a step; up to {:.0g} are simulated", passes, kMostPasses));
  require(recipe.vp() == 1 || recipe.pp() > 1, tree,
          "parallelism.virtual_pipeline_model_parallel_size",
          fmt::format("is {} without pipeline parallelism; 1 would do", recipe.vp()));
  require(recipe.vp() == 1 || micro_batches % recipe.pp() == 0, tree,
          "parallelism.virtual_pipeline_model_parallel_size",
          fmt::format("interleaves {} micro-batches, no multiple of PP {}", micro_batches,
                      recipe.pp()));
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
  require(chunks.size() == wanted, tree, key,
          fmt::format("has {} stages; PP {} x VP {} = {} would do", chunks.size(), recipe.pp(),
                      recipe.vp(), wanted));
  std::int64_t layers = 0;
  for (const ChunkLayout& chunk : chunks) layers += chunk.layers;
  require(layers == recipe.model.num_layers, tree, key,
          fmt::format("has {} layers, the model {}", layers, recipe.model.num_layers));
}

void check_layers(const Recipe& recipe, const YamlNode& tree) {
  const ParallelismSpec& parallelism = recipe.parallelism;
  if (parallelism.pipeline_model_parallel_layout) return check_layout(recipe, tree);
  const int counted = recipe.model.num_layers +
                      (parallelism.account_for_embedding_in_pipeline_split ? 1 : 0) +
                      (parallelism.account_for_loss_in_pipeline_split ? 1 : 0);
  const std::int64_t chunks = static_cast<std::int64_t>(recipe.pp()) * recipe.vp();
  require(counted % chunks == 0, tree, "parallelism.pipeline_model_parallel_size",
          fmt::format("{} layers (embedding and loss counted as set) do not split into PP {} x VP "
                      "{} = {} chunks",
                      counted, recipe.pp(), recipe.vp(), chunks));
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
            fmt::format("takes in hosts of {} and {} GPUs or of unlike NVLink domains; a training "
                        "step needs them equal",
                        cluster.node.gpus, node.gpus));
  }
}

/// All tensor groups must lie alike, for the same reason.
void check_domains(const Scenario& scenario, const YamlNode& tree) {
  const ClusterSpec& cluster = scenario.cluster;
  const std::int64_t domain =
      static_cast<std::int64_t>(cluster.node.gpus) * cluster.node.nvlink_domain_nodes.value;
  const std::int64_t tp = scenario.recipe.tp();
  require(cluster.gpus() <= domain || domain % tp == 0 || tp % domain == 0, tree,
          "parallelism.tensor_model_parallel_size",
          fmt::format("{} neither divides nor is a multiple of the {} GPUs of an NVLink domain, so "
                      "that groups would lie differently",
                      tp, domain));
}

/// Faults name devices that the cluster has and leave every host a NIC.
void check_faults(const ClusterSpec& cluster) {
  const std::vector<Host> hosts = hosts_of(cluster);
  static_cast<void>(gpu_slowdowns(cluster.faults, hosts));
  static_cast<void>(nics_in_use(cluster.faults, nic_factors(cluster.faults, hosts), hosts));
}

}  // namespace

void check_plan(const Scenario& scenario, const ScenarioTrees& trees) {
  check_precision(scenario.recipe, trees.scenario);
  require(scenario.recipe.model.has_experts() || !trees.scenario.find("moe"), trees.scenario, "moe",
          fmt::format("is of experts, which {} does not have", scenario.recipe.model.name));
  check_rates(scenario.cluster.gpu, scenario.recipe.training.precision, trees.scenario);
  check_model(scenario.recipe, trees);
  check_sizes(scenario.recipe, trees);
  check_sequence(scenario.recipe, trees.scenario);
  check_grid(scenario, trees.scenario);
  check_layers(scenario.recipe, trees.scenario);
  check_overlap(scenario.recipe, trees.scenario);
  check_domains(scenario, trees.scenario);
}

void check_cluster(const Scenario& scenario, const ScenarioTrees& trees) {
  check_placement(scenario, trees.scenario);
  check_hosts(scenario, trees.scenario);
  check_faults(scenario.cluster);
}

void check_scenario(const Scenario& scenario, const ScenarioTrees& trees) {
  check_plan(scenario, trees);
  check_cluster(scenario, trees);
}

}  // namespace simtrain
