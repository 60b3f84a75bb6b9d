#include "sim/import/shell/shell_calls.h"

#include <algorithm>

namespace simtrain {
namespace {

constexpr std::size_t kDeepestCalls = 32;
constexpr std::size_t kMostCalls = 256;
constexpr std::size_t kMostCallWords = 8192;  // of all calls
constexpr std::size_t kMostOwn = 1024;        // variables of one call

}  // namespace

bool ShellCalls::open(std::size_t words, std::size_t depth) {
  if (calls_.size() >= kDeepestCalls || callers_.size() >= kMostCalls ||
      words_ + words > kMostCallWords)
    return false;
  words_ += words;
  callers_.push_back(current());
  calls_.push_back({callers_.size(), depth});
  return true;
}

void ShellCalls::close() {
  std::vector<std::pair<std::string, ShellVariables::Kept>> own = std::move(calls_.back().own);
  calls_.pop_back();
  for (auto& [name, kept] : own) variables_.put_back(name, std::move(kept));
}

void ShellCalls::note_own(const std::string& name) {
  if (calls_.empty() || name.empty()) return;
  auto& own = calls_.back().own;
  const bool known =
      std::any_of(own.begin(), own.end(), [&](const auto& one) { return one.first == name; });
  if (!known && own.size() < kMostOwn) own.emplace_back(name, variables_.kept(name));
}

}  // namespace simtrain
