#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace simtrain {

/// FNV-1a over 64-bit words and text: one number that changes when anything fed to it does.
/// Two runs with equal fingerprints simulated the same events.
class Fingerprint {
 public:
  void add(std::uint64_t word);
  void add(std::string_view text);
  [[nodiscard]] std::uint64_t value() const { return hash_; }
  /// Sixteen hexadecimal digits.
  [[nodiscard]] std::string text() const;

 private:
  std::uint64_t hash_ = 14695981039346656037ULL;
};

}  // namespace simtrain
