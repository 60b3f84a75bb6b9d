#include "sim/measured/profiles/profile_format.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <memory>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "sim/core/input/input_error.h"
#include "sim/core/input/scalar_text.h"
#include "sim/core/suggestion.h"
#include "sim/measured/run/foreign_format.h"

namespace simtrain {
namespace {

constexpr std::array<const ProfileFormat*, 4> kProfileFormats{&kKinetoTrace, &kNsysTable,
                                                              &kNsysDatabase, &kNcclLog};

/// The first bytes of a source, up to `kHead`.
std::string head_of(const ByteSource& source) {
  constexpr std::size_t kHead = 1U << 20U;
  std::string head(kHead, '\0');
  std::size_t filled = 0;
  while (filled < kHead) {
    const std::size_t count = source(std::span<char>(head).subspan(filled));
    if (count == 0) break;
    filled += count;
  }
  head.resize(filled);
  return head;
}

/// What was read of a source, and then the rest of it.
ByteSource put_back(std::string head, const ByteSource& rest) {
  return [head = std::make_shared<const std::string>(std::move(head)), at = std::size_t{0},
          rest](std::span<char> buffer) mutable {
    if (at == head->size()) return rest(buffer);
    const std::size_t count = std::min(buffer.size(), head->size() - at);
    std::copy_n(head->data() + at, count, buffer.data());
    at += count;
    return count;
  };
}

const ProfileFormat* format_named(const std::string& name) {
  std::vector<std::string> known;
  known.reserve(kProfileFormats.size());
  for (const ProfileFormat* row : kProfileFormats) {
    if (row->name == name) return row;
    known.emplace_back(row->name);
  }
  throw InputError({}, "--profile-format",
                   fmt::format("'{}' is no format of profiles; {}", name, suggestion(name, known)));
}

/// A profile without a format, and what it looks like.
Profile unknown(std::string_view head) {
  ForeignSight foreign(foreign_profiles());
  while (!head.empty()) {
    const std::size_t end = std::min(head.find('\n'), head.size());
    foreign.line(head.substr(0, end));
    head.remove_prefix(std::min(end + 1, head.size()));
  }
  Profile profile;
  profile.foreign = foreign.sentence();
  return profile;
}

/// The format of a name; without one the first that a file which starts so is of, or null.
const ProfileFormat* format_of(std::string_view head, const std::string& name) {
  if (!name.empty()) return format_named(name);
  const auto* const found = std::find_if(kProfileFormats.begin(), kProfileFormats.end(),
                                         [&](const auto* one) { return one->fits(head); });
  return found == kProfileFormats.end() ? nullptr : *found;
}

/// Whether the file of a path, as it is there, starts as what was read of it: it is not packed.
bool is_plain(const std::string& path, std::string_view head) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return false;
  std::array<char, 16> start{};
  std::ifstream file(path, std::ios::binary);
  file.read(start.data(), start.size());
  return head.starts_with(std::string_view(start.data(), static_cast<std::size_t>(file.gcount())));
}

Profile read_as(const ProfileFormat* row, std::string head, const ByteSource& source,
                const std::string& path) {
  if (row == nullptr) return unknown(head);
  const bool by_path = row->read_file != nullptr && is_plain(path, head);
  Profile profile = by_path ? row->read_file(path) : row->read(put_back(std::move(head), source));
  profile.format = row->name;
  return profile;
}

}  // namespace

std::span<const ProfileFormat* const> profile_formats() { return kProfileFormats; }

Profile read_profile(const ByteSource& source, const std::string& format) {
  std::string head = head_of(source);
  const ProfileFormat* const row = format_of(head, format);
  return read_as(row, std::move(head), source, "");
}

Profile read_profile_file(const std::string& path, const std::string& format, const Watch& watch) {
  std::string damage;
  const ByteSource source = open_log_file(
      path, [&](const std::string& what) { damage = what; }, watch);
  std::string head = head_of(source);
  const ProfileFormat* const row = format_of(head, format);
  Profile profile = read_as(row, std::move(head), source, path);
  profile.path = path;
  if (profile.format.empty()) {
    throw InputError({path}, "",
                     fmt::format("is no log of NCCL calls (nccl-log), no CSV of nsys stats "
                                 "(nsys-csv), no SQLite export of nsys (nsys-sqlite) and no trace "
                                 "of torch.profiler (kineto-trace){}; "
                                 "'simtrain list profile-formats' lists what is read",
                                 profile.foreign.empty() ? "" : ": it " + profile.foreign));
  }
  if (!profile.damage.empty()) throw InputError({path}, "", profile.damage);
  if (!damage.empty()) add_skipped(profile.skipped, profile.lines, damage);
  const bool calls = std::any_of(profile.processes.begin(), profile.processes.end(),
                                 [](const LoggedProcess& one) { return !one.calls.empty(); });
  if (!calls && profile.kernels.empty()) {
    const SkippedLines& skipped = profile.skipped;
    const std::string why =
        skipped.named.empty()
            ? ""
            : fmt::format("; skipped {} of {} {}, first line {}: {}", skipped.count,
                          profile.events > 0 ? profile.events : profile.lines,
                          profile.events > 0 ? "events" : "lines", skipped.named[0].line,
                          skipped.named[0].why);
    throw InputError(
        {path}, "",
        fmt::format("holds no {}{}",
                    profile.format == kNcclLog.name ? "call of NCCL that can be read; "
                                                      "NCCL_DEBUG_SUBSYS=INIT,COLL logs them"
                                                    : "kernel that can be read",
                    why));
  }
  return profile;
}

std::vector<Profile> read_profile_files(const std::vector<std::string>& paths,
                                        const std::string& format, const Watch& files,
                                        const Watch& bytes) {
  std::vector<Profile> profiles;
  profiles.reserve(paths.size());
  for (const std::string& path : paths) {
    profiles.push_back(read_profile_file(path, format, paths.size() == 1 ? bytes : Watch()));
    if (files) files(profiles.size(), paths.size());
  }
  return profiles;
}

}  // namespace simtrain
