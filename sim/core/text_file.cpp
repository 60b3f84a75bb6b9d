#include "sim/core/text_file.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>

#include <fmt/format.h>

#include "sim/core/input_error.h"
#include "sim/core/partial_file.h"

namespace simtrain {

namespace fs = std::filesystem;

std::string read_text_file(const std::string& path, const TextFileKind& kind) {
  std::error_code error;
  const auto status = fs::status(path, error);
  if (!fs::exists(status)) throw InputError({path}, "", "there is no such file");
  if (fs::is_directory(status)) {
    throw InputError({path}, "", fmt::format("is a folder; name {}", kind.name));
  }
  std::ifstream file(path, std::ios::binary);
  if (!file)
    throw InputError({path}, "", fmt::format("cannot be opened: {}", std::strerror(errno)));
  std::string text;
  std::string block(1U << 16U, '\0');
  while (file.read(block.data(), static_cast<std::streamsize>(block.size())), file.gcount() > 0) {
    text.append(block, 0, static_cast<std::size_t>(file.gcount()));
    if (text.size() > kind.largest_mib << 20U) {
      throw InputError(
          {path}, "",
          fmt::format("is larger than {} MiB; none that simtrain reads is", kind.largest_mib));
    }
  }
  if (file.bad()) throw InputError({path}, "", "cannot be read");
  return text;
}

void check_writable(const std::string& path, bool replace) {
  std::error_code error;
  const auto status = fs::status(path, error);
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    throw InputError({path}, "", "is no regular file; name another");
  }
  if (fs::exists(status) && !replace) {
    throw InputError({path}, "", "is there already; --force replaces it");
  }
}

void write_text_file(const std::string& path, const std::string& text, bool replace) {
  check_writable(path, replace);
  PartialFile file(path);
  file.write(text);
  file.commit();
}

}  // namespace simtrain
