#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>

#include "sim/core/source_place.h"

namespace simtrain {

/// The user's input is wrong. `what()` is one line, `file:line:column: key: sentence`, where the
/// sentence names what was found and what is accepted. `main` prints it and exits with 2.
class InputError : public std::runtime_error {
 public:
  InputError(const SourcePlace& place, const std::string& key, const std::string& sentence);

  /// `key: sentence`, without the place: the same wherever the value was written.
  [[nodiscard]] std::string reason() const { return what() + place_size_; }
  /// Without the key as well.
  [[nodiscard]] std::string sentence() const { return what() + place_size_ + key_size_; }
  [[nodiscard]] const SourcePlace& place() const { return place_; }
  /// Dotted; empty where no single key is wrong.
  [[nodiscard]] const std::string& key() const { return key_; }

 private:
  SourcePlace place_;
  std::string key_;
  std::size_t place_size_;
  std::size_t key_size_;  ///< as far as a long one is printed, with what is behind it
};

}  // namespace simtrain
