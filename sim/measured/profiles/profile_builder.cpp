#include "sim/measured/profiles/profile_builder.h"

#include <algorithm>

namespace simtrain {
namespace {

/// One entry for the kernels of one name.
void join_names(std::vector<ProfiledKernel>& kernels) {
  std::sort(kernels.begin(), kernels.end(),
            [](const auto& one, const auto& other) { return one.name < other.name; });
  std::size_t kept = 0;
  for (std::size_t i = 1; i < kernels.size(); ++i) {
    if (kernels[i].name == kernels[kept].name) {
      kernels[kept].calls += kernels[i].calls;
      kernels[kept].seconds += kernels[i].seconds;
    } else if (++kept != i) {
      kernels[kept] = std::move(kernels[i]);
    }
  }
  if (!kernels.empty()) kernels.resize(kept + 1);
}

}  // namespace

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
  auto found = current_->kernels.find(kept);
  if (found == current_->kernels.end()) {
    if (names_ >= kMostNames) {
      skip(line, "is a kernel beyond the first 20000 names");
      return;
    }
    ++names_;
    found =
        current_->kernels.emplace(kept, ProfiledKernel{std::string(kept), kernel_kind(name), 0, 0})
            .first;
  }
  if (current_->runs == 0) current_->first_line = line;
  current_->runs = std::min(current_->runs + calls, kMostCalls);
  current_->seconds += seconds;
  ProfiledKernel& entry = found->second;
  entry.calls = std::min(entry.calls + calls, kMostCalls);
  entry.seconds += seconds;
}

/// Nothing, and a line that is skipped, where there is no place left for it.
LoggedProcess* ProfileBuilder::process(std::string_view name, std::int64_t line) {
  if (last_ != nullptr && last_->name == name) return last_;
  if (name.size() > kLongestProcess) {
    skip(line, "is of a process whose name is longer than 256 bytes");
    return nullptr;
  }
  auto found = processes_.find(name);
  if (found == processes_.end()) {
    if (shapes_ >= kMostShapes) {
      profile_.incomplete = true;
      skip(line, "is of a process beyond the first 100000 kinds of calls and processes");
      return nullptr;
    }
    ++shapes_;
    found = processes_.emplace(name, LoggedProcess{}).first;
    found->second.name = name;
  }
  last_ = &found->second;
  return last_;
}

/// Skips it where there is no place left for it.
void ProfileBuilder::count(CallCounts& calls, const CallShape& shape, std::int64_t line) {
  const auto known = calls.find(shape);
  if (known != calls.end()) {
    ++known->second;
  } else if (shapes_ < kMostShapes) {
    ++shapes_;
    calls.emplace(shape, 1);
  } else {
    profile_.incomplete = true;
    skip(line, "is a call beyond the first 100000 kinds");
  }
}

void ProfileBuilder::call(const CallShape& shape, std::int64_t line) {
  count(current_->calls, shape, line);
}

void ProfileBuilder::call(std::string_view name, const CallShape& shape, std::int64_t line) {
  LoggedProcess* const caller = process(name, line);
  if (caller != nullptr) count(caller->calls, shape, line);
}

void ProfileBuilder::communicator(std::string_view name, const RankPlace& place,
                                  std::int64_t line) {
  LoggedProcess* const member = process(name, line);
  if (member == nullptr) return;
  if (!member->place || member->place->ranks < place.ranks) member->place = place;
}

void ProfileBuilder::step(std::int64_t number) {
  constexpr std::size_t kMostSteps = 1000000;
  if (steps_.size() < kMostSteps) steps_.insert(number);
}

bool ProfileBuilder::gpu(std::string_view name, std::int64_t line) {
  constexpr std::size_t kMostGpus = 1024;
  name = name.substr(0, kLongestName);
  auto found = gpus_.find(name);
  if (found == gpus_.end()) {
    if (gpus_.size() > kMostGpus) {
      skip(line, "is on a GPU beyond the first 1024");
      return false;
    }
    found = gpus_.emplace(name, Gpu{}).first;
  }
  current_ = &found->second;
  return true;
}

/// A rank runs on one GPU; kernels whose GPU is unknown are its own.
void ProfileBuilder::leave_out_other_gpus() {
  constexpr std::string_view kWhy = "is of another GPU than most kernel time of the rank";
  std::string_view own;
  double most = -1;
  for (const auto& [name, gpu] : gpus_) {
    if (name.empty() || gpu.seconds <= most) continue;
    most = gpu.seconds;
    own = name;
  }
  for (auto entry = gpus_.begin(); entry != gpus_.end();) {
    const auto& [name, gpu] = *entry;
    if (name.empty() || name == own) {
      ++entry;
      continue;
    }
    if (gpu.runs > 0) {
      skip(gpu.first_line, kWhy);
      profile_.skipped.count += gpu.runs - 1;
      profile_.skipped.reasons[std::string(kWhy)] += gpu.runs - 1;
    }
    entry = gpus_.erase(entry);
  }
}

/// A few kernels on another GPU make no rank of it.
void ProfileBuilder::count_gpus() {
  std::int64_t most = 0;
  for (const auto& [name, gpu] : gpus_) {
    if (!name.empty()) most = std::max(most, gpu.runs);
  }
  const auto busy = std::count_if(gpus_.begin(), gpus_.end(), [&](const auto& entry) {
    return !entry.first.empty() && entry.second.runs > 0 && 2 * entry.second.runs >= most;
  });
  profile_.gpus = std::max(1, static_cast<int>(busy));
  for (auto& [name, gpu] : gpus_) {
    const auto sums = gpu.runs > 0 && 2 * gpu.runs >= most ? gpu.busy.sums() : std::nullopt;
    if (!sums) continue;
    profile_.busy_s = profile_.busy_s.value_or(0) + static_cast<double>(sums->busy) / 1e9;
    profile_.whole_s = profile_.whole_s.value_or(0) + static_cast<double>(sums->whole) / 1e9;
  }
}

void ProfileBuilder::merge(Gpu& gpu) {
  for (auto& [name, kernel] : gpu.kernels) profile_.kernels.push_back(std::move(kernel));
  for (const auto& [shape, count] : gpu.calls) profile_.calls[shape] += count;
  profile_.unknown_calls += gpu.unknown_calls;
}

Profile ProfileBuilder::take() {
  if (profile_.place) leave_out_other_gpus();
  count_gpus();
  profile_.kernels.reserve(names_);
  for (auto& [name, gpu] : gpus_) merge(gpu);
  join_names(profile_.kernels);
  std::stable_sort(profile_.kernels.begin(), profile_.kernels.end(),
                   [](const ProfiledKernel& one, const ProfiledKernel& other) {
                     return one.seconds > other.seconds;
                   });
  profile_.processes.reserve(processes_.size());
  for (auto& [name, logged] : processes_) profile_.processes.push_back(std::move(logged));
  if (!steps_.empty()) profile_.steps = static_cast<std::int64_t>(steps_.size());
  return std::move(profile_);
}

}  // namespace simtrain
