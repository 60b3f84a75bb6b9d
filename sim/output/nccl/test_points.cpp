#include "sim/output/nccl/test_points.h"

#include <cctype>
#include <string_view>

#include <fmt/format.h>

namespace simtrain {
namespace {

/// Letters and digits in small letters, in words.
std::string plain_words(std::string_view text) {
  std::string out = " ";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    out += std::isalnum(byte) != 0 ? static_cast<char>(std::tolower(byte)) : ' ';
  }
  return out + " ";
}

}  // namespace

CurvePoint point_of(const PredictedTest& test, const PredictedTestRow& row,
                    const NcclTestTime& time) {
  return {test.cluster,
          std::string(name_of(test.collective)),
          test.log,
          CurveUse::tested,
          test.gpus,
          test.nodes,
          static_cast<double>(row.measured.bytes),
          time.seconds,
          to_seconds(row.predicted.time),
          fmt::format("{} {}", name_of(row.predicted.cost.algorithm),
                      name_of(row.predicted.cost.protocol))};
}

std::vector<CurvePoint> points_of(const PredictedTest& test) {
  std::vector<CurvePoint> points;
  for (const PredictedTestRow& row : test.rows) {
    for (const auto& time : {row.measured.out_of_place, row.measured.in_place}) {
      if (time) points.push_back(point_of(test, row, *time));
    }
  }
  return points;
}

std::int64_t wrong_values(const PredictedTest& test) {
  std::int64_t wrong = 0;
  for (const PredictedTestRow& row : test.rows) {
    for (const auto& time : {row.measured.out_of_place, row.measured.in_place})
      wrong += time ? time->wrong : 0;
  }
  return wrong;
}

std::vector<std::string> caveats_of(const PredictedTest& test) {
  std::vector<std::string> caveats;
  const std::string chip = plain_words(test.gpu.substr(0, test.gpu.find('-')));
  for (const std::string& name : test.test.gpu_names) {
    if (plain_words(name).find(chip) == std::string::npos)
      caveats.push_back(fmt::format("the log's GPUs are {}, the cluster's {}", name, test.gpu));
  }
  const auto ranks = static_cast<int>(test.test.ranks.size());
  if (ranks > 0 && ranks != test.gpus)
    caveats.push_back(fmt::format("the log has {} ranks, --gpus gives {}", ranks, test.gpus));
  const auto hosts = static_cast<int>(test.test.hosts.size());
  if (hosts > 0 && hosts != test.nodes)
    caveats.push_back(fmt::format("the log has {} hosts, not {}", hosts, test.nodes));
  if (const std::int64_t wrong = wrong_values(test); wrong > 0)
    caveats.push_back(fmt::format("{} values came out wrong: the run was faulty", wrong));
  return caveats;
}

std::string test_name(const PredictedTest& test, std::string_view operation) {
  return fmt::format("{} on {} GPUs of {} {}, {}", operation, test.gpus, test.nodes,
                     test.nodes == 1 ? "node" : "nodes", test.cluster);
}

std::string nccl_words(const PredictedTest& test) {
  return fmt::format(
      "{} ({}), NVLS {}", test.settings.version.value.text(),
      test.test.version.empty() ? test.settings.version.source : "log: " + test.test.version,
      test.settings.nvls.value ? "on" : "off");
}

}  // namespace simtrain
