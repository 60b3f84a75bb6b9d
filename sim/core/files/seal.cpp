#include "sim/core/files/seal.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string_view>

#include <fmt/format.h>

#include "sim/core/fingerprint.h"

namespace simtrain {
namespace {

constexpr std::string_view kWords = "# simtrain wrote all above: ";
constexpr std::size_t kBlock = std::size_t{1} << 20U;
constexpr std::size_t kSealSize = kWords.size() + 16 + 1;

/// `block(begin, size)` gives a part of the text above the seal.
std::string seal_of(std::size_t size,
                    const std::function<std::string_view(std::size_t, std::size_t)>& block) {
  Fingerprint fingerprint;
  for (std::size_t at = 0; at < size; at += kBlock)
    fingerprint.add(block(at, std::min(kBlock, size - at)));
  return fmt::format("{}{}\n", kWords, fingerprint.text());
}

}  // namespace

std::string sealed(std::string text) {
  text += seal_of(text.size(), [&](std::size_t begin, std::size_t size) {
    return std::string_view(text).substr(begin, size);
  });
  return text;
}

bool has_seal(const std::string& path) {
  std::error_code error;
  const auto size = std::filesystem::file_size(path, error);
  if (error || size < kSealSize) return false;
  const std::size_t above = size - kSealSize;
  std::ifstream file(path, std::ios::binary);
  std::string bytes;
  const auto read = [&](std::size_t begin, std::size_t count) -> std::string_view {
    bytes.resize(count);
    file.seekg(static_cast<std::streamoff>(begin));
    file.read(bytes.data(), static_cast<std::streamsize>(count));
    return bytes;
  };
  const std::string seal(read(above, kSealSize));
  return file && seal.starts_with(kWords) && seal == seal_of(above, read) && file;
}

}  // namespace simtrain
