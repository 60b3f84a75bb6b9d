#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "sim/core/quantity.h"

namespace simtrain {

// Numbers with their units, as reports print them.

/// "115.496 s", "12.300 ms", "8.5 us".
std::string seconds_text(double seconds);

/// "119.0 GB", "5.68 TB", of 1e9 and 1e12 bytes: what memories, links and storage hold.
std::string gigabytes(double bytes);

/// "37.50 %" of 0.375.
std::string percent_text(double fraction);

/// The size of a file: "812 B", "12.3 kB", "1.3 MB", of 1000 bytes each.
std::string file_size_text(std::uintmax_t bytes);

/// The size of a call: "2.0 GiB", "64.0 MiB", "1.5 KiB", "12 B", of 1024 each as NCCL counts.
std::string call_size(Bytes bytes);

/// A whole number: "20,263,832".
std::string grouped(double number);

/// A name of ours in words: "lost work" of "lost_work".
std::string in_words(std::string_view name);

/// "42.0 s", "12.5 min", "3.1 h", "54.00 days".
std::string long_time(double seconds);

}  // namespace simtrain
