#include "sim/study/first/first_keys.h"

#include <algorithm>

#include <fmt/format.h>

#include "sim/topology/specs/cluster_spec.h"
#include "sim/workload/model/fields/software_fields.h"
#include "sim/workload/model/usual_sequence.h"

namespace simtrain {
namespace {

constexpr std::int64_t kTokensOfStep = 4 << 20;

std::string quoted(const std::string& text) { return fmt::format("\"{}\"", plain_text(text)); }

class FirstKeys {
 public:
  FirstKeys(const DataFolder& data, const FirstRequest& request)
      : data_(data), request_(request), cluster_(cluster(data, request)), nodes_(cluster_.nodes) {}

  std::vector<Finding> keys() {
    head();
    training();
    parallelism();
    rest();
    if (request_.job) job(*request_.job);
    return std::move(keys_);
  }

 private:
  static ClusterSpec cluster(const DataFolder& data, const FirstRequest& request) {
    const SourcePlace named{"--cluster " + request.cluster};
    const int each = node_of_cluster(data, request.cluster, named).gpus;
    if (request.gpus % each != 0)
      throw InputError({}, "--gpus",
                       fmt::format("{} are no whole number of nodes of {} GPUs; {} or {} would do",
                                   request.gpus, each, std::max(1, request.gpus / each) * each,
                                   (request.gpus / each + 1) * each));
    return load_cluster(data, request.cluster, request.gpus / each, named, NodesKey{"--gpus", {}});
  }

  void given(const std::string& key, const std::string& value, const std::string& origin) {
    keys_.push_back({key, value, origin, false});
  }
  void assumed(const std::string& key, const std::string& value, const std::string& why) {
    keys_.push_back({key, value, why, true});
  }
  /// Of the plan that the search found best.
  void planned(const std::string& key, const std::string& value) { given(key, value, ""); }

  void head() {
    given("name",
          quoted(fmt::format("{} on {} {} of {}", request_.model_name, request_.gpus,
                             cluster_.gpu.name, request_.cluster)),
          "made of the options");
    given("source", quoted("a first scenario, made by simtrain new"), "no document");
    given("cluster.name", request_.cluster, "--cluster");
    given("cluster.nodes", std::to_string(nodes_),
          fmt::format("--gpus {}, {} a node", request_.gpus, cluster_.node.gpus));
    assumed("cluster.placement", "compact", "the job's nodes lie side by side");
    software_ = request_.software.value_or(newest_stack());
    if (request_.software)
      given("software", software_, "--software");
    else
      assumed("software", software_, "the newest stack here for such GPUs");
    keys_.insert(keys_.end(), request_.model.begin(), request_.model.end());
  }

  /// That runs the GPU's kernels of attention on its library.
  [[nodiscard]] std::string newest_stack() const {
    const GpuSpec& gpu = cluster_.gpu;
    if (!gpu.has_nccl()) return "megatron-rocm-2025";
    return gpu.architecture >= Architecture::hopper ? "nemo-25.04.01" : "megatron-core-2025-a100";
  }

  /// NeMo's performance recipes set more than Megatron's defaults.
  [[nodiscard]] bool nemo() const { return !software_.starts_with("megatron"); }
  [[nodiscard]] std::string whose() const {
    return nemo() ? "as NVIDIA's NeMo performance recipes" : "default of Megatron";
  }

  void training() {
    const Precision precision = request_.precision.value_or(Precision::bf16);
    const PrecisionRow& row = row_of(precision);
    if (row.quantized() && !has_rates(cluster_.gpu, row))
      throw InputError({}, "--precision",
                       fmt::format("'{}' has no rate on {}; bf16 would do", name_of(precision),
                                   cluster_.gpu.name));
    if (request_.precision)
      given("training.precision", std::string(name_of(precision)), "--precision");
    else
      assumed("training.precision", "bf16", "usual");
    if (row.quantized()) assumed("training.fp8_params", nemo() ? "true" : "false", whose());
    const std::int64_t sequence = sequence_length();
    planned("training.micro_batch_size", "1");
    batch(sequence);
  }

  std::int64_t sequence_length() {
    const std::string key = "training.seq_length";
    const std::int64_t longest = request_.longest.value_or(kUsualSequence);
    const std::int64_t sequence = request_.seq_length.value_or(std::min(longest, kUsualSequence));
    if (request_.seq_length)
      given(key, std::to_string(sequence), "--seq-length");
    else
      assumed(key, std::to_string(sequence),
              sequence < kUsualSequence ? "the longest sequence that the model is made for"
                                        : "as most pretraining of today");
    return sequence;
  }

  void batch(std::int64_t sequence) {
    const std::string key = "training.global_batch_size";
    if (request_.global_batch_size) {
      given(key, std::to_string(*request_.global_batch_size), "--gbs");
      return;
    }
    const std::int64_t wanted = std::max<std::int64_t>(1, kTokensOfStep / sequence);
    const std::int64_t unit = request_.gpus <= wanted ? request_.gpus : nodes_;
    const std::int64_t size = std::max<std::int64_t>(1, (wanted + unit / 2) / unit) * unit;
    assumed(key, std::to_string(size),
            fmt::format("{:.2f} Mi tokens a step: near 4 Mi, a multiple of the {}",
                        static_cast<double>(size * sequence) / (1 << 20),
                        unit == nodes_ && request_.gpus > wanted ? "nodes" : "GPUs"));
  }

  void parallelism() {
    const std::string p = "parallelism.";
    for (const char* size : {"tensor_model_parallel_size", "pipeline_model_parallel_size",
                             "virtual_pipeline_model_parallel_size", "context_parallel_size"})
      planned(p + size, "1");
    assumed(p + "sequence_parallel", "true", "as usual with TP");
    planned(p + "account_for_embedding_in_pipeline_split", "false");
    planned(p + "account_for_loss_in_pipeline_split", "false");
  }

  void overlap_of_tensors() {
    const auto software = data_.load<SoftwareSpec>("hardware/software", software_,
                                                   {"--software " + software_}, "--software");
    const bool user_buffers = nemo() && !software.uses_dtensor();
    assumed("overlap.tp_comm_overlap", user_buffers ? "true" : "false",
            software.uses_dtensor() ? "torchtitan's default, without async TP" : whose());
    if (user_buffers)
      assumed("overlap.tp_comm_overlap_table", std::string(kUserBuffersTable),
              "Transformer Engine's own, where no table is made for the shape");
  }

  void rest() {
    overlap_of_tensors();
    assumed("overlap.overlap_p2p_comm", "true", "as Megatron with VP of 2 or more");
    assumed("overlap.overlap_grad_reduce", "true", "usual with the distributed optimizer");
    assumed("overlap.overlap_param_gather", "true", "usual with the distributed optimizer");
    assumed("optimizer.distributed", "true", "usual");
    assumed("optimizer.grad_reduce_dtype", nemo() ? "bf16" : "fp32", whose());
    assumed("optimizer.bucket_size_mb", nemo() ? "268.435456" : "160",
            nemo() ? "128 Mi elements of 2 bytes, " + whose()
                   : "40 million elements of 4 bytes, " + whose());
    planned("recompute", "none");
  }

  void job(const FirstJob& wanted) {
    const std::string tokens = fmt::format("{}", wanted.tokens);
    if (wanted.tokens_given)
      given("job.tokens", tokens, "--tokens");
    else
      assumed("job.tokens", tokens, "as the days that are printed");
    given("job.failures", wanted.failures, "--failures");
    assumed("job.checkpoint",
            fmt::format("{{storage: {}, async_save: true}}",
                        wanted.storage.value_or("lustre-superpod")),
            wanted.storage ? "--storage, and saves beside training"
                           : "a parallel file system, and saves beside training");
  }

  const DataFolder& data_;
  const FirstRequest& request_;
  ClusterSpec cluster_;
  int nodes_;
  std::string software_;
  std::vector<Finding> keys_;
};

}  // namespace

std::vector<Finding> first_keys(const DataFolder& data, const FirstRequest& request) {
  return FirstKeys(data, request).keys();
}

}  // namespace simtrain
