// Makes a scenario from text, as a program that generates recipes does.
#include <cstdio>
#include <string>

#include <simtrain/simtrain.h>

namespace api = simtrain::api;

namespace {

constexpr const char* kRecipe = R"(
name: Llama 3.1 8B on two DGX H100
source: an example
cluster: {name: dgx-superpod-h100, nodes: 2}
software: nemo-25.02.01
model: llama3.1-8b
training: {precision: bf16, fp8_params: false, seq_length: 8192, micro_batch_size: 1, global_batch_size: 128}
parallelism:
  tensor_model_parallel_size: 2
  pipeline_model_parallel_size: 1
  virtual_pipeline_model_parallel_size: 1
  context_parallel_size: 1
  expert_model_parallel_size: 1
  sequence_parallel: true
  account_for_embedding_in_pipeline_split: false
  account_for_loss_in_pipeline_split: false
overlap:
  tp_comm_overlap: false
  overlap_p2p_comm: false
  overlap_grad_reduce: true
  overlap_param_gather: true
  defer_embedding_wgrad_compute: false
  wgrad_deferral_limit: 0
optimizer: {distributed: true, grad_reduce_dtype: bf16, bucket_size_mb: 268.435456}
)";

}  // namespace

int main() {
  const auto data = api::DataFolder::installed();
  for (const std::string& model : data.names("models"))
    std::printf("known model: %s\n", model.c_str());

  const auto scenario = api::Scenario::from_text(data, kRecipe, "two_nodes.yaml");
  const api::Result result = api::simulate(scenario);
  std::printf("%s: %.3f s\n", result.scenario.c_str(), result.step_time_s);
  std::printf("\nas a file with TP 4:\n%s", scenario.with("tp", 4).yaml().c_str());
}
