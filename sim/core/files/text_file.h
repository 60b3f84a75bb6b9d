#pragma once

#include <string>
#include <string_view>

namespace simtrain {

/// What a file to read should be, for messages: "a YAML file", and how large one ever gets.
struct TextFileKind {
  std::string_view name;
  std::size_t largest_mib;
};

/// The bytes of a file. Throws InputError where there is none, it is a folder, cannot be read or is
/// larger than its kind ever gets; a regular file that is too large is not read at all.
std::string read_text_file(const std::string& path, const TextFileKind& kind);

/// Throws InputError where there is nothing at `path` that can be looked at, with the system's own
/// words, or a folder.
void check_there(const std::string& path, std::string_view name);

/// Throws InputError where what lies at `path` is no regular file, which nothing may replace.
void check_writable(const std::string& path);

/// Throws InputError where a file cannot be written whole into `path`'s place, whatever lies there:
/// so that it fails before hours of work. `longest_end` is what the longest name beside it ends
/// in (".journal").
void check_place(const std::string& path, std::string_view longest_end = "");

/// Whether two paths lead to one file, also by links, or to one place where there is none yet.
bool same_file(const std::string& one, const std::string& other);

/// Writes a file whole or not at all: beside its place first, then renamed over what is there.
/// Throws InputError as `check_writable`, and where it cannot be written.
void write_text_file(const std::string& path, const std::string& text);

}  // namespace simtrain
