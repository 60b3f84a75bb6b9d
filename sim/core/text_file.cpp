#include "sim/core/text_file.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <unistd.h>

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

void check_place(const std::string& path) {
  check_writable(path, true);
  const fs::path folder = fs::path(path).parent_path();
  if (access((folder / ".").c_str(), W_OK) != 0)
    throw InputError({path}, "",
                     fmt::format("cannot be written: its folder: {}", std::strerror(errno)));
}

void check_page(const std::string& path) {
  constexpr std::string_view kStart = "<!doctype html>";
  if (path.empty()) throw InputError({}, "--report", "names no file");
  check_place(path);
  std::error_code error;
  if (!fs::exists(path, error) || fs::file_size(path, error) == 0) return;
  std::string start(kStart.size(), '\0');
  std::ifstream(path, std::ios::binary)
      .read(start.data(), static_cast<std::streamsize>(start.size()));
  if (start != kStart)
    throw InputError({path}, "", "is no page; it would be replaced: name another");
}

bool same_file(const std::string& one, const std::string& other) {
  const auto whole = [](const std::string& path) {
    std::error_code error;
    const fs::path absolute = fs::absolute(path, error);
    fs::path found = fs::weakly_canonical(absolute, error);
    return error ? absolute.lexically_normal() : found;
  };
  return whole(one) == whole(other);
}

void write_text_file(const std::string& path, const std::string& text, bool replace) {
  check_writable(path, replace);
  PartialFile file(path);
  file.write(text);
  file.commit();
}

}  // namespace simtrain
