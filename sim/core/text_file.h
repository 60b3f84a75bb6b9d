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
/// larger than its kind ever gets.
std::string read_text_file(const std::string& path, const TextFileKind& kind);

/// Throws InputError where `path` is taken and `replace` is false, or where it is no regular file.
/// For refusing before long work what `write_text_file` would refuse after it.
void check_writable(const std::string& path, bool replace);

/// Throws InputError where a file cannot be written whole into `path`'s place, whatever lies there:
/// said before hours of work, not after them.
void check_place(const std::string& path);

/// The same for the page of --report, which takes the place of an older page or an empty file:
/// throws InputError also where anything else lies there.
void check_page(const std::string& path);

/// Whether two paths lead to one place, be there a file or not.
bool same_file(const std::string& one, const std::string& other);

/// Writes a file whole or not at all: beside its place first, then renamed. Throws InputError as
/// `check_writable`, and where it cannot be written.
void write_text_file(const std::string& path, const std::string& text, bool replace);

}  // namespace simtrain
