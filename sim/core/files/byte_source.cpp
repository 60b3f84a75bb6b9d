#include "sim/core/files/byte_source.h"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <memory>
#include <zlib.h>

#include "sim/core/files/text_file.h"
#include "sim/core/input/input_error.h"

namespace simtrain {
namespace {

namespace fs = std::filesystem;

struct CloseGz {
  void operator()(gzFile file) const { gzclose(file); }
};
using GzFile = std::unique_ptr<gzFile_s, CloseGz>;

void check_readable(const std::string& path) {
  check_there(path, "a log");
  std::error_code error;
  const auto status = fs::status(path, error);
  if (!fs::is_regular_file(status) && !fs::is_fifo(status))
    throw InputError({path}, "", "is neither a file nor a pipe; name a log");
}

std::string damage(gzFile file) {
  int code = Z_OK;
  const char* message = gzerror(file, &code);
  if (code == Z_BUF_ERROR) return "the compressed data ends too early";
  return std::string("the compressed data is damaged: ") + message;
}

/// Rounded up.
std::size_t megabytes(std::int64_t bytes) {
  constexpr std::int64_t kMegabyte = 1'000'000;
  return static_cast<std::size_t>((bytes + kMegabyte - 1) / kMegabyte);
}

/// 0 for a pipe.
std::int64_t size_of_file(const std::string& path) {
  std::error_code error;
  const bool file = fs::is_regular_file(path, error);
  return file ? static_cast<std::int64_t>(fs::file_size(path, error)) : 0;
}

}  // namespace

ByteSource open_log_file(const std::string& path, std::function<void(const std::string&)> damaged,
                         Watch watch) {
  check_readable(path);
  errno = 0;
  // std::function copies what it holds.
  const std::shared_ptr<gzFile_s> file{GzFile(gzopen(path.c_str(), "rb"))};
  if (!file) throw InputError({path}, "", std::string("cannot be opened: ") + std::strerror(errno));
  constexpr unsigned kBuffer = 1U << 18U;
  gzbuffer(file.get(), kBuffer);
  return [file, path, damaged = std::move(damaged), watch = std::move(watch),
          size = size_of_file(path), ended = false](std::span<char> buffer) mutable -> std::size_t {
    if (ended) return 0;
    if (watch && size > 0) watch(megabytes(gzoffset(file.get())), megabytes(size));
    const int count = gzread(file.get(), buffer.data(), static_cast<unsigned>(buffer.size()));
    int code = Z_OK;
    gzerror(file.get(), &code);
    if (code == Z_ERRNO) throw InputError({path}, "", "cannot be read");
    if (code != Z_OK && code != Z_STREAM_END) {
      ended = true;
      damaged(damage(file.get()));
    }
    return count > 0 ? static_cast<std::size_t>(count) : 0;
  };
}

ByteSource text_source(std::string_view text, std::size_t piece) {
  return [text, piece](std::span<char> buffer) mutable {
    const std::size_t count = std::min({buffer.size(), piece, text.size()});
    std::copy_n(text.data(), count, buffer.data());
    text.remove_prefix(count);
    return count;
  };
}

}  // namespace simtrain
