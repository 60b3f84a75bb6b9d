// simtrain nccl as a user types it, and as a script that parses nccl-tests reads it.
#include <algorithm>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "tests/cli/bad_edit.h"
#include "tests/cli/browser.h"
#include "tests/core/checkout.h"
#include "tests/output/page.h"

namespace simtrain::testing::nccl_command_test {
namespace {

const std::vector<std::string> kOperations{"all_reduce", "all_gather", "reduce_scatter",
                                           "broadcast",  "alltoall",   "sendrecv"};

Outcome nccl(const std::string& arguments) { return run_simtrain(words("nccl " + arguments)); }

std::string printed(const std::string& arguments) {
  CAPTURE(arguments);
  const Outcome outcome = nccl(arguments);
  CHECK(outcome.status == 0);
  CHECK(outcome.err.empty());
  return outcome.out;
}

nlohmann::json result(const std::string& arguments) {
  return nlohmann::json::parse(printed(arguments + " --format json"));
}

/// The lines of a table that are no comments, in words: what parsers of nccl-tests keep.
std::vector<std::vector<std::string>> rows_of(const std::string& text) {
  std::vector<std::vector<std::string>> rows;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    if (!line.empty() && line[0] != '#') rows.push_back(words(line));
  }
  return rows;
}

/// The only choice of a call of one size: algorithm, protocol, channels.
nlohmann::json choice(const std::string& arguments) {
  const nlohmann::json json = result(arguments + " --min 64M --max 64M");
  REQUIRE(json.at("sizes").size() == 1);
  return json.at("sizes")[0];
}

TEST_CASE("every operation gives a table with nccl-tests' columns") {
  for (const std::string& operation : kOperations) {
    CAPTURE(operation);
    const std::string text =
        printed("dgx-superpod-h100 --gpus 16 --min 1K --max 4M --op " + operation);
    CHECK(text.starts_with("# nThread 1 nGpus 1 minBytes 1024 maxBytes 4194304 step: 2(factor)"));
    CHECK(text.find("# Avg bus bandwidth    : ") != std::string::npos);
    CHECK(text.find("# Out of bounds values : 0 OK\n") != std::string::npos);
    const auto rows = rows_of(text);
    REQUIRE(rows.size() == 13);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      REQUIRE(rows[i].size() == 13);
      CHECK(rows[i][0] == std::to_string(1024 << i));
      CHECK(rows[i][2] == "float");
      CHECK(rows[i][4] == (operation == "broadcast" ? "0" : "-1"));
      for (std::size_t column = 5; column < 9; ++column)
        CHECK(rows[i][column] == rows[i][column + 4]);  // in place as out of place
      CHECK(rows[i][8] == "N/A");
      CHECK(std::stod(rows[i][5]) > 0);
    }
  }
}

// nccl-tests: algbw is size over time; busbw is algbw times 2(n-1)/n, (n-1)/n or 1.
TEST_CASE("algorithm and bus bandwidth are nccl-tests'") {
  const std::vector<double> factors{2 * 15.0 / 16, 15.0 / 16, 15.0 / 16, 1, 15.0 / 16, 1};
  for (std::size_t i = 0; i < kOperations.size(); ++i) {
    CAPTURE(kOperations[i]);
    const auto json =
        result("dgx-superpod-h100 --gpus 16 --min 1G --max 1G --op " + kOperations[i]);
    const nlohmann::json size = json.at("sizes")[0];
    const double time = size.at("time_s");
    const double algorithm = size.at("algorithm_bandwidth_bytes_per_s");
    CHECK(algorithm == doctest::Approx((1 << 30) / time));
    CHECK(size.at("bus_bandwidth_bytes_per_s").get<double>() ==
          doctest::Approx(algorithm * factors[i]));
  }
}

TEST_CASE("count is in elements of a rank's own part where the buffer is in parts") {
  const std::vector<std::string> counts{"1024", "64", "64", "1024", "64", "1024"};
  for (std::size_t i = 0; i < kOperations.size(); ++i) {
    CAPTURE(kOperations[i]);
    const auto rows =
        rows_of(printed("dgx-superpod-h100 --gpus 16 --min 4K --max 4K --op " + kOperations[i]));
    CHECK(rows[0][1] == counts[i]);
  }
}

TEST_CASE("the JSON says what was asked and what was chosen") {
  const nlohmann::json json =
      result("gcp-a4 --op all_reduce --gpus 8 --nodes 2 --min 1M --max 4M --factor 4");
  CHECK(json.at("schema") == "simtrain.nccl/1");
  CHECK(json.at("cluster") == "gcp-a4");
  CHECK(json.at("collective") == "all_reduce");
  CHECK(json.at("gpus") == 8);
  CHECK(json.at("nodes") == 2);
  CHECK(json.at("nvls") == true);
  CHECK(json.at("mean_bus_bandwidth_bytes_per_s") > 0);
  REQUIRE(json.at("sizes").size() == 2);
  CHECK(json.at("sizes")[1].at("bytes") == 4 << 20);
  CHECK(json.at("sizes")[1].at("count") == 1 << 20);
  for (const char* key : {"algorithm", "protocol"}) CHECK(json.at("sizes")[0].at(key).is_string());
  CHECK(json.at("sizes")[0].at("channels") > 0);
}

TEST_CASE("JSON and table hold the same numbers") {
  const std::string call = "dgx-superpod-h100 --op all_gather --gpus 32 --min 64K --max 1G";
  const nlohmann::json sizes = result(call).at("sizes");
  const auto rows = rows_of(printed(call));
  REQUIRE(rows.size() == sizes.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    CHECK(std::stod(rows[i][5]) ==
          doctest::Approx(sizes[i].at("time_s").get<double>() * 1e6).epsilon(0.005));
    CHECK(std::stod(rows[i][7]) * 1e9 ==
          doctest::Approx(sizes[i].at("bus_bandwidth_bytes_per_s").get<double>()).epsilon(0.01));
  }
}

TEST_CASE("every cluster of the repository whose GPUs run NCCL has a table of every operation") {
  std::vector<std::string> clusters;
  for (const auto& entry : std::filesystem::directory_iterator(source_dir() + "/hardware/clusters"))
    clusters.push_back(entry.path().stem().string());
  std::sort(clusters.begin(), clusters.end());
  for (const std::string& cluster : clusters) {
    if (run_simtrain(words("nccl " + cluster + " --gpus 16 --op all_reduce --min 8 --max 8"))
            .err.find("do not run NCCL") != std::string::npos)
      continue;
    for (const std::string& operation : kOperations) {
      CAPTURE(cluster);
      CAPTURE(operation);
      const nlohmann::json sizes =
          result(cluster + " --gpus 16 --min 8 --max 8G --op " + operation).at("sizes");
      REQUIRE(sizes.size() == 31);
      for (const auto& size : sizes) {
        CHECK(size.at("time_s") > 0);
        CHECK(size.at("bus_bandwidth_bytes_per_s") < 2e12);
      }
      // 8 GiB take more than a millisecond over any link.
      CHECK(sizes.back().at("time_s") > 1e-3);
    }
  }
}

TEST_CASE("--algo and --proto are NCCL's words, and only these are chosen among") {
  const std::string call = "dgx-superpod-h100 --op all_reduce --gpus 16";
  const std::vector<std::pair<std::string, std::string>> algorithms{
      {"ring", "ring"},
      {"Tree", "tree"},
      {"NVLSTree", "nvls-tree"},
      {"nvls-tree", "nvls-tree"},
      {"CollnetDirect", "collnet-direct"},
      {"collnetchain", "collnet-chain"}};
  for (const auto& [word, name] : algorithms) {
    const auto& shown = word;
    CAPTURE(shown);
    CHECK(choice(call + " --algo " + word).at("algorithm") == name);
  }
  for (const std::string protocol : {"ll", "ll128", "simple"})
    CHECK(choice(call + " --algo ring --proto " + protocol).at("protocol") == protocol);
  CHECK(choice(call + " --algo ring --proto LL128").at("protocol") == "ll128");
  const std::string among = choice(call + " --algo ring,tree").at("algorithm");
  CHECK((among == "ring" || among == "tree"));
  // One GPU a node is what PAT is for.
  CHECK(choice("dgx-superpod-h100 --op all_gather --gpus 8 --nodes 8 --algo pat").at("algorithm") ==
        "pat");
  // As NCCL does where nothing is left.
  CHECK(choice("dgx-superpod-h100 --op all_gather --gpus 16 --algo tree --quiet").at("algorithm") ==
        "ring");
}

TEST_CASE("a note says where none of --algo runs a call") {
  const std::string call = "dgx-superpod-a100 --op all_reduce --gpus 8 --min 1M --max 1M";
  CHECK(
      nccl(call + " --algo nvls").err ==
      "simtrain: note: none of --algo runs all_reduce of 1048576 B on a100-sxm here, ring does\n");
  CHECK(nccl(call + " --algo nvls --quiet").err.empty());
  CHECK(nccl(call + " --algo ring,nvls").err.empty());
}

TEST_CASE("LL128 does not run over PCIe, so that more bytes never take less time there") {
  for (const std::string gpus : {"8", "256"}) {
    const nlohmann::json sizes =
        result("l40s-roce --op all_reduce --gpus " + gpus + " --min 64K --max 4G").at("sizes");
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      CHECK(sizes[i].at("protocol") != "ll128");
      if (i > 0) CHECK(sizes[i].at("time_s") > sizes[i - 1].at("time_s"));
    }
  }
}

TEST_CASE("stacks without NCCL and channels that cross are refused") {
  const std::string call = "dgx-superpod-h100 --op all_reduce --gpus 16";
  CHECK(nccl(call + " --software megatron-rocm-2025").err ==
        "simtrain: --software: megatron-rocm-2025 does not run NCCL\n");
  CHECK(nccl(call + " --min-channels 32 --max-channels 4").err ==
        "simtrain: --min-channels: leaves 32 channels at least and 4 at most\n");
}

TEST_CASE("NVLS, channels and the version are reported") {
  const std::string call = "dgx-superpod-h100 --op all_reduce --gpus 8";
  CHECK(choice(call).at("algorithm") == "nvls");
  CHECK(choice(call + " --nvls false").at("algorithm") != "nvls");
  const std::string ring = call + " --algo ring";
  CHECK(choice(ring + " --max-channels 4").at("channels") == 4);
  CHECK(choice(ring + " --min-channels 32").at("channels") == 32);
  CHECK(choice(ring + " --max-channels 2").at("time_s") > choice(ring).at("time_s"));
  CHECK(result(call + " --nccl-version 2.19.3").at("nccl_version") == "2.19.3");
}

TEST_CASE("--software brings its NCCL settings, and options change them") {
  const std::string call = "dgx-superpod-h100 --op all_reduce --gpus 8 --software nemo-25.02";
  const std::string version = result(call).at("nccl_version");
  CHECK(version.starts_with("2."));
  CHECK(result(call + " --nccl-version 2.28.9").at("nccl_version") == "2.28.9");
  CHECK(result(call + " --nvls false").at("nvls") == false);
}

TEST_CASE("without --nodes as few nodes as hold the ranks, evenly") {
  const auto nodes = [](const std::string& gpus) {
    return result("dgx-superpod-h100 --op all_reduce --max 8 --gpus " + gpus).at("nodes");
  };
  CHECK(nodes("1") == 1);
  CHECK(nodes("8") == 1);
  CHECK(nodes("12") == 2);
  CHECK(nodes("24") == 3);
}

TEST_CASE("a rank alone has nothing to wait for") {
  for (const std::string& operation : kOperations) {
    CAPTURE(operation);
    CHECK(nccl("dgx-superpod-h100 --gpus 1 --max 1K --op " + operation).status == 0);
  }
}

TEST_CASE("huge sizes and huge jobs neither overflow nor hang") {
  for (const std::string& operation : kOperations) {
    CAPTURE(operation);
    const nlohmann::json sizes =
        result("dgx-superpod-h100 --gpus 8192 --min 1 --max 16384G --factor 1000000 --op " +
               operation)
            .at("sizes");
    CHECK(sizes.size() == 3);
    for (const auto& size : sizes) CHECK(size.at("time_s") > 0);
    CHECK(sizes[2].at("time_s") > sizes[1].at("time_s"));
  }
  CHECK(rows_of(printed("gcp-a4 --op all_reduce --gpus 8 --min 16384G --max 16384G")).size() == 1);
  CHECK(rows_of(printed("gcp-a4 --op all_reduce --gpus 8 --factor 2147483647")).size() == 1);
}

struct BadCall {
  std::string arguments;
  std::string message;
};

void check_calls(const std::string& start, const std::vector<BadCall>& calls) {
  for (const BadCall& call : calls) {
    CAPTURE(call.arguments);
    check_refused(nccl(start + call.arguments), call.message);
  }
}

TEST_CASE("a cluster is asked for, one") {
  check_calls("", {{"", "nccl takes one cluster; 'simtrain help nccl' shows how"},
                   {"gcp-a4 gcp-a4 --op all_reduce --gpus 8",
                    "nccl takes one cluster; 'simtrain help nccl' shows how"},
                   {"gcp-a5 --op all_reduce --gpus 8",
                    "nccl: 'gcp-a5' is not in hardware/clusters; did you mean 'gcp-a4'?"}});
}

TEST_CASE("an operation is one of nccl-tests'") {
  check_calls(
      "gcp-a4 --gpus 8",
      {{"",
        "--op: is missing; all_reduce, all_gather, reduce_scatter, broadcast, alltoall or "
        "sendrecv would do"},
       {" --op all_redcue", "--op: 'all_redcue' is not known here; did you mean 'all_reduce'?"},
       {" --op none",
        "--op: 'none' is not known here; known are all_reduce, all_gather, reduce_scatter, "
        "broadcast, alltoall, sendrecv"}});
}

TEST_CASE("GPUs spread evenly over nodes that there are") {
  check_calls("gcp-a4 --op all_reduce",
              {{"", "--gpus: is missing; --gpus 8 would do"},
               {" --gpus 0", "--gpus: 0 is none"},
               {" --gpus -8", "--gpus: -8 is none"},
               {" --gpus 8 --nodes 0", "--nodes: 0 is none"},
               {" --gpus 8 --nodes -1", "--nodes: -1 is none"},
               {" --gpus 9 --nodes 2", "--gpus: 9 do not spread evenly over 2 nodes of 8"},
               {" --gpus 9", "--gpus: 9 do not spread evenly over 2 nodes of 8"},
               {" --gpus 16 --nodes 1", "--gpus: 16 do not spread evenly over 1 nodes of 8"},
               {" --gpus 8 --nodes 16", "--gpus: 8 do not spread evenly over 16 nodes of 8"},
               {" --gpus 8200", "--nodes: 1025 is more than the 1024 nodes that gcp-a4 has"},
               {" --gpus eight",
                "the argument ('eight') for option '--gpus' is invalid; 'simtrain help' shows what "
                "there is"}});
}

TEST_CASE("sizes are bytes, or K, M, G of 1024") {
  const auto no_size = [](const std::string& option, const std::string& text) {
    return BadCall{" --" + option + " " + text,
                   "--" + option + ": '" + text +
                       "' is no size; 8, 64K, 128M or 8G would do (at most 16384G)"};
  };
  std::vector<BadCall> calls;
  for (const char* option : {"min", "max"}) {
    for (const char* text : {"0", "-8", "K", "8KB", "8T", "1e6", "16385G", "8.5K", "0x8",
                             "99999999999999999999", "9223372036854775807"})
      calls.push_back(no_size(option, text));
  }
  calls.push_back({" --min 16 --max 8", "--min: is more than --max"});
  calls.push_back({" --factor 1", "--factor: must be 2 or more"});
  calls.push_back({" --factor 0", "--factor: must be 2 or more"});
  calls.push_back({" --factor -2", "--factor: must be 2 or more"});
  check_calls("gcp-a4 --op all_reduce --gpus 8", calls);
}

TEST_CASE("settings of NCCL are those that there are") {
  check_calls(
      "gcp-a4 --op all_reduce --gpus 8",
      {{" --algo rign", "--algo: 'rign' is not known here; did you mean 'ring'?"},
       {" --algo ring,",
        "--algo: '' is not known here; known are ring, tree, collnet-direct, "
        "collnet-chain, nvls, nvls-tree, pat"},
       {" --algo direct",
        "--algo: 'direct' is not known here; known are ring, tree, "
        "collnet-direct, collnet-chain, nvls, nvls-tree, pat"},
       {" --proto ll64", "--proto: 'll64' is not known here; did you mean 'll'?"},
       {" --proto ce", "--proto: 'ce' is not known here; did you mean 'll'?"},
       {" --nvls maybe", "--nvls: 'maybe' is not known; true or false would do"},
       {" --min-channels 0", "--min-channels: '0' is out of range; 1 to 64 would do"},
       {" --max-channels 65", "--max-channels: '65' is out of range; 1 to 64 would do"},
       {" --max-channels many", "--max-channels: must be a whole number, found 'many'"},
       {" --nccl-version 2.17",
        "--nccl-version: '2.17' is an NCCL whose rules are not known here; 2.18 to 2.30 are"},
       {" --nccl-version 3", "--nccl-version: '3' is no NCCL version; 2.25.1 would do"},
       {" --software nemo-25.2",
        "--software: 'nemo-25.2' is not in hardware/software; did you mean 'nemo-25.02'?"},
       {" --format csv", "--format: 'csv' is not known; text or json would do"},
       {" --ops all_reduce", "unknown option '--ops'; did you mean '--op'?"}});
}

TEST_CASE("--report puts the curve and measured points on a page; the table stays the same") {
  const TempFolder folder;
  const std::string file = folder.file("curve.html");
  const std::string asked = "dgx-superpod-h100 --op all_reduce --gpus 16 --min 1K --factor 4";
  const std::string log = "tests/measured/data/nccl-tests-all-reduce.txt";
  CHECK(printed(asked + " --report " + file + " --measured " + log) == printed(asked));
  const std::string page = read_file(file);
  check_whole(page);
  const auto data = data_of(page);
  const auto sizes = result(asked).at("sizes");
  REQUIRE(data.at("predicted").at("points").size() == sizes.size());
  for (std::size_t i = 0; i < sizes.size(); ++i)
    CHECK(data.at("predicted").at("points").at(i).at("gb_per_s").get<double>() * 1e9 ==
          doctest::Approx(sizes.at(i).at("bus_bandwidth_bytes_per_s").get<double>()));
  REQUIRE(data.at("measured").size() == 1);
  CHECK(data.at("measured").at(0).at("points").at(4) == nlohmann::json::array({262144, 8.04}));
  CHECK(has(unlabelled(page), "<td>8.04 GB/s</td>"));
  if (!browser_here()) return;
  const std::string dom = in_browser(file).out;
  CHECK(dom.find("CONSOLE") == std::string::npos);
  CHECK(drawn(dom, "curves", "<svg"));
  CHECK(width_on_phone(file) <= 390);
}

TEST_CASE("--measured is refused without a page, and where the file has no such test") {
  const TempFolder folder;
  const std::string page = " --report " + folder.file("curve.html");
  const std::string log = " --measured tests/measured/data/nccl-tests-all-reduce.txt";
  for (const std::string& line :
       {"dgx-superpod-h100 --op all_reduce --gpus 16" + log,
        "dgx-superpod-h100 --op all_gather --gpus 16" + log + page,
        "dgx-superpod-h100 --op all_reduce --gpus 8" + log + page,
        "dgx-superpod-h100 --op all_reduce --gpus 8 --measured README.md" + page}) {
    CAPTURE(line);
    const Outcome outcome = nccl(line);
    CHECK(outcome.status == 2);
    CHECK(outcome.out.empty());
    CHECK(std::count(outcome.err.begin(), outcome.err.end(), '\n') == 1);
  }
  CHECK(std::filesystem::is_empty(folder.path()));
}

}  // namespace
}  // namespace simtrain::testing::nccl_command_test
