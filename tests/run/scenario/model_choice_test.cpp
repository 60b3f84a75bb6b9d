#include <filesystem>

#include <doctest/doctest.h>

#include "sim/core/input/yaml_text.h"
#include "tests/cli/program.h"
#include "tests/core/error_of.h"
#include "tests/run/scenarios.h"

namespace simtrain::testing::model_choice_test {

namespace {

/// A scenario on eight GPUs but for its model, which is on line 4.
std::string text_with(const std::string& model) {
  return "name: small\nsource: by hand\nsoftware: nemo-25.02.01\n" + model + R"(
cluster: {name: dgx-superpod-h100, nodes: 1}
training: {precision: bf16, seq_length: 4096, micro_batch_size: 1, global_batch_size: 16}
parallelism:
  tensor_model_parallel_size: 2
  pipeline_model_parallel_size: 2
  sequence_parallel: true
overlap: {tp_comm_overlap: false, overlap_p2p_comm: true, overlap_grad_reduce: true, overlap_param_gather: true}
optimizer: {distributed: true, grad_reduce_dtype: bf16, bucket_size_mb: 100}
)";
}

const std::string kShape =
    "num_layers: 6, hidden_size: 2048, ffn_hidden_size: 8192, num_attention_heads: 16, "
    "num_query_groups: 4, kv_channels: 128, vocab_size: 50304, activation: swiglu, "
    "normalization: rmsnorm, rotary_percent: 1.0, share_embeddings_and_output_weights: false";

/// A model file with the shape above.
std::string model_file() { return "{name: mine, source: own, " + kShape + "}\n"; }

Scenario read(const ScenarioSource& source, const std::vector<std::string>& settings = {}) {
  std::vector<Setting> parsed;
  for (const std::string& text : settings) parsed.push_back(parse_setting(text));
  return source.scenario(data_folder(), "", parsed);
}

std::string refusal(const std::string& model) {
  return error_of(
      [&] { static_cast<void>(read(ScenarioSource::from_text(text_with(model), "s.yaml"))); });
}

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a model file is found by its path from the scenario's folder") {
  const TempFolder folder;
  std::filesystem::create_directories(folder.path() / "jobs");
  std::filesystem::create_directories(folder.path() / "shapes");
  folder.write("shapes/mine.yaml", model_file());
  folder.write("jobs/beside.yaml", model_file());
  for (const std::string path : {"../shapes/mine.yaml", "beside.yaml", "./beside.yaml"}) {
    CAPTURE(path);
    folder.write("jobs/job.yaml", text_with("model: " + path));
    const Scenario scenario = read(ScenarioSource::from_file(folder.file("jobs/job.yaml")));
    CHECK(scenario.recipe.model.name == "mine");
    CHECK(scenario.recipe.model.num_layers == 6);
  }
}

TEST_CASE("a path on the command line starts from the current folder, and overrides still apply") {
  const TempFolder folder;
  folder.write("mine.yaml", model_file());
  const auto source = ScenarioSource::from_text(text_with("model: llama3.1-8b"), "far/s.yaml");
  const std::string path =
      std::filesystem::relative(folder.path() / "mine.yaml").string();  // has a slash
  const Scenario scenario = read(source, {"model=" + path, "model_overrides.num_layers=8"});
  CHECK(scenario.recipe.model.name == "mine");
  CHECK(scenario.recipe.model.num_layers == 8);
}

TEST_CASE("a scenario may state the model itself, and its keys can be set") {
  const auto source = ScenarioSource::from_text(
      text_with("model: {name: own, " + kShape + "}\nmodel_overrides: {vocab_size: 32000}"),
      "s.yaml");
  const ModelSpec model = read(source).recipe.model;
  CHECK(model.name == "own");
  CHECK(model.source == "by hand");
  CHECK(model.hidden_size == 2048);
  CHECK(model.vocab_size == 32000);
  CHECK(read(source, {"model.num_layers=10"}).recipe.model.num_layers == 10);
  check_scenario_key("model.num_layers", {});
}

TEST_CASE("stated and named models are simulated alike") {
  const auto named = ScenarioSource::from_text(text_with("model: llama3.1-8b"), "s.yaml");
  YamlNode tree = data_folder().load_tree("scenarios/models", "llama3.1-8b", {}, "model");
  const auto stated = ScenarioSource::from_text(text_with("model: " + flow_text(tree)), "s.yaml");
  CHECK(simulate(read(named)).engine.fingerprint == simulate(read(stated)).engine.fingerprint);
}

TEST_CASE("what is wrong with a model is reported at its place") {
  CHECK(holds(refusal("model: ./none.yaml"), "s.yaml:4:8: model: './none.yaml' is no file; "));
  CHECK(holds(refusal("model: ./"), "s.yaml:4:8: model: './' is no file; "));
  CHECK(holds(refusal("model: llama3.1-9b"), "s.yaml:4:8: model: 'llama3.1-9b' is not in "));
  CHECK(holds(refusal("model: [a]"), "s.yaml:4:8: model: must be a name, a path or a map"));
  CHECK(holds(refusal("model:"), "model: "));
  CHECK(holds(refusal("model: {name: own}"), "s.yaml:4:8: model.num_layers: is missing"));
  CHECK(holds(refusal("model: {name: own, depth: 4}"), "s.yaml:4:20: model.depth: is not known"));
}

TEST_CASE("a scenario that is written elsewhere keeps its model file") {
  const auto moved = [](const std::string& model, const std::string& file) {
    YamlNode tree = load_yaml_text(text_with("model: " + model), "/jobs/a/s.yaml");
    keep_model_path(tree, file);
    return tree.find("model")->text;
  };
  CHECK(moved("../shapes/m.yaml", "/jobs/a/best.yaml") == "../shapes/m.yaml");
  CHECK(moved("../shapes/m.yaml", "/jobs/best.yaml") == "shapes/m.yaml");
  CHECK(moved("m.yaml", "/jobs/a/best.yaml") == "./m.yaml");
  CHECK(moved("/shapes/m.yaml", "/best.yaml") == "/shapes/m.yaml");
  CHECK(moved("llama3.1-8b", "/best.yaml") == "llama3.1-8b");
}

}  // namespace simtrain::testing::model_choice_test
