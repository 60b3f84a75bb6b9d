#include <doctest/doctest.h>

#include "tests/cli/bad_edit.h"

namespace simtrain::testing::bad_arguments_test {
namespace {

struct BadCall {
  std::vector<std::string> arguments;
  std::string message;
};

void check_calls(const std::vector<BadCall>& calls) {
  const TempFolder folder;
  folder.write("good.yaml", kBaseScenario);
  folder.write("table.yaml", std::string(kBaseScenario) + std::string(kBaseTable));
  for (const BadCall& call : calls) {
    CAPTURE(call.message);
    check_refused(run_simtrain(call.arguments, {folder.path().string(), {}, ""}), call.message);
  }
}

TEST_CASE(
    "A plain argument that is neither a command nor a file is refused, with a suggestion where one "
    "is close") {
  check_calls({
      {{"rnu", "good.yaml"},
       "'rnu' is neither a command nor a scenario file (.yaml); did you mean 'run'?"},
      {{"frobnicate"},
       "'frobnicate' is neither a command nor a scenario file (.yaml); known are run, new, sweep, "
       "tune, scale, share, goodput, validate, calibrate, metrics, compare, profile, nccl, "
       "topology, "
       "import, export, index, list, schema, serve, bench, help"},
      {{""},
       "'' is neither a command nor a scenario file (.yaml); known are run, new, sweep, tune, "
       "scale, share, goodput, validate, calibrate, metrics, compare, profile, nccl, topology, "
       "import, "
       "export, index, list, schema, serve, bench, help"},
      {{"run", "run"}, "run: there is no such file"},
      {{"run", ""}, "run takes one scenario file; 'simtrain help run' shows how"},
  });
}

TEST_CASE("run takes one scenario file") {
  check_calls({
      {{"run"}, "run takes one scenario file; 'simtrain help run' shows how"},
      {{"run", "--format", "json"}, "run takes one scenario file; 'simtrain help run' shows how"},
      {{"--format", "json"}, "run takes one scenario file; 'simtrain help run' shows how"},
      {{"good.yaml", "good.yaml"}, "run takes one scenario file; 'simtrain help run' shows how"},
      {{"good.yaml", "--", "--format"},
       "run takes one scenario file; 'simtrain help run' shows how"},
      {{"--unfold"}, "run takes one scenario file; 'simtrain help run' shows how"},
  });
}

TEST_CASE("An unknown option is refused, with a suggestion where one is close") {
  check_calls({
      {{"good.yaml", "--formt", "json"}, "unknown option '--formt'; did you mean '--format'?"},
      {{"good.yaml", "--verbose"},
       "unknown option '--verbose'; known are --row, --set, --machine, --format, --steps, --seed, "
       "--step-log, --unfold, "
       "--trace, --trace-ranks, --trace-microbatches, --nccl-trace, --report, --explain, --job, "
       "--kernels, --recipe, --against, --against-row, --against-set, --tokens, --price, --force, "
       "--color, --quiet"},
      {{"good.yaml", "-x"},
       "unknown option '-x'; known are --row, --set, --machine, --format, --steps, --seed, "
       "--step-log, --unfold, --trace, "
       "--trace-ranks, --trace-microbatches, --nccl-trace, --report, --explain, --job, --kernels, "
       "--recipe, --against, --against-row, --against-set, --tokens, --price, --force, --color, "
       "--quiet"},
      {{"list", "--all"}, "unknown option '--all'; known are --svg, --force, --color, --quiet"},
      {{"validate", "--max", "5"},
       "unknown option '--max'; known are --format, --breakdown, --report, --force, "
       "--max-mean-error, --steps, --log-format, --nccl, --leave-one-table-out, --kernels, "
       "--measured, --color, --quiet"},
      {{"profile", "good.yaml", "a.log", "--step", "5"},
       "unknown option '--step'; did you mean '--steps'?"},
      {{"profile", "good.yaml", "a.log", "--window", "5"},
       "unknown option '--window'; known are --row, --set, --machine, --rank, --steps, "
       "--profile-format, "
       "--report, --force, --format, --color, --quiet"},
      {{"bench", "--fast"}, "bench takes no arguments"},
  });
}

TEST_CASE("An option is given once and with its value") {
  check_calls({
      {{"table.yaml", "--row"},
       "the required argument for option '--row' is missing; 'simtrain help' shows what there is"},
      {{"table.yaml", "--row="},
       "the argument for option '--row' should follow immediately after the equal sign; 'simtrain "
       "help' shows what there is"},
      {{"good.yaml", "--set"},
       "the required argument for option '--set' is missing; 'simtrain help' shows what there is"},
      {{"good.yaml", "--format"},
       "the required argument for option '--format' is missing; 'simtrain help' shows what there "
       "is"},
      {{"table.yaml", "--row", "one", "--row", "two"},
       "option '--row' cannot be specified more than once; 'simtrain help' shows what there is"},
      {{"good.yaml", "--format", "json", "--format", "text"},
       "option '--format' cannot be specified more than once; 'simtrain help' shows what there is"},
      {{"good.yaml", "--unfold", "--unfold"},
       "option '--unfold' cannot be specified more than once; 'simtrain help' shows what there is"},
      {{"good.yaml", "--unfold=yes"},
       "option '--unfold' does not take any arguments; 'simtrain help' shows what there is"},
      {{"profile", "good.yaml", "a.log", "--rank"},
       "the required argument for option '--rank' is missing; 'simtrain help' shows what there is"},
      {{"validate", "--max-mean-error"},
       "the required argument for option '--max-mean-error' is missing; 'simtrain help' shows what "
       "there is"},
  });
}

TEST_CASE("run draws from one to a million steps, by a seed that goes with them") {
  check_calls({
      {{"good.yaml", "--steps", "0"}, "--steps: must be a whole number from 1 to 1000000"},
      {{"good.yaml", "--steps", "-5"}, "--steps: must be a whole number from 1 to 1000000"},
      {{"good.yaml", "--steps", "1000001"}, "--steps: must be a whole number from 1 to 1000000"},
      {{"good.yaml", "--steps", "9999999999999999999"},
       "the argument ('9999999999999999999') for option '--steps' is invalid; 'simtrain help' "
       "shows "
       "what there is"},
      {{"good.yaml", "--steps", "many"},
       "the argument ('many') for option '--steps' is invalid; 'simtrain help' shows what there "
       "is"},
      {{"good.yaml", "--steps", "1.5"},
       "the argument ('1.5') for option '--steps' is invalid; 'simtrain help' shows what there is"},
      {{"good.yaml", "--steps"},
       "the required argument for option '--steps' is missing; 'simtrain help' shows what there "
       "is"},
      {{"good.yaml", "--seed", "3"}, "--seed: goes with --steps N"},
      {{"good.yaml", "--steps", "3", "--seed", "-1"},
       "--seed: must be a whole number of 0 or more"},
      {{"good.yaml", "--steps", "3", "--seed", "x"},
       "the argument ('x') for option '--seed' is invalid; 'simtrain help' shows what there is"},
      {{"table.yaml", "--steps", "3"},
       "--steps, traces, --report, --explain, --job, --kernels and --recipe are of one row of the "
       "table; --row names it"},
  });
}

TEST_CASE("A format is text or json") {
  check_calls({
      {{"good.yaml", "--format", "xml"}, "--format: 'xml' is not known; text or json would do"},
      {{"validate", "--format", "xml"}, "--format: 'xml' is not known; text or json would do"},
      {{"good.yaml", "--format", "JSON"}, "--format: 'JSON' is not known; text or json would do"},
  });
}

TEST_CASE("--row names a row of the table") {
  check_calls({
      {{"good.yaml", "--row", "one"},
       "good.yaml: --row: 'one' is no row of the table; the file has no table"},
      {{"table.yaml", "--row", "three"},
       "table.yaml: --row: 'three' is no row of the table; known are one, two"},
      {{"table.yaml", "--row", "on"},
       "table.yaml: --row: 'on' is no row of the table; did you mean 'one'?"},
  });
}

TEST_CASE("--set takes KEY=VALUE") {
  check_calls({
      {{"good.yaml", "--set", "tp"}, "--set tp: must be KEY=VALUE"},
      {{"good.yaml", "--set", "=2"}, "--set =2: must be KEY=VALUE"},
      {{"good.yaml", "--set", "=="}, "--set ==: must be KEY=VALUE"},
      {{"good.yaml", "--set", ""}, "--set : must be KEY=VALUE"},
  });
}

TEST_CASE("--set changes keys that exist") {
  check_calls({
      {{"good.yaml", "--set", "frob=1"},
       "--set frob=1:1:1: frob: is not known here; did you mean 'job'?"},
      {{"good.yaml", "--set", "training.sequence=1"},
       "--set training.sequence=1:1:1: training.sequence: is not known here; known are precision, "
       "fp8_params, num_layers_at_start_in_bf16, num_layers_at_end_in_bf16, seq_length, "
       "micro_batch_size, global_batch_size"},
      {{"good.yaml", "--set", "seq_length=4096"},
       "--set seq_length=4096:1:1: seq_length: is not known here; did you mean "
       "'training.seq_length'?"},
      {{"good.yaml", "--set", "jobb.tokens=1"},
       "--set jobb.tokens=1:1:1: jobb: is not known here; did you mean 'job'?"},
      {{"good.yaml", "--set", "hardwar.gpu.x=1"},
       "--set hardwar.gpu.x=1:1:1: hardwar: is not known here; did you mean 'hardware'?"},
      {{"good.yaml", "--set", "hardware.gpu.memory_bandwidth=3"},
       "--set hardware.gpu.memory_bandwidth=3:1:31: hardware.gpu.memory_bandwidth: '3' needs one "
       "of the units MB/s, GB/s, TB/s, Gb/s, Tb/s"},
      {{"good.yaml", "--set", ".tp=1"}, "--set .tp=1:1:1: .tp: is not a dotted key"},
      {{"good.yaml", "--set", "name.x=1"},
       "--set name.x=1:1:1: name.x: 'name' has no keys below it"},
      {{"good.yaml", "--set", "table.rows=1"},
       "--set table.rows=1:1:1: table: is not known here; known are name, source, notes, "
       "mfu_convention, cluster, software, model, training, parallelism, overlap, optimizer, "
       "sharding, "
       "moe, offload, lora, packed_sequences, recompute, recompute_modules, "
       "recompute_every_nth_layer, cuda_graphs, cuda_launch_blocking, cost, nccl, rccl, "
       "model_overrides, hardware, job"},
      {{"good.yaml", "--set", "recompute_modules=[mlp]"},
       "--set recompute_modules=[mlp]:1:19: recompute_modules: is there with recompute 'none'; "
       "recompute selective would do"},
      {{"good.yaml", "--set", "model_overrides.num_layer=31"},
       "--set model_overrides.num_layer=31:1:1: model_overrides.num_layer: is not known here; did "
       "you mean 'num_layers'?"},
  });
}

TEST_CASE("The value of --set is checked as if it were in the file") {
  check_calls({
      {{"good.yaml", "--set", "tp="},
       "--set tp=:1:4: parallelism.tensor_model_parallel_size: must be a whole number, found "
       "nothing"},
      {{"good.yaml", "--set", "tp=x"},
       "--set tp=x:1:4: parallelism.tensor_model_parallel_size: must be a whole number, found 'x'"},
      {{"good.yaml", "--set", "tp=4=5"},
       "--set tp=4=5:1:4: parallelism.tensor_model_parallel_size: must be a whole number, found "
       "'4=5'"},
      {{"good.yaml", "--set", "nodes=1e30"},
       "--set nodes=1e30:1:7: cluster.nodes: must be a whole number, found '1e30'"},
      {{"good.yaml", "--set", "training=5"},
       "--set training=5:1:10: training: must be a map of keys, found '5'"},
      {{"good.yaml", "--set", "precision=fp16"},
       "--set precision=fp16:1:11: training.precision: 'fp16' is not known here; did you mean "
       "'bf16'?"},
      {{"good.yaml", "--set", "model=llama3.1-9b"},
       "--set model=llama3.1-9b:1:7: model: 'llama3.1-9b' is not in scenarios/models; did you mean "
       "'llama3.1-8b'?"},
      {{"good.yaml", "--set", "tp=&a"},
       "--set tp=&a:1:4: anchors (&name) are not used here; write the value out"},
      {{"good.yaml", "--set", "tp={a: 1}"},
       "--set tp={a: 1}:1:4: parallelism.tensor_model_parallel_size: must be a whole number, found "
       "a map"},
  });
}

TEST_CASE("--set is blamed for what it changes") {
  check_calls({
      {{"good.yaml", "--set", "gbs=33"},
       "--set gbs=33:1:5: training.global_batch_size: 33 is no multiple of DP 8 x micro-batch 1 = "
       "8"},
      {{"good.yaml", "--set", "tp=3"},
       "--set tp=3:1:4: parallelism.tensor_model_parallel_size: 3 does not divide the attention "
       "heads (32)"},
      {{"good.yaml", "--set", "nodes=2000"},
       "--set nodes=2000:1:7: cluster.nodes: 2000 is more than the 1024 nodes that "
       "dgx-superpod-h100 has"},
      {{"table.yaml", "--row", "two", "--set", "mbs=3"},
       "table.yaml:12:22: training.global_batch_size: 32 is no multiple of DP 8 x micro-batch 3 = "
       "24"},
      {{"good.yaml", "--set", "model_overrides.num_query_groups=5"},
       "--set model_overrides.num_query_groups=5:1:34: num_query_groups: 5 does not divide the 32 "
       "attention heads"},
  });
}

TEST_CASE("A step beyond any measure ends in a message") {
  check_calls({
      {{"good.yaml", "--set", "training.seq_length=100000000", "--set",
        "model_overrides.num_layers=1000"},
       "the step takes more than 11 days; a rate, a latency or a size is out of any measure"},
  });
}

TEST_CASE("A topic of list or help must exist") {
  check_calls({
      {{"list", "gpu"}, "list: 'gpu' is no family; did you mean 'gpus'?"},
      {{"list", "frobnicate"},
       "list: 'frobnicate' is no family; known are gpus, nodes, fabrics, clusters, machines, "
       "software, "
       "storage, failures, fault-tolerance, "
       "tp-overlap, models, scenarios, collectives, libraries, algorithms, protocols, wirings, "
       "export-targets, import-formats, log-formats, profile-formats, step-windows, placements, "
       "blocks, groups, "
       "schedules, shardings, precisions, schemas, mfu-conventions"},
      {{"list", "gpus", "nodes"}, "list takes one family"},
      {{"help", "scenari"}, "help: 'scenari' is no topic; did you mean 'scenario'?"},
      {{"help", "frobnicate"},
       "help: 'frobnicate' is no topic; known are scenario, hardware, options, man, completion, "
       "run, "
       "new, "
       "sweep, "
       "tune, "
       "scale, share, goodput, validate, calibrate, metrics, compare, profile, nccl, topology, "
       "import, "
       "export, index, list, schema, serve, bench, "
       "help"},
      {{"help", "run", "list"}, "help takes one topic"},
      {{"help", "man", "runn"}, "help: 'runn' is no topic; did you mean 'run'?"},
      {{"schema", "gpus"}, "schema: 'gpus' has no schema; did you mean 'gpu'?"},
      {{"schema", "gpu", "node"}, "schema takes one kind of file or result"},
      {{"serve", "gpu"}, "serve takes options only; 'simtrain help serve' shows them"},
      {{"serve", "--port", "65536"}, "--port: must be from 0 to 65535"},
      {{"serve", "--port", "-1"}, "--port: must be from 0 to 65535"},
      {{"bench", "now"}, "bench takes no arguments"},
  });
}

TEST_CASE("validate takes validation files and a bound") {
  check_calls({
      {{"validate", "missing.yaml"}, "missing.yaml: there is no such file"},
      {{"validate", "good.yaml"},
       "good.yaml:2:1: source: is not known here; known are name, scenarios, bounds, "
       "memory_bounds, "
       "documents"},
      {{"validate", "--max-mean-error", "five"},
       "the argument ('five') for option '--max-mean-error' is invalid; 'simtrain help' shows what "
       "there is"},
      {{"validate", "--max-mean-error", "-1"},
       "--max-mean-error: must be a number of percent, 0 or more"},
      {{"validate", "--max-mean-error", "nan"},
       "--max-mean-error: must be a number of percent, 0 or more"},
      {{"validate", "--max-mean-error", "1e999"},
       "the argument ('1e999') for option '--max-mean-error' is invalid; 'simtrain help' shows "
       "what there is"},
      {{"validate", "--measured", "good.yaml"},
       "--measured takes no files; it uses those of validation/measured"},
      {{"validate", "--nccl", "--breakdown"},
       "unknown option '--breakdown'; known are --nccl, --cluster, --nodes, --gpus, --op, "
       "--report, "
       "--force, --format, --software, --nccl-version, --nvls, --algo, --proto, --min-channels, "
       "--max-channels, "
       "--color, --quiet"},
      {{"validate", "--nccl", "a.yaml"}, "a.yaml: there is no such file"},
  });
}

}  // namespace
}  // namespace simtrain::testing::bad_arguments_test
