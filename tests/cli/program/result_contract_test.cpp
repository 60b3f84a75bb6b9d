#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "tests/cli/program.h"

namespace simtrain::testing::result_contract_test {
namespace {

using Json = nlohmann::json;

/// The flagship's result, simulated once.
const Json& flagship() {
  static const Json json =
      Json::parse(run_simtrain({"scenarios/llama405b_a4_224.yaml", "--format", "json"}).out);
  return json;
}

void check_numbers(const Json& object, const std::vector<std::string>& keys) {
  for (const std::string& key : keys) {
    CAPTURE(key);
    REQUIRE(object.contains(key));
    CHECK(object[key].is_number());
    CHECK(object[key] >= 0);
  }
}

void check_texts(const Json& object, const std::vector<std::string>& keys) {
  for (const std::string& key : keys) {
    CAPTURE(key);
    REQUIRE(object.contains(key));
    CHECK(object[key].is_string());
    CHECK(!object[key].get<std::string>().empty());
  }
}

TEST_CASE("A result has the headline fields of simtrain.result/1") {
  CHECK(flagship().at("schema") == "simtrain.result/1");
  check_texts(flagship(), {"scenario", "source", "mfu_convention"});
  check_numbers(flagship(), {"gpus", "tokens_per_s", "tflops_per_gpu", "mfu", "days_per_1t_tokens",
                             "model_flops_per_sample", "peak_tflops_per_gpu"});
  CHECK(flagship().at("gpus").is_number_integer());
  CHECK(flagship().at("gpus") == 224);
}

TEST_CASE("The step time has mean, deviation and range") {
  const Json& time = flagship().at("step_time_s");
  check_numbers(time, {"mean", "std", "min", "max", "low", "high", "relative_standard_error",
                       "expected", "expected_std"});
  CHECK(time.at("mean") == time.at("expected"));
  CHECK(time.at("std") == 0);
  CHECK(time.at("min") <= time.at("mean"));
  CHECK(time.at("mean") <= time.at("max"));
  CHECK(time.at("low") < time.at("mean"));
  CHECK(time.at("mean") < time.at("high"));
}

TEST_CASE("The breakdown sums to the mean step time") {
  double sum = 0;
  for (const auto& [name, seconds] : flagship().at("breakdown_s").items()) {
    const auto& shown = name;
    CAPTURE(shown);
    CHECK(seconds.is_number());
    CHECK(seconds >= 0);
    sum += seconds.get<double>();
  }
  CHECK(sum == doctest::Approx(flagship()["step_time_s"]["mean"].get<double>()).epsilon(1e-9));
}

TEST_CASE("The energy of a step is the sum of its parts, that of the GPUs of their kernels") {
  const Json& energy = flagship().at("energy");
  check_numbers(energy, {"joules_per_step", "joules_per_token", "mwh_per_1t_tokens", "pue"});
  check_numbers(energy.at("mean_power_w"), {"gpu", "gpu_limit", "node", "cluster"});
  check_numbers(energy.at("gpu_power_trace"),
                {"interval_s", "least_w", "most_w", "swing_of_all_gpus_w"});
  const auto sum_of_all = [](const Json& object) {
    double sum = 0;
    for (const auto& [name, value] : object.items()) sum += value.get<double>();
    return sum;
  };
  const double joules = energy["joules_per_step"];
  CHECK(sum_of_all(energy.at("by_part_joules")) == doctest::Approx(joules).epsilon(1e-9));
  CHECK(sum_of_all(energy.at("gpus_by_kernel_joules")) ==
        doctest::Approx(energy["by_part_joules"]["gpus"].get<double>()).epsilon(1e-9));
  CHECK(energy["joules_per_token"].get<double>() ==
        doctest::Approx(joules / flagship()["tokens_per_step"].get<double>()));
  CHECK(energy["gpu_power_trace"].at("mean_w").size() == 100);
  CHECK(!energy.contains("cost"));
}

TEST_CASE("The headline figures follow from the step time") {
  const double step = flagship()["step_time_s"]["mean"];
  CHECK(flagship()["tokens_per_s"].get<double>() == doctest::Approx(8192.0 * 2016 / step));
  CHECK(flagship()["days_per_1t_tokens"].get<double>() ==
        doctest::Approx(1e12 / flagship()["tokens_per_s"].get<double>() / 86400));
  CHECK(flagship()["tflops_per_gpu"].get<double>() ==
        doctest::Approx(flagship()["model_flops_per_sample"].get<double>() * 2016 / step / 224 /
                        1e12));
  CHECK(flagship()["mfu"].get<double>() ==
        doctest::Approx(flagship()["tflops_per_gpu"].get<double>() /
                        flagship()["peak_tflops_per_gpu"].get<double>()));
}

TEST_CASE("Memory is reported by stage") {
  const Json& memory = flagship().at("memory");
  check_numbers(memory, {"peak_bytes", "capacity_bytes"});
  CHECK(memory.at("fits").is_boolean());
  CHECK(memory.at("per_stage").size() == 14);
  for (const Json& stage : memory.at("per_stage")) {
    check_numbers(stage, {"weights_bytes", "gradients_bytes", "optimizer_bytes",
                          "activations_bytes", "allocated_bytes", "total_bytes"});
    CHECK(stage.at("allocated_bytes") <= memory.at("peak_bytes"));
    CHECK(stage.at("total_bytes") >= stage.at("allocated_bytes"));
  }
}

TEST_CASE("Communication is reported by kind of call") {
  CHECK(!flagship().at("communication").empty());
  for (const Json& row : flagship().at("communication")) {
    check_texts(row, {"group", "collective", "algorithm", "protocol"});
    check_numbers(row, {"bytes", "count", "total_s", "exposed_s"});
    CHECK(row.at("bytes").is_number_integer());
    CHECK(row.at("count").is_number_integer());
    CHECK(row.at("exposed_s").get<double>() <= row.at("total_s").get<double>() * (1 + 1e-9));
  }
}

TEST_CASE("The engine reports its events, time, ranks and fingerprint") {
  const Json& engine = flagship().at("engine");
  check_numbers(engine, {"events", "wall_s", "ranks", "ranks_simulated"});
  check_texts(engine, {"fingerprint"});
  CHECK(engine.at("events").is_number_integer());
  CHECK(engine.at("ranks") == 224);
  CHECK(engine.at("ranks_simulated") <= engine.at("ranks"));
}

}  // namespace
}  // namespace simtrain::testing::result_contract_test
