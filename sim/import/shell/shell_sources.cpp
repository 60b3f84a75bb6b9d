#include "sim/import/shell/shell_sources.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sim/import/shell/shell_path.h"
#include "sim/import/terms/finding.h"

namespace simtrain {
namespace {

constexpr std::size_t kMostScripts = 64;

/// The file of a path that a script takes in: beside the script, where it is run as a rule, or
/// beside the file that takes it in.
std::optional<std::string> sourced_file(const std::string& path, const std::string& script,
                                        const std::string& taker) {
  std::vector<std::string> places{path};
  if (!path.starts_with('/'))
    places = {folder_of(script) + "/" + path, folder_of(taker) + "/" + path, path};
  for (const std::string& place : places) {
    std::error_code error;
    if (std::filesystem::is_regular_file(place, error))
      return std::filesystem::path(place).lexically_normal().string();
  }
  return std::nullopt;
}

/// Whether a file sets up a shell or Python and no training.
bool is_set_up(const std::string& written) {
  constexpr std::array<std::string_view, 5> kSetUps{"activate", "conda.sh", ".bashrc",
                                                    ".bash_profile", ".profile"};
  const std::string name = written.substr(written.rfind('/') + 1);
  return written.starts_with("/etc/") ||
         std::find(kSetUps.begin(), kSetUps.end(), name) != kSetUps.end();
}

}  // namespace

std::optional<std::string> ShellSources::find(const ShellWord& word,
                                              const ShellVariables& variables) {
  const std::string written = variables.put_in(word.text);
  const std::string name = written.substr(written.rfind('/') + 1);
  const bool left = std::any_of(left_out_.begin(), left_out_.end(),
                                [&](const auto& one) { return one == name || one == written; });
  if (left || is_set_up(written)) return std::nullopt;
  const bool all = std::find(left_out_.begin(), left_out_.end(), kAllMissing) != left_out_.end();
  const auto path = variables.path_in(word.text);
  if (!path || path->empty()) {
    if (all) return std::nullopt;
    throw InputError(word.place, "source",
                     fmt::format("takes in '{}', whose path only a run knows; --override "
                                 "\"~source {}\" reads on without it",
                                 plain_text(written.substr(0, 120)), plain_text(name)));
  }
  auto file = sourced_file(*path, script_, variables.source());
  if (!file && !all) missing_.push_back({word.place, name, *path});
  if (file && ++files_ > kMostScripts) {
    throw InputError(word.place, "source",
                     fmt::format("takes in more than {} files", kMostScripts));
  }
  return file;
}

void ShellSources::refuse_missing() const {
  if (missing_.empty()) return;
  const Missing& first = missing_.front();
  std::set<std::string> names;
  for (const Missing& one : missing_) names.insert(plain_text(one.name));
  throw InputError(
      first.place, "source",
      fmt::format("takes in {}, which is not there; put it beside the script, or "
                  "--override \"~source {}\" or --defaults reads on without {}",
                  plain_text(first.path),
                  names.size() == 1 ? *names.begin() : std::string(kAllMissing),
                  names.size() == 1 ? "it" : fmt::format("{}", fmt::join(names, ", "))));
}

}  // namespace simtrain
