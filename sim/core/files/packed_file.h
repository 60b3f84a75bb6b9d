#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "sim/core/files/partial_file.h"

namespace simtrain {

/// `bytes` in zlib's format (RFC 1950).
std::string deflated(std::string_view bytes);

/// The first bytes, at most `most`, of what is packed in zlib's format; fewer, or none, where the
/// packed bytes end early or are none.
std::string inflated_start(std::string_view packed, std::size_t most);

/// A PartialFile that is packed with gzip where its name ends in .gz. What is written is gathered
/// in blocks of bounded size.
class PackedFile {
 public:
  explicit PackedFile(const std::string& path);
  PackedFile(const PackedFile&) = delete;
  PackedFile& operator=(const PackedFile&) = delete;
  ~PackedFile();

  void write(std::string_view bytes);
  void commit();

 private:
  class Packer;

  void flush(bool last);

  PartialFile file_;
  std::unique_ptr<Packer> packer_;
  std::string block_;
};

}  // namespace simtrain
