#include <doctest/doctest.h>

#include "tests/core/error_of.h"
#include "tests/run/scenarios.h"

namespace simtrain::testing::scenario_test {

namespace {

using Names = std::vector<std::string>;

/// A whole scenario on eight GPUs; the table starts on line 20.
const std::string kText = R"(name: small
source: by hand
cluster: {name: dgx-superpod-h100, nodes: 1}
software: nemo-25.02.01
model: llama3.1-8b
model_overrides: {num_layers: 4}
training:
  precision: bf16
  seq_length: 4096
  micro_batch_size: 1
  global_batch_size: 16
parallelism:
  tensor_model_parallel_size: 2
  pipeline_model_parallel_size: 2
  sequence_parallel: true
overlap: {tp_comm_overlap: false, overlap_p2p_comm: true, overlap_grad_reduce: true, overlap_param_gather: true}
optimizer: {distributed: true, grad_reduce_dtype: bf16, bucket_size_mb: 100}
)";
const std::string kTable = R"(table:
  columns: [row, training.global_batch_size, model_overrides.num_layers]
  rows:
    - [one, 32, 8]
    - [two, 64, 12]
)";

Scenario from_text(const std::string& text, const std::string& row = "",
                   const Names& settings = {}) {
  std::vector<Setting> parsed;
  for (const std::string& setting : settings) parsed.push_back(parse_setting(setting));
  return ScenarioSource::from_text(text, "small.yaml").scenario(data_folder(), row, parsed);
}

std::string refusal(const Names& settings) {
  return error_of([&] { from_text(kText, "", settings); });
}

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a scenario without a table is its body") {
  const auto source = ScenarioSource::from_text(kText, "small.yaml");
  CHECK(!source.has_table());
  CHECK(source.row_names().empty());
  const Scenario read = from_text(kText);
  CHECK(read.name == "small");
  CHECK(read.cluster.gpus() == 8);
  CHECK(read.recipe.training.global_batch_size == 16);
  CHECK(read.recipe.tp() == 2);
  CHECK(read.recipe.cp() == 1);
  CHECK(!read.recipe.cuda_graphs);
}

TEST_CASE("rows are named in the order of the table") {
  CHECK(ScenarioSource::from_text(kText + kTable, "small.yaml").row_names() == Names{"one", "two"});
  CHECK(scenario_file("llama31_8b_h100").row_names().front() == "bf16-8");
}

TEST_CASE("a row overrides the body and its name is in the scenario's") {
  const Scenario read = from_text(kText + kTable, "two");
  CHECK(read.recipe.training.global_batch_size == 64);
  CHECK(read.recipe.model.num_layers == 12);
  CHECK(read.name == "small [two]");
}

TEST_CASE("the body of a file with a table can be asked for alone") {
  CHECK(from_text(kText + kTable).recipe.training.global_batch_size == 16);
}

TEST_CASE("settings override rows, and later settings earlier ones") {
  const Scenario read =
      from_text(kText + kTable, "two", {"gbs=128", "training.global_batch_size=256"});
  CHECK(read.recipe.training.global_batch_size == 256);
  CHECK(read.recipe.model.num_layers == 12);
}

TEST_CASE("model overrides change the model's file, field by field") {
  const Scenario read = from_text(kText, "", {"model_overrides.ffn_hidden_size=8192"});
  CHECK(read.recipe.model.num_layers == 4);
  CHECK(read.recipe.model.ffn_hidden_size == 8192);
  CHECK(read.recipe.model.hidden_size == 4096);
}

TEST_CASE("short names stand for the dotted keys") {
  const Scenario read = from_text(
      kText, "",
      {"nodes=4", "tp=4", "pp=4", "cp=2", "vp=1", "ep=1", "mbs=2", "gbs=64", "precision=fp8"});
  CHECK(read.cluster.nodes == 4);
  CHECK(read.recipe.tp() == 4);
  CHECK(read.recipe.pp() == 4);
  CHECK(read.recipe.cp() == 2);
  CHECK(read.recipe.training.micro_batch_size == 2);
  CHECK(read.recipe.training.global_batch_size == 64);
  CHECK(read.recipe.precision().quantized());
}

TEST_CASE("a setting needs a key and a value") {
  for (const std::string text : {"gbs", "=5", ""}) {
    CAPTURE(text);
    CHECK(error_of([&] { parse_setting(text); }) == "--set " + text + ": must be KEY=VALUE");
  }
}

TEST_CASE("a setting of the wrong kind is refused at its place in the setting") {
  CHECK(holds(refusal({"gbs=many"}), "--set gbs=many:1:5: training.global_batch_size: "));
  CHECK(holds(refusal({"training=5"}), "--set training=5:1:10: training: "));
}

TEST_CASE("keys of a placement may be set below its short form") {
  const auto placed = [](const Names& settings) {
    return from_text(kText, "", settings).placement.spec;
  };
  const PlacementSpec random =
      placed({"cluster.placement=random", "cluster.placement.seed=7", "cluster.available_nodes=4"});
  CHECK(random.kind == PlacementKind::random);
  CHECK(random.seed == 7);
  CHECK(placed({"cluster.placement=random", "cluster.placement.kind=compact"}).kind ==
        PlacementKind::compact);
}

TEST_CASE("layers that are named by number are the model's") {
  CHECK(holds(refusal({"training.precision=fp8", "training.num_layers_at_start_in_bf16=5"}),
              "training.num_layers_at_start_in_bf16: makes 5 layers in BF16 of the 4"));
  CHECK(holds(refusal({"training.precision=fp8", "training.num_layers_at_start_in_bf16=2",
                       "training.num_layers_at_end_in_bf16=3"}),
              "training.num_layers_at_end_in_bf16: makes 5 layers in BF16 of the 4"));
  CHECK(holds(refusal({"recompute=full", "recompute_every_nth_layer=5"}),
              "recompute_every_nth_layer: is 5, so that none of the 4 layers"));
}

TEST_CASE("experts have no more load and no more SMs than there are") {
  const Names mixture{"model=mixtral-8x7b", "model_overrides.num_layers=32", "pp=1", "ep=4"};
  const auto refused = [&](const Names& settings) {
    Names all = mixture;
    all.insert(all.end(), settings.begin(), settings.end());
    return refusal(all);
  };
  CHECK(refused({"moe.moe_load_imbalance=8"}).empty());
  CHECK(holds(refused({"moe.moe_load_imbalance=9"}),
              "moe.moe_load_imbalance: is more than 8, where one of the experts has all tokens"));
  CHECK(
      holds(refused({"moe.moe_token_dispatcher_type=flex", "moe.moe_flex_dispatcher_num_sms=133"}),
            "moe.moe_flex_dispatcher_num_sms: is more than the 132 SMs of h100-sxm"));
}

TEST_CASE("an unknown key is refused with the nearest known one") {
  const std::string text = refusal({"training.seq_lenght=4096"});
  CHECK(holds(text, "--set training.seq_lenght=4096:1:"));
  CHECK(holds(text, "'seq_length'"));
  CHECK(holds(refusal({"model_overrides.layers=4"}), "model_overrides.layers"));
}

TEST_CASE("an unknown row is refused with those that exist") {
  const std::string text = error_of([] { from_text(kText + kTable, "three"); });
  CHECK(holds(text, "small.yaml: --row: 'three' is no row of the table; "));
  CHECK(holds(text, "one"));
  CHECK(holds(error_of([] { from_text(kText, "one"); }), "the file has no table"));
}

TEST_CASE("a table without a column of names is refused") {
  const std::string table = "table:\n  columns: [training.seq_length]\n  rows: [[4096]]\n";
  CHECK(holds(error_of([&] { from_text(kText + table); }),
              "small.yaml:19:12: table.columns: must start with 'row'"));
}

TEST_CASE("a row of another length, without a table's rows or doubled is refused at its line") {
  const auto refused = [](const std::string& rows) {
    return error_of(
        [&] { from_text(kText + "table:\n  columns: [row, training.seq_length]\n" + rows); });
  };
  CHECK(
      holds(refused("  rows:\n    - [a, 1024]\n    - [b]\n"), "small.yaml:22:7: table.rows[1]: "));
  CHECK(holds(refused("  rows:\n    - [a, 1024]\n    - [a, 2048]\n"),
              "small.yaml:22:7: table.rows[1]: 'a' appears twice"));
  CHECK(holds(refused("  rows: []\n"), "small.yaml:20:9: table.rows: holds no rows"));
}

TEST_CASE("a doubled column is refused") {
  const std::string table = "table:\n  columns: [row, model, model]\n  rows: [[a, b, c]]\n";
  CHECK(holds(error_of([&] { from_text(kText + table); }), "table.columns: 'model' appears twice"));
}

TEST_CASE("unknown names are refused with those that exist") {
  CHECK(holds(refusal({"model=llama9"}), "llama3.1-8b"));
  CHECK(holds(refusal({"software=nemo-99"}), "nemo-25.02.01"));
  CHECK(holds(refusal({"cluster.name=dgx"}), "dgx-superpod-h100"));
}

TEST_CASE("parts of a recipe that do not fit together are refused at the value to blame") {
  const auto blames = [](const Names& settings, const std::string& key) {
    const std::string text = refusal(settings);
    INFO(settings.front(), ": ", text);
    CHECK(holds(text, ": " + key + ": "));
  };
  blames({"tp=16", "pp=1", "nodes=2"}, "parallelism.tensor_model_parallel_size");
  blames({"gbs=7"}, "training.global_batch_size");
  blames({"nodes=1", "tp=8", "pp=2"}, "cluster.nodes");
  blames({"model_overrides.num_layers=5"}, "parallelism.pipeline_model_parallel_size");
  blames({"vp=2", "gbs=2"}, "parallelism.virtual_pipeline_model_parallel_size");
  blames({"pp=1", "vp=2"}, "parallelism.virtual_pipeline_model_parallel_size");
  blames({"ep=2"}, "parallelism.expert_model_parallel_size");
  blames({"precision=fp32"}, "training.precision");
  blames({"training.fp8_params=true"}, "training.fp8_params");
  blames({"optimizer.grad_reduce_dtype=fp8"}, "optimizer.grad_reduce_dtype");
  blames({"overlap.tp_comm_overlap=true"}, "overlap.tp_comm_overlap_table");
  blames({"overlap.tp_comm_overlap=true", "overlap.tp_comm_overlap_table=te-default", "tp=1"},
         "overlap.tp_comm_overlap");
  blames({"nodes=3", "cp=3", "training.seq_length=4096", "gbs=6"},
         "parallelism.context_parallel_size");
}

TEST_CASE("an overlap table may stand there without tp_comm_overlap") {
  const Scenario read = from_text(kText, "", {"overlap.tp_comm_overlap_table=te-default"});
  CHECK(!read.recipe.overlap.tp_comm_overlap);
}

TEST_CASE("every scenario of the house can be read") {
  for (const std::string& name : data_folder().names("scenarios")) {
    CAPTURE(name);
    const ScenarioSource source = scenario_file(name);
    if (!source.has_table()) CHECK_NOTHROW(source.scenario(data_folder(), "", {}));
    for (const std::string& row : source.row_names())
      CHECK_NOTHROW(source.scenario(data_folder(), row, {}));
  }
}

}  // namespace simtrain::testing::scenario_test
