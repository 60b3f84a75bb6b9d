#include "sim/import/scenario/scenario_keys.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sim/core/input/number_text.h"
#include "sim/core/input/scalar_text.h"
#include "sim/core/input/yaml_text.h"
#include "sim/import/job/adapter_keys.h"
#include "sim/import/job/batch_size.h"
#include "sim/import/job/job_nodes.h"
#include "sim/import/job/offload_keys.h"
#include "sim/import/job/optimizer_keys.h"
#include "sim/import/job/sharding_keys.h"
#include "sim/import/job/virtual_stages.h"
#include "sim/import/model/expert_keys.h"
#include "sim/import/model/model_match.h"
#include "sim/import/model/named_model.h"
#include "sim/import/scenario/given_keys.h"
#include "sim/import/terms/overlap_table.h"
#include "sim/import/terms/term_findings.h"
#include "sim/run/scenario/scenario.h"
#include "sim/workload/model/fields/model_fields.h"
#include "sim/workload/model/fields/software_fields.h"

namespace simtrain {
namespace {

const std::string kNotUsed = "off without pipeline or virtual stages, whatever the recipe gives";

class ScenarioKeys {
 public:
  ScenarioKeys(const RecipeReading& reading, const ImportFile& file, const RecipeRequest& request,
               const DataFolder& data)
      : t_(reading.terms),
        settings_(reading.settings),
        file_(file),
        request_(request),
        data_(data),
        given_(given_keys(request.settings)) {}

  std::vector<Finding> keys() {
    head();
    std::vector<Finding> before = std::move(findings_);
    findings_.clear();
    training();
    parallelism();
    std::vector<Finding> after = std::move(findings_);
    findings_ = before;
    findings_.insert(findings_.end(), after.begin(), after.end());  // for number() and flag()
    batch();
    sharding();
    overlap();
    optimizer();
    rest();
    const std::vector<Finding> own = model();
    experts(own);
    return in_order(before.size(), own);
  }

 private:
  /// The findings with the model behind the first `head`, and given keys that are not asked for.
  std::vector<Finding> in_order(std::size_t head, const std::vector<Finding>& model) {
    findings_.insert(findings_.begin() + static_cast<std::ptrdiff_t>(head), model.begin(),
                     model.end());
    for (const auto& [key, value] : given_) {
      const auto known = std::find_if(findings_.begin(), findings_.end(),
                                      [&k = key](const Finding& f) { return f.key == k; });
      if (known == findings_.end() && !is_shape_key(key))
        findings_.push_back({key, value, "--set"});
    }
    return std::move(findings_);
  }

  template <class Derive>
  void put(const std::string& key, Derive derive) {
    const auto given = given_.find(key);
    if (given != given_.end()) {
      findings_.push_back({key, given->second, "--set"});
      return;
    }
    Finding finding = derive();
    finding.key = key;
    findings_.push_back(std::move(finding));
  }

  [[noreturn]] void refuse(const std::string& key, const std::string& sentence,
                           const SourcePlace& place = {}) const {
    throw InputError(place.file.empty() ? SourcePlace{file_.path} : place, key, sentence);
  }

  /// A count that only the recipe can give.
  void required(const std::string& key, const WholeTerm& term) {
    put(key, [&]() -> Finding {
      if (!term)
        refuse(key, fmt::format("the recipe does not give it; --set {}=N sets it, --defaults takes "
                                "what is usual",
                                key));
      Finding finding = of(*term);
      finding.noted = term->assumed;
      return finding;
    });
  }
  void with_default(const std::string& key, const WholeTerm& term, std::int64_t value) {
    put(key, [&]() -> Finding {
      if (term) return of(*term);
      return {"", std::to_string(value), "default of the framework", true};
    });
  }
  void with_default(const std::string& key, const FlagTerm& term) {
    put(key, [&] { return term ? of(*term) : off(); });
  }

  [[nodiscard]] std::string value_of(std::string_view key) const {
    const auto found = std::find_if(findings_.begin(), findings_.end(),
                                    [&](const Finding& f) { return f.key == key; });
    return found == findings_.end() ? "" : found->value;
  }
  /// A count that was found before; 1 where it is no count, which the check of the whole refuses.
  [[nodiscard]] std::int64_t number(std::string_view key) const {
    const std::string text = value_of(key);
    std::string_view left = text;
    return std::clamp<std::int64_t>(take_number<std::int64_t>(left).value_or(1), 1, 1000000);
  }
  [[nodiscard]] bool flag(std::string_view key) const { return value_of(key) == "true"; }

  void head() {
    const std::string stem = std::filesystem::path(file_.path).stem().string();
    const std::string name = request_.name ? *request_.name : t_.name ? t_.name->value : stem;
    const auto quoted = [](const std::string& text) {
      return fmt::format("\"{}\"", plain_text(text));
    };
    put("name", [&]() -> Finding {
      return {"", quoted(name), request_.name ? "--name" : t_.name ? t_.name->origin : "the file"};
    });
    put("source", [&]() -> Finding {
      return {"", quoted("imported from " + file_.path), "the file"};
    });
    put("cluster.name", [&]() -> Finding {
      if (request_.cluster)
        return named_file(data_, "hardware/clusters", *request_.cluster, "--cluster");
      refuse("cluster", fmt::format("a recipe names no cluster; --cluster NAME sets it, "
                                    "one of {}",
                                    fmt::join(data_.names("hardware/clusters"), ", ")));
    });
    put("cluster.nodes", [&] {
      return nodes_of(t_, given_, request_.nodes, {value_of("cluster.name"), gpus_per_node()},
                      {file_.path});
    });
    put("cluster.placement", []() -> Finding { return {"", "compact", "as usual", true}; });
    put("software", [&]() -> Finding {
      if (request_.software)
        return named_file(data_, "hardware/software", *request_.software, "--software");
      refuse("software", fmt::format("a recipe names no software stack; --software "
                                     "NAME sets it, one of {}",
                                     fmt::join(data_.names("hardware/software"), ", ")));
    });
  }

  /// The model that the recipe differs from, where it or the request names one.
  [[nodiscard]] ModelMatch match_of() const {
    ModelMatch match{std::nullopt, "", given_, {file_.path}, value_of("name")};
    const auto given = given_.find("model");
    if (given != given_.end()) {
      match.base = given->second;
      match.base_origin = "--set";
    } else if (request_.model) {
      match.base = named_file(data_, "scenarios/models", *request_.model, "--model").value;
      match.base_origin = "--model";
    } else if (t_.model_class) {
      match.base = named_model(t_.model_class->value);
      match.base_origin = t_.model_class->origin;
    }
    return match;
  }

  /// The layers of that model; 0 where it is no file of scenarios/models.
  [[nodiscard]] std::int64_t named_layers() const {
    const ModelMatch match = match_of();
    const std::vector<std::string> known = data_.names("scenarios/models");
    if (!match.base || std::find(known.begin(), known.end(), *match.base) == known.end()) return 0;
    return data_.load<ModelSpec>("scenarios/models", *match.base, match.where, "model").num_layers;
  }

  /// The most layers of a chunk of a pipeline stage; 0 where the model is not known by name.
  [[nodiscard]] std::int64_t layers_of_chunk() const {
    const std::int64_t layers = t_.num_layers ? t_.num_layers->value : named_layers();
    const std::int64_t chunks = number("parallelism.pipeline_model_parallel_size") *
                                number("parallelism.virtual_pipeline_model_parallel_size");
    return chunks < 1 ? 0 : (layers + chunks - 1) / chunks;
  }

  std::vector<Finding> model() {
    return model_of_recipe(t_, match_of(), number("parallelism.tensor_model_parallel_size"), data_);
  }

  void training() {
    put("training.precision", [&] { return precision_of(t_, {file_.path}); });
    put("training.fp8_params", [&]() -> Finding {
      if (value_of("training.precision") == "bf16") return {"", "false", "not FP8"};
      return t_.fp8_params ? of(*t_.fp8_params) : off();
    });
    if (holds(t_.first_last_layers_bf16) && value_of("training.precision") != "bf16") {
      with_default("training.num_layers_at_start_in_bf16", t_.num_layers_at_start_in_bf16, 1);
      with_default("training.num_layers_at_end_in_bf16", t_.num_layers_at_end_in_bf16, 1);
    }
    required("training.seq_length", t_.seq_length);
  }

  /// GPUs of a node of the cluster.
  [[nodiscard]] std::int64_t gpus_per_node() const {
    const std::string cluster = value_of("cluster.name");
    return node_of_cluster(data_, cluster, {"--cluster " + cluster}).gpus;
  }

  [[nodiscard]] std::int64_t model_parallel() const {
    return number("parallelism.tensor_model_parallel_size") *
           number("parallelism.pipeline_model_parallel_size");
  }

  [[nodiscard]] JobRanks job() const {
    const std::int64_t nodes = number("cluster.nodes");
    const std::int64_t gpus = nodes * gpus_per_node();
    const std::int64_t split = model_parallel() * number("parallelism.context_parallel_size");
    return {gpus, std::max<std::int64_t>(1, gpus / split), nodes,
            nodes == 1 ? widening_of(t_, given_, request_.nodes, gpus_per_node()) : 1};
  }

  void batch() {
    put("training.micro_batch_size", [&] { return micro_batch_of(t_, job(), {file_.path}); });
    put("training.global_batch_size",
        [&] { return global_batch_of(t_, job(), number("training.micro_batch_size")); });
  }

  void sharding() {
    if (given_.find("sharding") != given_.end()) return;  // the user gives all of that section
    const JobRanks ranks = job();
    put_sharding(t_, ranks, ranks.gpus / model_parallel(),
                 [&](const std::string& key, const std::function<Finding()>& derive) {
                   put(key, derive);
                   return value_of(key);
                 });
  }

  /// The row of the strategy, where one is named.
  [[nodiscard]] const ShardingRow* strategy() const {
    const auto given = given_.find("sharding.strategy");
    return sharding_row(given == given_.end() ? value_of("sharding.strategy") : given->second);
  }

  void parallelism() {
    const std::string p = "parallelism.";
    with_default(p + "tensor_model_parallel_size", t_.tensor_model_parallel_size, 1);
    with_default(p + "pipeline_model_parallel_size", t_.pipeline_model_parallel_size, 1);
    put(p + "virtual_pipeline_model_parallel_size", [&] {
      return virtual_stages_of(t_, named_layers(), number(p + "pipeline_model_parallel_size"),
                               {file_.path});
    });
    if (const WordTerm& schedule = t_.pipeline_schedule; schedule && !schedule->assumed)
      put(p + "pipeline_schedule", [&] { return of(*schedule); });
    const WholeTerm& group = t_.microbatch_group_size_per_vp_stage;
    if (group && group->value != number(p + "pipeline_model_parallel_size") &&
        number(p + "virtual_pipeline_model_parallel_size") > 1)
      put(p + "microbatch_group_size_per_vp_stage", [&] { return of(*group); });
    with_default(p + "context_parallel_size", t_.context_parallel_size, 1);
    with_default(p + "expert_model_parallel_size", t_.expert_model_parallel_size, 1);
    put(p + "sequence_parallel", [&]() -> Finding {
      if (number(p + "tensor_model_parallel_size") == 1)
        return {"", "false", "nothing to split with TP 1"};
      return t_.sequence_parallel ? of(*t_.sequence_parallel) : off();
    });
    with_default(p + "account_for_embedding_in_pipeline_split",
                 t_.account_for_embedding_in_pipeline_split);
    with_default(p + "account_for_loss_in_pipeline_split", t_.account_for_loss_in_pipeline_split);
    if (const WordTerm& layout = t_.pipeline_model_parallel_layout) {
      put(p + "pipeline_model_parallel_layout", [&]() -> Finding {
        YamlNode text;
        text.kind = YamlNode::Kind::scalar;
        text.text = layout->value;
        return {"", flow_text(text), layout->origin, layout->assumed};
      });
    }
  }

  /// A switch of data-parallel overlap.
  void beside_passes(const std::string& key, const FlagTerm& term) {
    const ShardingRow* row = strategy();
    put(key, [&]() -> Finding {
      if (term) return of(*term);
      if (row == nullptr || !overlaps_by_itself(*row)) return off();
      return {"", "true", fmt::format("as {} does by itself", name_of(row->kind))};
    });
  }

  /// Software that is refused has none.
  Finding usual_table() const {
    const std::string name = value_of("software");
    if (name.empty()) return {"", std::string(kUserBuffersTable), "no table given", true};
    const auto software = data_.load<SoftwareSpec>("hardware/software", name, {}, "software");
    return {"", std::string(usual_overlap_table(software)), "no table given: the software's own",
            true};
  }

  void overlap() {
    const std::string o = "overlap.";
    const bool staged = number("parallelism.pipeline_model_parallel_size") > 1;
    const bool interleaved =
        staged && number("parallelism.virtual_pipeline_model_parallel_size") > 1;
    with_default(o + "tp_comm_overlap", t_.tp_comm_overlap);
    if (flag(o + "tp_comm_overlap")) {
      put(o + "tp_comm_overlap_table", [&]() -> Finding {
        if (!t_.tp_comm_overlap_cfg) return usual_table();
        return {"", overlap_table(*t_.tp_comm_overlap_cfg, value_of("training.precision"), data_),
                t_.tp_comm_overlap_cfg->origin};
      });
    }
    put(o + "overlap_p2p_comm", [&]() -> Finding {
      if (!interleaved) return {"", "false", kNotUsed};
      return t_.overlap_p2p_comm ? of(*t_.overlap_p2p_comm) : off();
    });
    beside_passes(o + "overlap_grad_reduce", t_.overlap_grad_reduce);
    beside_passes(o + "overlap_param_gather", t_.overlap_param_gather);
    put(o + "defer_embedding_wgrad_compute", [&]() -> Finding {
      if (!staged) return {"", "false", kNotUsed};
      if (trains_adapters(t_)) return {"", "false", "adapters train no output layer"};
      return t_.defer_embedding_wgrad_compute ? of(*t_.defer_embedding_wgrad_compute) : off();
    });
    put(o + "wgrad_deferral_limit", [&]() -> Finding {
      if (!flag(o + "defer_embedding_wgrad_compute")) return {"", "0", "nothing is deferred"};
      if (t_.wgrad_deferral_limit) return of(*t_.wgrad_deferral_limit);
      return {"", "0", "default of the framework: no limit", true};
    });
  }

  void optimizer() {
    const ShardingRow* row = strategy();
    put("optimizer.distributed", [&]() -> Finding {
      if (row == nullptr) return distributed_of(t_);
      return {"", row->shards_optimizer ? "true" : "false",
              fmt::format("as sharding.strategy {} needs", name_of(row->kind))};
    });
    put("optimizer.grad_reduce_dtype", [&] { return gradient_type_of(t_); });
    put("optimizer.bucket_size_mb", [&] {
      return bucket_of(
          t_, {value_of("optimizer.grad_reduce_dtype"), flag("overlap.overlap_grad_reduce"),
               row != nullptr && row->units, job().gpus / model_parallel()});
    });
  }

  void rest() {
    put("recompute", [&] { return recompute_of(t_, layers_of_chunk()); });
    if (value_of("recompute") == "selective" && has_recompute_modules(t_))
      put("recompute_modules", [&] { return recompute_modules_of(t_); });
    if (const auto distance = recompute_distance_of(t_, layers_of_chunk());
        distance && value_of("recompute") == "full")
      put("recompute_every_nth_layer", [&] { return *distance; });
    put("cuda_graphs", [&] { return cuda_graphs_of(t_); });
    const PutFinding to_keys = [&](const std::string& key, const auto& derive) {
      put(key, derive);
    };
    put_optimizer_state(t_, to_keys);
    // Else the user gives all of that section.
    if (given_.find("offload") == given_.end()) put_offload(t_, to_keys);
    if (given_.find("lora") == given_.end()) put_adapters(t_, to_keys);
    for (const Finding& setting : settings_) {
      if (value_of(setting.key).empty()) put(setting.key, [&] { return setting; });
    }
  }

  void experts(const std::vector<Finding>& model) {
    if (!names_mixture(model, t_, data_)) return;
    const bool whole = given_.find("moe") != given_.end();  // the user gives all of that section
    const bool again_whole = value_of("recompute") == name_of(Recompute::full);
    put_experts(t_, again_whole,
                [&](const std::string& key, const std::function<Finding()>& derive) {
                  if (!whole || !key.starts_with("moe.")) put(key, derive);
                  return value_of(key);
                });
  }

  const RecipeTerms& t_;
  const std::vector<Finding>& settings_;
  const ImportFile& file_;
  const RecipeRequest& request_;
  const DataFolder& data_;
  GivenKeys given_;
  std::vector<Finding> findings_;
};

}  // namespace

std::vector<Finding> scenario_keys(const RecipeReading& reading, const ImportFile& file,
                                   const RecipeRequest& request, const DataFolder& data) {
  return ScenarioKeys(reading, file, request, data).keys();
}

}  // namespace simtrain
