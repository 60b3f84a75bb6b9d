#include "sim/app/arguments/nccl_options.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "sim/collectives/libraries/nccl/nccl_algorithm.h"
#include "sim/collectives/libraries/nccl/nccl_names.h"
#include "sim/core/input/text_parts.h"
#include "sim/core/suggestion.h"
#include "sim/study/nccl/nccl_cluster.h"
#include "sim/workload/model/fields/software_fields.h"
#include "sim/workload/model/software_spec.h"

namespace simtrain {
namespace {

namespace po = boost::program_options;

YamlNode scalar(const std::string& text) {
  YamlNode node;
  node.kind = YamlNode::Kind::scalar;
  node.text = text;
  return node;
}

template <class Name>
Name named(const std::string& word, const std::string& option, const std::vector<Name>& allowed) {
  std::vector<std::string> known;
  known.reserve(allowed.size());
  for (const Name value : allowed) {
    if (plain_word(name_of(value)) == plain_word(word)) return value;
    known.emplace_back(name_of(value));
  }
  throw InputError({}, option,
                   fmt::format("'{}' is not known here; {}", word, suggestion(word, known)));
}

template <class Name>
std::optional<std::vector<Name>> names(const po::variables_map& values, const std::string& option,
                                       const std::vector<Name>& allowed) {
  if (values.count(option) == 0) return std::nullopt;
  std::vector<Name> result;
  for (const std::string_view word : split(values[option].as<std::string>(), ','))
    result.push_back(named(std::string(word), "--" + option, allowed));
  return result;
}

/// What NCCL_ALGO knows.
std::vector<Algorithm> algorithms() {
  std::vector<Algorithm> known;
  known.reserve(nccl_algorithms().size());
  for (const NcclAlgorithm& row : nccl_algorithms()) known.push_back(row.algorithm);
  return known;
}

std::optional<int> channels(const po::variables_map& values, const std::string& option) {
  if (values.count(option) == 0) return std::nullopt;
  return static_cast<int>(
      scalar_integer(scalar(values[option].as<std::string>()), "--" + option, {1, 64}));
}

}  // namespace

NcclSettings nccl_settings(const CommandCall& call, const po::variables_map& values,
                           const NcclVersion& usual) {
  NcclSettings settings = usual_nccl(usual);
  if (values.count("software") > 0) {
    const auto software = call.data.load<SoftwareSpec>(
        "hardware/software", values["software"].as<std::string>(), {}, "--software");
    const NcclSettings* own = nccl_settings_of(software.library);
    if (own == nullptr)
      throw InputError({}, "--software", fmt::format("{} does not run NCCL", software.name));
    settings = *own;
  }
  NcclOverrides given;
  if (values.count("nccl-version") > 0)
    scalar_quantity(scalar(values["nccl-version"].as<std::string>()), "--nccl-version",
                    given.version.emplace());
  if (values.count("nvls") > 0)
    given.nvls = scalar_bool(scalar(values["nvls"].as<std::string>()), "--nvls");
  given.algo = names(values, "algo", algorithms());
  given.proto = names(values, "proto", std::vector(kNcclProtocols.begin(), kNcclProtocols.end()));
  given.collnet = given.algo && std::any_of(given.algo->begin(), given.algo->end(),
                                            [](Algorithm a) {
                                              return a == Algorithm::collnet_direct ||
                                                     a == Algorithm::collnet_chain;
                                            })
                      ? std::optional(true)
                      : std::nullopt;
  given.min_channels = channels(values, "min-channels");
  given.max_channels = channels(values, "max-channels");
  settings = with_overrides(std::move(settings), given, "command line");
  const auto& [least, most] = std::tie(settings.min_channels, settings.max_channels);
  if (least && most && least->value > most->value)
    throw InputError(
        {}, values.count("min-channels") > 0 ? "--min-channels" : "--max-channels",
        fmt::format("leaves {} channels at least and {} at most", least->value, most->value));
  return settings;
}

}  // namespace simtrain
