#include "sim/core/files/text_file.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <unistd.h>

#include <fmt/format.h>

#include "sim/core/files/partial_file.h"
#include "sim/core/input/input_error.h"

namespace simtrain {

namespace fs = std::filesystem;

namespace {

[[noreturn]] void refuse_size(const std::string& path, const TextFileKind& kind) {
  throw InputError(
      {path}, "",
      fmt::format("is larger than {} MiB; none that simtrain reads is", kind.largest_mib));
}

/// How many bytes a name in a folder may have.
std::size_t longest_name(const fs::path& folder) {
  constexpr std::size_t kUsual = 255;
  const long most = pathconf((folder / ".").c_str(), _PC_NAME_MAX);
  return most > 0 ? static_cast<std::size_t>(most) : kUsual;
}

}  // namespace

void check_there(const std::string& path, std::string_view name) {
  std::error_code error;
  const auto status = fs::status(path, error);
  if (status.type() == fs::file_type::not_found)
    throw InputError({path}, "", "there is no such file");
  if (error) throw InputError({path}, "", "cannot be opened: " + error.message());
  if (fs::is_directory(status))
    throw InputError({path}, "", fmt::format("is a folder; name {}", name));
}

std::string read_text_file(const std::string& path, const TextFileKind& kind) {
  check_there(path, kind.name);
  const std::size_t largest = kind.largest_mib << 20U;
  std::error_code error;
  const bool regular = fs::is_regular_file(path, error);
  if (regular && fs::file_size(path, error) > largest && !error) refuse_size(path, kind);
  std::ifstream file(path, std::ios::binary);
  if (!file)
    throw InputError({path}, "", fmt::format("cannot be opened: {}", std::strerror(errno)));
  std::string text;
  std::string block(1U << 16U, '\0');
  while (file.read(block.data(), static_cast<std::streamsize>(block.size())), file.gcount() > 0) {
    text.append(block, 0, static_cast<std::size_t>(file.gcount()));
    if (text.size() > largest) refuse_size(path, kind);
  }
  if (file.bad()) throw InputError({path}, "", "cannot be read");
  return text;
}

void check_writable(const std::string& path) {
  std::error_code error;
  const auto status = fs::status(path, error);
  if (fs::exists(status) && !fs::is_regular_file(status))
    throw InputError({path}, "", "is no regular file; name another");
}

void check_place(const std::string& path, std::string_view longest_end) {
  check_writable(path);
  const fs::path folder = fs::path(path).parent_path();
  if (access((folder / ".").c_str(), W_OK) != 0)
    throw InputError({path}, "",
                     fmt::format("cannot be written: its folder: {}", std::strerror(errno)));
  const std::size_t beside = std::max(partial_end().size(), longest_end.size());
  const std::size_t most = longest_name(folder);
  if (fs::path(path).filename().string().size() + beside > most)
    throw InputError(
        {path}, "",
        fmt::format("cannot be written: its name is too long; one of {} bytes would do",
                    most - std::min(most, beside)));
}

bool same_file(const std::string& one, const std::string& other) {
  std::error_code error;
  if (fs::equivalent(one, other, error)) return true;
  const auto whole = [](const std::string& path) {
    std::error_code unknown;
    const fs::path absolute = fs::absolute(path, unknown);
    fs::path found = fs::weakly_canonical(absolute, unknown);
    return unknown ? absolute.lexically_normal() : found;
  };
  return whole(one) == whole(other);
}

void write_text_file(const std::string& path, const std::string& text) {
  PartialFile file(path);
  file.write(text);
  file.commit();
}

}  // namespace simtrain
