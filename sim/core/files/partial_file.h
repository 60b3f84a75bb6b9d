#pragma once

#include <cstdio>
#include <memory>
#include <string>
#include <string_view>

namespace simtrain {

/// What the name of a PartialFile of this process ends in, behind the whole file's name.
std::string partial_end();

/// Removes what a PartialFile of any process for `path` left when it was killed. Nobody may be
/// writing there.
void remove_partial_of(const std::string& path);

/// A file that is there whole or not at all: what is written goes into a file beside its place,
/// which commit() puts there, over what may be there. Without commit() nothing is left. Throws
/// InputError where `path` is no regular file or cannot be written.
class PartialFile {
 public:
  explicit PartialFile(std::string path);
  PartialFile(const PartialFile&) = delete;
  PartialFile& operator=(const PartialFile&) = delete;
  ~PartialFile();

  void write(std::string_view bytes);
  void commit();

 private:
  struct Closer {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };

  [[noreturn]] void refuse(int reason) const;

  std::string path_;
  std::string beside_;
  std::unique_ptr<std::FILE, Closer> file_;
  bool committed_ = false;
};

}  // namespace simtrain
