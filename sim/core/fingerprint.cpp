#include "sim/core/fingerprint.h"

#include <fmt/format.h>

namespace simtrain {
namespace {
constexpr std::uint64_t kPrime = 1099511628211ULL;
}

void Fingerprint::add(std::uint64_t word) {
  hash_ = (hash_ ^ (word & 0xffffffffULL)) * kPrime;
  hash_ = (hash_ ^ (word >> 32U)) * kPrime;
}

void Fingerprint::add(std::string_view text) {
  for (const char c : text) hash_ = (hash_ ^ static_cast<unsigned char>(c)) * kPrime;
  add(text.size());  // so that "ab", "c" is not "a", "bc"
}

std::string Fingerprint::text() const { return fmt::format("{:016x}", hash_); }

}  // namespace simtrain
