// Loads of experts, shapes of mixtures and layers beside attention that cannot be: one line each.
#include <algorithm>

#include "tests/cli/bad_edit.h"
#include "tests/core/checkout.h"

namespace simtrain::testing::bad_routing_test {

namespace {

/// Settings over an example, and what refuses them behind the place.
struct Wrong {
  std::vector<std::string> settings;
  std::string sentence;
};

void check_wrong(const std::string& file, const std::string& row, const std::vector<Wrong>& rows) {
  for (const Wrong& wrong : rows) {
    std::vector<std::string> arguments{"run", source_dir() + "/scenarios/" + file, "--row", row};
    for (const std::string& setting : wrong.settings) {
      arguments.emplace_back("--set");
      arguments.push_back(setting);
    }
    CAPTURE(wrong.sentence);
    const Outcome outcome = run_simtrain(arguments);
    CAPTURE(outcome.err);
    CHECK(outcome.err.find(wrong.sentence) != std::string::npos);
    CHECK(std::count(outcome.err.begin(), outcome.err.end(), '\n') == 1);
    CHECK(outcome.out.empty());
    CHECK(outcome.status == 2);
  }
}

void check_mixture(const std::vector<Wrong>& rows) {
  check_wrong("mixtral_8x7b_h200.yaml", "bf16-256", rows);
}

const std::string kDropless = "moe={moe_token_dispatcher_type: alltoall}";

}  // namespace

TEST_CASE("loads of experts are one law or one histogram of all of them") {
  check_mixture({
      {{"moe.routing={law: zipf}"},
       "moe.routing.law: 'zipf' is not known here; known are balanced, random, power_law"},
      {{"moe.routing={law: power_law}"}, "moe.routing: has no exponent, which power_law needs"},
      {{"moe.routing={law: power_law, exponent: -1}"},
       "moe.routing.exponent: '-1' is out of range; 0 to 100 would do"},
      {{"moe.routing={law: random, exponent: 1}"}, "moe.routing.exponent: is of the law power_law"},
      {{"moe.routing={law: balanced, seed: 3}"}, "moe.routing.seed: is of the law power_law"},
      {{"moe.routing={seed: 3}"},
       "moe.routing: says nothing; law, histogram or histogram_file would do"},
      {{"moe.routing={law: random, histogram: [1, 1, 1, 1, 1, 1, 1, 1]}"},
       "moe.routing: has more than one of law, histogram and histogram_file"},
      {{"moe.routing={histogram: [1, 2, 3]}"},
       "moe.routing.histogram: has 3 numbers for 8 experts; one for each would do"},
      {{"moe.routing={histogram: [0, 0, 0, 0, 0, 0, 0, 0]}"},
       "moe.routing.histogram: has a layer without tokens"},
      {{"moe.routing={histogram: [1, 1, 1, 1, 1, 1, 1, -1]}"},
       "moe.routing.histogram[7]: '-1' is out of range"},
      {{"moe.routing={histogram: 5}"}, "moe.routing.histogram: must be a list"},
      {{"moe.routing={histogram_file: nowhere.csv}"},
       "moe.routing.histogram_file: 'nowhere.csv' is no file; one with a line of comma-separated "
       "numbers for each layer would do"},
      {{kDropless, "moe.moe_load_imbalance=1.5", "moe.routing={law: random}"},
       "moe.routing: says the loads of experts, and so does moe_load_imbalance"},
      {{"moe.routing={shape: flat}"},
       "moe.routing.shape: is not known here; known are law, exponent"},
  });
}

TEST_CASE("files of loads are lines of as many numbers") {
  const TempFolder folder;
  for (const auto& file :
       {std::pair{"1,2,3\n", "has 3 numbers for 8 experts"},
        std::pair{"1,1,1,1,1,1,1,1\n1,1\n",
                  "loads.csv:2:1: moe.routing.histogram_file: has 2 "
                  "numbers, the first line 8"},
        std::pair{"# a header\n1,1,x,1,1,1,1,1\n",
                  "loads.csv:2:1: moe.routing.histogram_file: 'x' "
                  "is no number of tokens"},
        std::pair{"1,1,1,1,1,1,1,nan\n", "'nan' is no number of tokens"},
        std::pair{"1,1,1,1,1,1,1,-2\n", "'-2' is no number of tokens"},
        std::pair{"0,0,0,0,0,0,0,0\n", "has a layer without tokens"},
        std::pair{"\n# nothing\n", "has no line of numbers; one for each layer would do"}}) {
    folder.write("loads.csv", file.first);
    CAPTURE(file.second);
    const Outcome outcome =
        run_simtrain({"run", source_dir() + "/scenarios/mixtral_8x7b_h200.yaml", "--row",
                      "bf16-256", "--set", "moe.routing.histogram_file=loads.csv"},
                     {folder.path().string(), {}, ""});
    CHECK(outcome.err.find(file.second) != std::string::npos);
    CHECK(outcome.status == 2);
  }
}

TEST_CASE("a file of loads is found from the scenario's folder, or from where the command runs") {
  const TempFolder folder;
  std::string text = read_file(source_dir() + "/scenarios/mixtral_8x7b_h200.yaml");
  folder.write("loads.csv", "# two layers\n3,1,1,1,1,1,1,1\n\n1, 1, 1, 1, 1, 1, 1, 3\n");
  folder.write("mixture.yaml", text);
  const std::vector<std::string> run{
      "run",     "mixture.yaml", "--row",           "bf16-256", "--set",
      kDropless, "--set",        "cluster.nodes=4", "--set",    "training.global_batch_size=64"};
  const auto outcome_of = [&](std::vector<std::string> more) {
    more.insert(more.begin(), run.begin(), run.end());
    return run_simtrain(more, {folder.path().string(), {}, ""});
  };
  const Outcome by_file = outcome_of({"--set", "moe.routing.histogram_file=loads.csv"});
  CAPTURE(by_file.err);
  CHECK(by_file.status == 0);
  CHECK(by_file.out.find("routing_imbalance") != std::string::npos);
  const Outcome one_layer = outcome_of({"--set", "moe.routing.histogram=[3, 1, 1, 1, 1, 1, 1, 1]"});
  // Each of both layers has a rank with three times the load of the others.
  const auto line_of = [](const Outcome& outcome) {
    const std::size_t at = outcome.out.find("routing_imbalance");
    return outcome.out.substr(at, outcome.out.find('\n', at) - at);
  };
  CHECK(line_of(by_file) == line_of(one_layer));
  const Outcome even = outcome_of({"--set", "moe.routing.law=balanced"});
  CHECK(even.out.find("routing_imbalance") == std::string::npos);
}

TEST_CASE("shapes and dispatchers of mixtures that cannot be") {
  const std::string experts = "model_overrides={experts: {num_moe_experts: ";
  check_mixture({
      {{experts + "8, moe_router_topk: 9, moe_ffn_hidden_size: 14336}}"},
       "experts: takes 9 of 8 experts; at most all of them would do"},
      {{experts + "0, moe_router_topk: 1, moe_ffn_hidden_size: 14336}}"},
       "experts.num_moe_experts: '0' is out of range"},
      {{experts + "8, moe_router_topk: 2}}"}, "experts.moe_ffn_hidden_size: is missing"},
      {{experts + "100000, moe_router_topk: 2, moe_ffn_hidden_size: 10000000}}"},
       "weights of one matrix of a layer; up to"},
      {{"moe={moe_pad_expert_input_to_capacity: true}"},
       "needs a capacity: moe_expert_capacity_factor is missing"},
      {{"moe={moe_token_dispatcher_type: allgather, moe_expert_capacity_factor: 1, "
        "moe_pad_expert_input_to_capacity: true}"},
       "is not of the allgather dispatcher; alltoall would do"},
      {{"moe={moe_token_dispatcher_type: flex, moe_flex_dispatcher_backend: hybridep, "
        "moe_expert_rank_capacity_factor: 1.2, moe_expert_capacity_factor: 1}"},
       "is of ranks, where moe_expert_capacity_factor is of experts; one of them would do"},
      {{"moe={moe_token_dispatcher_type: flex, moe_flex_dispatcher_backend: nvshmem}"},
       "'nvshmem' is not known here; known are deepep, hybridep"},
      {{"moe={moe_token_dispatcher_type: flex, moe_flex_dispatcher_num_sms: 0}"},
       "'0' is out of range; 1 to 1000 would do"},
      {{"moe.moe_expert_capacity_factor=0.05"}, "'0.05' is out of range; 0.1 to 1000 would do"},
      {{"parallelism.tensor_model_parallel_size=2", "parallelism.sequence_parallel=false"},
       "is false; experts under tensor parallelism need it"},
  });
  check_wrong("llama31_8b_h100.yaml", "bf16-32",
              {{{"ep=2"}, "is 2; llama3.1-8b has no experts, 1 would do"},
               {{"parallelism.expert_tensor_parallel_size=1"},
                "is of experts, which llama3.1-8b does not have"}});
}

TEST_CASE("gated linear attention whose heads do not divide, or over context, is refused") {
  const std::string next = "model=qwen3-next-80b-a3b";
  const auto sizes = [](const std::string& keys, const std::string& values) {
    return "model_overrides={gated_delta_net: {linear_num_key_heads: " + keys +
           ", linear_num_value_heads: " + values +
           ", linear_key_head_dim: 128, linear_value_head_dim: 128}}";
  };
  check_wrong("llama31_8b_h100.yaml", "bf16-32",
              {{{next, "cp=2"},
                "parallelism.context_parallel_size: is 2; gated_delta_net blocks are not split "
                "over context, 1 would do"},
               {{next, sizes("12", "32")},
                "gated_delta_net.linear_num_key_heads: does not divide linear_num_value_heads"},
               {{next, sizes("1", "32"), "tp=2", "parallelism.sequence_parallel=true"},
                "2 does not divide linear_num_key_heads (1)"},
               {{next, sizes("0", "32")}, "'0' is out of range"},
               {{next, "cp=1", "packed_sequences={mean_document: 512}"},
                "is not modelled in layers with gated_delta_net"},
               {{"model_overrides={layers: [{blocks: [gated_delta_net, mlp], repeat: 32}]}"},
                "layers.blocks: has gated_delta_net; gated_delta_net is missing"}});
}

}  // namespace simtrain::testing::bad_routing_test
