#pragma once

#include <string>

#include "sim/core/quantity.h"

namespace simtrain {

// Numbers with their units, as reports print them.

/// "115.496 s", "12.300 ms", "8.5 us".
std::string seconds_text(double seconds);

/// "119.0 GB", of 1e9 bytes.
std::string gigabytes(double bytes);

/// "37.50 %" of 0.375.
std::string percent_text(double fraction);

/// The size of a call: "64.0 MiB", "1.5 KiB", "12 B".
std::string call_size(Bytes bytes);

}  // namespace simtrain
