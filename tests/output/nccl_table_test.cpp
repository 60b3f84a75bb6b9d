#include "sim/output/nccl/nccl_table.h"

#include <sstream>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

namespace simtrain::testing::nccl_table_test {

namespace {

/// One call of `bytes` that took `time`, without a cluster behind it.
NcclSweepRow row(Collective collective, std::int64_t bytes, std::int64_t wire, Duration time,
                 Protocol protocol = Protocol::simple) {
  TransferCost cost;
  cost.collective = collective;
  cost.algorithm = Algorithm::ring;
  cost.protocol = protocol;
  cost.bytes = Bytes(bytes);
  cost.wire = Bytes(wire);
  cost.sms = 16;
  return {cost, time};
}

NcclTableHead head(Collective collective) {
  NcclTableHead head;
  head.cluster = "small";
  head.gpu = "h100-sxm";
  head.nodes = 2;
  head.settings.version.value = {2, 27, 3};
  head.settings.nvls.value = true;
  head.request = {collective, {0, 1, 2, 3}, Bytes(1000), Bytes(4000), 2};
  return head;
}

std::vector<std::string> lines(const std::string& text, char first) {
  std::vector<std::string> found;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    if ((line[0] == '#') == (first == '#')) found.push_back(line);
  }
  return found;
}

}  // namespace

// 4000 bytes in 2 us: 2 GB/s; 6000 bus bytes: 3 GB/s; 1000 floats.
TEST_CASE("a row of the table, to the letter") {
  const std::string text = nccl_table(
      head(Collective::all_reduce), {row(Collective::all_reduce, 4000, 6000, Duration(2'000'000))});
  const std::vector<std::string> rows = lines(text, ' ');
  REQUIRE(rows.size() == 1);
  CHECK(rows[0] ==
        "        4000          1000     float     sum      -1"
        "     2.00    2.00    3.00    N/A     2.00    2.00    3.00    N/A");
  CHECK(text.find("# Avg bus bandwidth    : 3\n") != std::string::npos);
}

TEST_CASE("times keep to seven characters, as nccl-tests prints them") {
  const auto time = [](Duration duration) {
    const std::string text = nccl_table(head(Collective::all_gather),
                                        {row(Collective::all_gather, 4000, 3000, duration)});
    std::istringstream words(lines(text, ' ')[0]);
    std::string word;
    for (int i = 0; i < 6; ++i) words >> word;
    return word;
  };
  CHECK(time(std::chrono::nanoseconds(99'990)) == "99.99");
  CHECK(time(std::chrono::nanoseconds(123'456)) == "123.5");
  CHECK(time(std::chrono::microseconds(12'345)) == "12345");
  CHECK(time(std::chrono::seconds(9)) == "9000000");
}

TEST_CASE("sizes of one choice share one comment") {
  const std::string text =
      nccl_table(head(Collective::all_reduce),
                 {row(Collective::all_reduce, 1000, 1500, Duration(1'000'000), Protocol::ll),
                  row(Collective::all_reduce, 2000, 3000, Duration(1'000'000)),
                  row(Collective::all_reduce, 4000, 6000, Duration(2'000'000))});
  const std::vector<std::string> comments = lines(text, '#');
  REQUIRE(comments.size() > 2);
  CHECK(comments[comments.size() - 2] == "# 1000 to 1000 B: ring ll, 16 channels");
  CHECK(comments.back() == "# 2000 to 4000 B: ring simple, 16 channels");
}

TEST_CASE("JSON in plain units") {
  const nlohmann::json json = nlohmann::json::parse(
      nccl_json(head(Collective::reduce_scatter),
                {row(Collective::reduce_scatter, 4000, 3000, Duration(2'000'000))}));
  CHECK(json.at("schema") == "simtrain.nccl/1");
  CHECK(json.at("collective") == "reduce_scatter");
  CHECK(json.at("gpus") == 4);
  CHECK(json.at("nccl_version") == "2.27.3");
  const nlohmann::json& size = json.at("sizes")[0];
  CHECK(size.at("count") == 250);
  CHECK(size.at("time_s") == doctest::Approx(2e-6));
  CHECK(size.at("algorithm_bandwidth_bytes_per_s") == doctest::Approx(2e9));
  CHECK(size.at("bus_bandwidth_bytes_per_s") == doctest::Approx(1.5e9));
  CHECK(size.at("channels") == 16);
}

}  // namespace simtrain::testing::nccl_table_test
