#include <algorithm>

#include "tests/cli/bad_edit.h"
#include "tests/cli/data_copy.h"

namespace simtrain::testing::bad_hardware_test {
namespace {

constexpr std::string_view kGpu = "hardware/gpus/h100-sxm.yaml";
constexpr std::string_view kNode = "hardware/nodes/hgx-h100.yaml";
constexpr std::string_view kFabric = "hardware/fabrics/infiniband-ndr-superpod.yaml";
constexpr std::string_view kCluster = "hardware/clusters/dgx-superpod-h100.yaml";
constexpr std::string_view kTable = "hardware/tp_overlap/te-default.yaml";
constexpr std::string_view kModel = "scenarios/models/llama3.1-8b.yaml";

/// The file with the value of a key replaced, and the place of that value.
struct Broken {
  std::string text;
  std::string place;
};

/// For `key: {value: ..., source: ...}` the value below is meant, for anything else the key's own.
Broken with_value(const std::string& text, const std::string& key, const std::string& value) {
  std::size_t begin = ("\n" + text).find("\n" + key + ":");
  if (begin == std::string::npos) begin = text.find(" " + key + ": ") + 1;
  invariant(begin != std::string::npos, "the file has the key");
  begin += key.size() + 1;
  const std::size_t inner = text.find("value: ", begin);
  const bool sourced = inner < begin + 6;  // behind "{" or on the next line
  begin = sourced ? inner + 7 : begin + 1;
  const std::size_t end = text.find_first_of(",}\n", begin);
  const auto line = 1 + std::count(text.begin(), text.begin() + static_cast<long>(begin), '\n');
  const std::size_t line_start = text.rfind('\n', begin - 1) + 1;
  return {text.substr(0, begin) + value + text.substr(end),
          std::to_string(line) + ":" + std::to_string(begin - line_start + 1)};
}

struct BadValue {
  std::string_view file;
  std::string key;
  std::string value;
  std::string message;  ///< behind the place
};

void check_values(const std::vector<BadValue>& values) {
  const Data data;
  for (const BadValue& bad : values) {
    CAPTURE(bad.key);
    CAPTURE(bad.value);
    const std::string good = data.read(bad.file);
    const Broken broken = with_value(good, bad.key, bad.value);
    data.write(bad.file, broken.text);
    check_refused(data.run(), data.path(bad.file) + ":" + broken.place + ": " + bad.message);
    data.write(bad.file, good);
  }
}

TEST_CASE("A quantity without its unit is refused") {
  check_values({
      {kNode, "nic_bandwidth", "400",
       "nic_bandwidth.value: '400' needs one of the units MB/s, GB/s, TB/s, Gb/s, Tb/s"},
      {kGpu, "memory_capacity", "80",
       "memory_capacity.value: '80' needs one of the units B, KiB, MiB, GiB, TiB, KB, MB, GB, TB"},
      {kNode, "host_launch_latency", "5",
       "host_launch_latency.value: '5' needs one of the units ps, ns, us, ms, s, min, h"},
      {kGpu, "rate", "990",
       "peak_rates[0].rate: '990' needs one of the units GFLOP/s, TFLOP/s, "
       "PFLOP/s"},
  });
}

TEST_CASE("A unit of another dimension or another spelling is refused") {
  check_values({
      {kNode, "nic_bandwidth", "400 GB",
       "nic_bandwidth.value: 'GB' is no unit here; it takes one of MB/s, GB/s, TB/s, Gb/s, Tb/s"},
      {kNode, "nic_bandwidth", "400 gb/s",
       "nic_bandwidth.value: 'gb/s' is no unit here; it takes one of MB/s, GB/s, TB/s, Gb/s, "
       "Tb/s"},
      {kGpu, "memory_capacity", "80 GB/s",
       "memory_capacity.value: 'GB/s' is no unit here; it takes one of B, KiB, MiB, GiB, TiB, KB, "
       "MB, GB, TB"},
      {kNode, "host_launch_latency", "5 usec",
       "host_launch_latency.value: 'usec' is no unit here; it takes one of ps, ns, us, ms, s, min, "
       "h"},
      {kGpu, "rate", "990 TFLOPS",
       "peak_rates[0].rate: 'TFLOPS' is no unit here; it takes one of GFLOP/s, TFLOP/s, PFLOP/s"},
  });
}

TEST_CASE("A quantity that is no number is refused") {
  check_values({
      {kNode, "nic_bandwidth", "fast",
       "nic_bandwidth.value: 'fast' is not a number with one of the units MB/s, GB/s, TB/s, Gb/s, "
       "Tb/s"},
      {kNode, "nic_bandwidth", "[400 Gb/s]",
       "nic_bandwidth.value: needs a number with one of the units MB/s, GB/s, TB/s, Gb/s, Tb/s, "
       "found a list"},
      {kNode, "nic_bandwidth", "~",
       "nic_bandwidth.value: needs a number with one of the units MB/s, GB/s, TB/s, Gb/s, Tb/s, "
       "found nothing"},
      {kFabric, "link_efficiency", "94 %", "link_efficiency.value: must be a number, found '94 %'"},
      {kFabric, "link_efficiency", ".nan", "link_efficiency.value: must be a number, found '.nan'"},
  });
}

TEST_CASE("A quantity is positive and of this world") {
  check_values({
      {kNode, "nic_bandwidth", "-400 Gb/s", "nic_bandwidth.value: '-400 Gb/s' is negative"},
      {kNode, "nic_bandwidth", "0 Gb/s", "nic_bandwidth.value: '0 Gb/s' is zero; it must be more"},
      {kNode, "nic_bandwidth", "1e30 Gb/s", "nic_bandwidth.value: '1e30 Gb/s' is too large"},
      {kGpu, "memory_capacity", "0 GB", "memory_capacity.value: '0 GB' is zero; it must be more"},
      {kGpu, "memory_capacity", "1e30 GB", "memory_capacity.value: '1e30 GB' is too large"},
      {kGpu, "memory_bandwidth", "0 TB/s",
       "memory_bandwidth.value: '0 TB/s' is zero; it must be more"},
      {kNode, "host_launch_latency", "-5 us", "host_launch_latency.value: '-5 us' is negative"},
      {kNode, "host_launch_latency", "1e30 s", "host_launch_latency.value: '1e30 s' is too large"},
      {kGpu, "rate", "0 TFLOP/s", "peak_rates[0].rate: '0 TFLOP/s' is zero; it must be more"},
      {kGpu, "rate", "-1 TFLOP/s", "peak_rates[0].rate: '-1 TFLOP/s' is negative"},
  });
}

TEST_CASE("Counts and shares of hardware keep to their range") {
  check_values({
      {kGpu, "sm_count", "0", "sm_count.value: '0' is out of range; 1 to 10000 would do"},
      {kGpu, "sm_count", "1.5", "sm_count.value: must be a whole number, found '1.5'"},
      {kNode, "nvlink_domain_nodes", "0",
       "nvlink_domain_nodes.value: '0' is out of range; 1 to 1024 would do"},
      {kFabric, "link_efficiency", "1.5",
       "link_efficiency.value: '1.5' is out of range; 0.01 to 1 would do"},
      {kFabric, "oversubscription", "0.5",
       "oversubscription.value: '0.5' is out of range; 1 to 1000 would do"},
      {kCluster, "max_nodes", "0", "max_nodes.value: '0' is out of range; 1 to 1000000 would do"},
      {kModel, "num_layers", "32.5", "num_layers: must be a whole number, found '32.5'"},
      {kModel, "num_query_groups", "5",
       "num_query_groups: 5 does not divide the 32 attention "
       "heads"},
      {kTable, "sms", "1001", "qkv_dgrad.sms: '1001' is out of range; 0 to 1000 would do"},
  });
}

TEST_CASE("A wiring or a transport that is not modelled is refused") {
  check_values({
      {kFabric, "wiring", "dragonfly",
       "wiring: 'dragonfly' is not known here; known are rail-optimized, fat-tree"},
      {kFabric, "transport", "ib", "transport: 'ib' is not known here; known are infiniband, roce"},
  });
}

struct BadLine {
  std::string_view file;
  std::string replaced;
  std::string by;
  std::string message;  ///< behind the place
};

void check_lines(const std::vector<BadLine>& lines) {
  const Data data;
  for (const BadLine& bad : lines) {
    CAPTURE(bad.by);
    const std::string good = data.read(bad.file);
    data.write(bad.file, edited(good, bad.replaced, bad.by));
    const Outcome outcome = data.run();
    CHECK(outcome.status == 2);
    CHECK(outcome.out.empty());
    CHECK(outcome.err.starts_with("simtrain: " + data.path(bad.file) + ":"));
    CHECK(outcome.err.ends_with(": " + bad.message + "\n"));
    data.write(bad.file, good);
  }
}

TEST_CASE("Every number of a hardware file has its value and its source") {
  check_lines({
      {kNode, "nics: {value: 8, source", "nics: {value: 8, sorce",
       "nics.sorce: is not known here; did you mean 'source'?"},
      {kNode, "nics: {value", "nics: 8\n# {value", "nics: must be a map of keys, found '8'"},
      {kNode, "nics: {value: 8, ", "nics: {", "nics.value: is missing"},
      {kNode, "nics: {value: 8, source", "nics: {value: 8}\n# {source", "nics.source: is missing"},
  });
}

TEST_CASE("Keys of hardware files are as strict as those of scenarios") {
  check_lines({
      {kGpu, "    rate: ", "    raet: ",
       "peak_rates[0].raet: is not known here; did you mean "
       "'rate'?"},
      {kNode, "gpus: 8\n", "", "gpus: is missing"},
      {kFabric, "wiring:", "wiring: rail-optimized\nwiring:", "wiring: is given twice"},
  });
}

TEST_CASE("A file that another one names must exist") {
  check_lines({
      {kCluster, "node: hgx-h100", "node: hgx-h10",
       "node: 'hgx-h10' is not in hardware/nodes; did you mean 'hgx-h100'?"},
      {kNode, "gpu: h100-sxm", "gpu: h100-sx",
       "gpu: 'h100-sx' is not in hardware/gpus; did you mean 'h100-sxm'?"},
      {kCluster, "fabric: infiniband-ndr-superpod", "fabric: infiniband-ndr-superpot",
       "fabric: 'infiniband-ndr-superpot' is not in hardware/fabrics; did you mean "
       "'infiniband-ndr-superpod'?"},
  });
}

TEST_CASE("A GPU must have rates for the types that a scenario computes in") {
  check_lines({{kGpu, "data_type: bf16", "data_type: fp32", "peak_rates: has no row for bf16"}});
}

TEST_CASE("An overlap table must fit the recipe that names it") {
  const Data data;
  const std::string good = data.read(kTable);
  const std::string entry =
      "proj_fprop: {method: pipeline, sms: 16, splits: 4, set_sm_margin: true}";
  for (const BadEdit& bad : std::vector<BadEdit>{
           {entry, "proj_fprop: {method: bulk, sms: 16}",
            "gives a forward GEMM the method bulk; pipeline or ring_exchange would do"},
           {entry, "proj_fprop: {method: symmetric_memory, sms: 0}",
            "gives a forward GEMM the method symmetric_memory; pipeline or ring_exchange "
            "would do"},
           {"ring_exchange_sms: 0", "ring_exchange_sms: 0\ngathers: bulk",
            "gathers by bulk; ring_exchange or symmetric_memory would do"},
           {"ring_exchange_sms: 0", "ring_exchange_sms: 0\ngathers: symmetric_memory",
            "gathers by symmetric_memory, which is not how nemo-25.02 overlaps; te-default "
            "would do"},
           {entry, "proj_fprop: {method: pipeline, sms: 16, splits: 3, set_sm_margin: true}",
            "3 does not divide the tokens of a micro-batch (8192)"},
           {entry, "proj_fprop: {method: pipeline, sms: 0, splits: 4, set_sm_margin: true}",
            "has a pipeline entry without SMs"},
           {"qkv_dgrad: {method: bulk", "qkv_dgrad: {method: ring_exchange",
            "gives a backward GEMM something else than bulk with SMs"},
           {"qkv_dgrad: {method: bulk, sms: 16", "qkv_dgrad: {method: none, sms: 16",
            "gives a backward GEMM something else than bulk with SMs"}}) {
    CAPTURE(bad.by);
    data.write(kTable, edited(good, bad.replaced, bad.by));
    check_refused(data.run(), "base.yaml:20:26: overlap.tp_comm_overlap_table: " + bad.message);
  }
}

TEST_CASE("A link that is slower than any measure ends in a message, not in a hang") {
  const Data data;
  data.write(kNode, with_value(data.read(kNode), "nic_bandwidth", "1e-300 GB/s").text);
  check_refused(data.run(),
                "the step takes more than 11 days; a rate, a latency or a size is out of any "
                "measure");
}

TEST_CASE("A data folder without hardware is named") {
  const TempFolder folder;
  folder.write("base.yaml", kBaseScenario);
  const CallOptions here{folder.path().string(), {{"SIMTRAIN_DATA", "/nowhere"}}, ""};
  check_refused(run_simtrain({"base.yaml"}, here),
                "base.yaml:5:17: cluster.name: 'dgx-superpod-h100' is not in hardware/clusters; no "
                "files in /nowhere/hardware/clusters");
  check_refused(run_simtrain({"list", "gpus"}, here),
                "/nowhere/hardware/gpus: holds no .yaml files");
  check_refused(run_simtrain({"validate"}, here),
                "/nowhere/validation/documented.yaml: there is no such file");
}

}  // namespace
}  // namespace simtrain::testing::bad_hardware_test
