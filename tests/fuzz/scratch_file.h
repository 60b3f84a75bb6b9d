#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

#include "sim/core/invariant.h"

namespace simtrain {

/// A file in memory, for what reads files by their paths.
class ScratchFile {
 public:
  ScratchFile() : file_(memfd_create("fuzz", 0)) { invariant(file_ >= 0, "memory has files"); }
  ~ScratchFile() { close(file_); }
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;

  [[nodiscard]] std::string path() const { return "/proc/self/fd/" + std::to_string(file_); }

  /// These bytes are all of it from now on.
  void write(const std::uint8_t* data, std::size_t size) const {
    const bool whole =
        ftruncate(file_, 0) == 0 && pwrite(file_, data, size, 0) == static_cast<ssize_t>(size);
    invariant(whole, "a file in memory takes few bytes");
  }

 private:
  int file_;
};

}  // namespace simtrain
