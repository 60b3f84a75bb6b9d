#include "sim/measured/profile_builder.h"

#include <algorithm>

namespace simtrain {

void ProfileBuilder::kernel(std::string_view name, std::int64_t calls, double seconds,
                            std::int64_t line) {
  constexpr double kLongest = 1e9;
  if (!(seconds >= 0 && seconds <= kLongest)) {
    skip(line, "its time is no number of 0 or more");
    return;
  }
  if (calls < 1 || calls > kMostCalls) {
    skip(line, "its number of calls is no whole number of 1 or more");
    return;
  }
  const std::string_view kept = name.substr(0, kLongestName);
  auto found = kernels_.find(kept);
  if (found == kernels_.end()) {
    if (kernels_.size() >= kMostNames) {
      skip(line, "is a kernel beyond the first 20000 names");
      return;
    }
    found =
        kernels_.emplace(kept, ProfiledKernel{std::string(kept), kernel_kind(name), 0, 0}).first;
  }
  ProfiledKernel& entry = found->second;
  entry.calls = std::min(entry.calls + calls, kMostCalls);
  entry.seconds += seconds;
}

LoggedProcess* ProfileBuilder::process(std::string_view name) {
  if (last_ != nullptr && last_->name == name) return last_;
  auto found = processes_.find(name);
  if (found == processes_.end()) {
    if (shapes_ >= kMostShapes) return nullptr;
    ++shapes_;
    found = processes_.emplace(name, LoggedProcess{}).first;
    found->second.name = name;
  }
  last_ = &found->second;
  return last_;
}

/// Nowhere where there is no place left for it.
void ProfileBuilder::count(CallCounts* calls, const CallShape& shape, std::int64_t line) {
  const auto known = calls == nullptr ? CallCounts::iterator() : calls->find(shape);
  if (calls != nullptr && known != calls->end()) {
    ++known->second;
  } else if (calls != nullptr && shapes_ < kMostShapes) {
    ++shapes_;
    calls->emplace(shape, 1);
  } else {
    skip(line, "is a call beyond the first 100000 kinds");
  }
}

void ProfileBuilder::call(const CallShape& shape, std::int64_t line) {
  count(&profile_.calls, shape, line);
}

void ProfileBuilder::call(std::string_view name, const CallShape& shape, std::int64_t line) {
  LoggedProcess* const caller = process(name);
  count(caller == nullptr ? nullptr : &caller->calls, shape, line);
}

void ProfileBuilder::communicator(std::string_view name, const ToldRank& place) {
  LoggedProcess* const member = process(name);
  if (member == nullptr) return;
  if (!member->told || member->told->ranks < place.ranks) member->told = place;
}

void ProfileBuilder::step(std::int64_t number) {
  constexpr std::size_t kMostSteps = 1000000;
  if (steps_.size() < kMostSteps) steps_.insert(number);
}

void ProfileBuilder::gpu(std::string_view name) {
  constexpr std::size_t kMostGpus = 1024;
  if (name.empty() || name.size() > kLongestName || gpus_.size() >= kMostGpus) return;
  if (!gpus_.contains(name)) gpus_.emplace(name);
}

Profile ProfileBuilder::take() {
  profile_.kernels.reserve(kernels_.size());
  for (auto& [name, kernel] : kernels_) profile_.kernels.push_back(std::move(kernel));
  std::stable_sort(profile_.kernels.begin(), profile_.kernels.end(),
                   [](const ProfiledKernel& one, const ProfiledKernel& other) {
                     return one.seconds > other.seconds;
                   });
  profile_.processes.reserve(processes_.size());
  for (auto& [name, logged] : processes_) profile_.processes.push_back(std::move(logged));
  profile_.gpus = std::max(1, static_cast<int>(gpus_.size()));
  if (!steps_.empty()) profile_.steps = static_cast<std::int64_t>(steps_.size());
  return std::move(profile_);
}

}  // namespace simtrain
