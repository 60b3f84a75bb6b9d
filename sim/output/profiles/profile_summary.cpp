#include "sim/output/profiles/profile_summary.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "sim/core/printable.h"
#include "sim/output/profiles/profile_report.h"
#include "sim/output/text/unit_text.h"
#include "sim/output/text/wrapped_text.h"

namespace simtrain {
namespace {

constexpr std::size_t kShown = 20;

/// Runs of kernels of one kind.
struct KindSum {
  KernelKind kind{};
  double seconds = 0;
  std::int64_t calls = 0;
};

/// Most time first.
std::vector<KindSum> kinds_of(const Profile& profile) {
  std::map<KernelKind, KindSum> sums;
  for (const ProfiledKernel& kernel : profile.kernels) {
    KindSum& sum = sums[kernel.kind];
    sum.kind = kernel.kind;
    sum.seconds += kernel.seconds;
    sum.calls += kernel.calls;
  }
  std::vector<KindSum> kinds;
  kinds.reserve(sums.size());
  for (const auto& [kind, sum] : sums) kinds.push_back(sum);
  std::stable_sort(kinds.begin(), kinds.end(), [](const KindSum& one, const KindSum& other) {
    return one.seconds > other.seconds;
  });
  return kinds;
}

KindSum all_of(const Profile& profile) {
  KindSum all;
  for (const ProfiledKernel& kernel : profile.kernels) {
    all.seconds += kernel.seconds;
    all.calls += kernel.calls;
  }
  return all;
}

double share(double seconds, double all) { return all > 0 ? seconds / all : 0; }

void add_head(std::string& out, const Profile& profile) {
  out += fmt::format("{} ({})\n\n", printable(profile.path), profile.format);
  const auto line = [&](std::string_view label, const std::string& text) {
    labelled_line(out, label, text);
  };
  if (!profile.kernels.empty()) {
    const KindSum all = all_of(profile);
    line("Kernels", fmt::format("{} in {}, of {} names; those of several streams run at once",
                                all.calls, seconds_text(all.seconds), profile.kernels.size()));
    line("GPUs", fmt::format("{}", profile.gpus));
  } else {
    line("Processes", fmt::format("{}", profile.processes.size()));
  }
  if (profile.place)
    line("Rank",
         fmt::format("{} of {}, as the profile states", profile.place->rank, profile.place->ranks));
  line("Steps", profile.steps ? fmt::format("{}, as the profile marks them", *profile.steps)
                              : "not marked: all figures are of the whole file");
  if (profile.unknown_calls > 0)
    line("Calls",
         fmt::format("of {} kernels of NCCL the trace does not give", profile.unknown_calls));
  if (profile.incomplete)
    line("Incomplete", "calls were left out, see below: this is not all of it");
}

void add_kernels(std::string& out, const Profile& profile) {
  if (profile.kernels.empty()) return;
  const KindSum all = all_of(profile);
  out +=
      fmt::format("\nKernels by kind\n  {:<22}{:>12}{:>10}{:>12}\n", "", "time", "share", "calls");
  const auto row = [&](std::string_view name, const KindSum& sum) {
    out += fmt::format("  {:<22}{:>12}{:>10}{:>12}\n", name, seconds_text(sum.seconds),
                       percent_text(share(sum.seconds, all.seconds)), sum.calls);
  };
  for (const KindSum& sum : kinds_of(profile)) row(name_of(sum.kind), sum);
  row("sum", all);
  constexpr std::size_t kWidth = 44;
  out += "\nThose that take longest: time, calls, kind and name\n";
  for (std::size_t i = 0; i < std::min(kShown, profile.kernels.size()); ++i) {
    const ProfiledKernel& kernel = profile.kernels[i];
    out += fmt::format("{:>13}{:>9} {:<13}{}\n", seconds_text(kernel.seconds), kernel.calls,
                       shortened(std::string(name_of(kernel.kind)), 12),
                       shortened(printable(kernel.name), kWidth));
  }
  if (profile.kernels.size() > kShown)
    out += fmt::format("  and {} names more; --format json has all\n",
                       profile.kernels.size() - kShown);
}

double bytes_of(const CallShape& shape) {
  return static_cast<double>(shape.count) * shape.element().bytes;
}

/// Most bytes first.
std::vector<std::pair<CallShape, std::int64_t>> sorted(const CallCounts& calls) {
  std::vector<std::pair<CallShape, std::int64_t>> rows(calls.begin(), calls.end());
  const auto bytes = [](const auto& row) {
    return bytes_of(row.first) * static_cast<double>(row.second);
  };
  std::stable_sort(rows.begin(), rows.end(),
                   [&](const auto& one, const auto& other) { return bytes(one) > bytes(other); });
  return rows;
}

void add_calls(std::string& out, const std::string& of, const CallCounts& calls) {
  if (calls.empty()) return;
  out += fmt::format("\nCalls of NCCL{}, by kind and size\n", of);
  out += fmt::format("  {:<14}{:>6} {:<11}{:>12}{:>12}{:>12}\n", "", "ranks", "type", "count",
                     "size", "calls");
  const auto rows = sorted(calls);
  for (std::size_t i = 0; i < std::min(kShown, rows.size()); ++i) {
    const auto& [shape, count] = rows[i];
    out += fmt::format("  {:<14}{:>6} {:<11}{:>12}{:>12}{:>12}\n", name_of(shape.function),
                       shape.ranks > 0 ? fmt::format("{}", shape.ranks) : "-", shape.element().name,
                       shape.count, call_size(Bytes(std::llround(bytes_of(shape)))), count);
  }
  if (rows.size() > kShown)
    out += fmt::format("  and {} kinds more; --format json has all\n", rows.size() - kShown);
}

std::string place_of(const LoggedProcess& process) {
  if (!process.place) return "";
  return fmt::format(" (rank {} of {})", process.place->rank, process.place->ranks);
}

/// Processes that call alike are shown once.
void add_processes(std::string& out, const Profile& profile) {
  std::vector<const LoggedProcess*> shown;
  for (const LoggedProcess& process : profile.processes) {
    if (process.calls.empty()) continue;
    const std::string name = printable(process.name) + place_of(process);
    const auto same = std::find_if(shown.begin(), shown.end(), [&](const LoggedProcess* one) {
      return one->calls == process.calls;
    });
    if (same != shown.end()) {
      out += wrapped_line(
          fmt::format("process {} calls the same as {}", name, printable((*same)->name)));
      continue;
    }
    shown.push_back(&process);
    add_calls(out, " by process " + name, process.calls);
  }
}

}  // namespace

std::string profile_summary_text(const std::vector<Profile>& profiles) {
  std::string out;
  for (const Profile& profile : profiles) {
    if (!out.empty()) out += "\n";
    add_head(out, profile);
    add_kernels(out, profile);
    add_calls(out, "", profile.calls);
    add_processes(out, profile);
    add_skipped(out, profile);
  }
  return out;
}

}  // namespace simtrain
