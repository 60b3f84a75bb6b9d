#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/core/files/byte_source.h"
#include "sim/measured/profiles/profile.h"

namespace simtrain {

/// One kind of profile that can be read: a source file in this folder with its row.
struct ProfileFormat {
  std::string_view name;
  std::string_view help;
  bool (*fits)(std::string_view head);  ///< whether a file that starts so is of the format
  Profile (*read)(const ByteSource& source);
  /// From a plain file, where its parts are read in no order; null: as a stream.
  Profile (*read_file)(const std::string& path) = nullptr;
};

extern const ProfileFormat kKinetoTrace;
extern const ProfileFormat kNsysTable;
extern const ProfileFormat kNsysDatabase;
extern const ProfileFormat kNcclLog;

/// All of them. Where a file could be of several, the first counts.
std::span<const ProfileFormat* const> profile_formats();

/// Reads a profile to its end, in memory that does not grow with it. `format` is a name of
/// profile_formats(); empty: by the first MiB. Throws InputError at an unknown name;
/// a file of no format comes back without one.
Profile read_profile(const ByteSource& source, const std::string& format);

/// The same from a file, plain or gzip. Throws InputError where it cannot be read, is of no format,
/// or holds neither a kernel nor a call.
Profile read_profile_file(const std::string& path, const std::string& format,
                          const Watch& watch = {});

/// Several files, each as read_profile_file() does. `files` counts them; where there is one alone,
/// `bytes` follows its reading.
std::vector<Profile> read_profile_files(const std::vector<std::string>& paths,
                                        const std::string& format, const Watch& files = {},
                                        const Watch& bytes = {});

}  // namespace simtrain
