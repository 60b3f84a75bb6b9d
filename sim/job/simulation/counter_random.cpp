#include "sim/job/simulation/counter_random.h"

#include <cmath>

namespace simtrain {
namespace {

constexpr std::uint32_t kMultiplier0 = 0xD2511F53;
constexpr std::uint32_t kMultiplier1 = 0xCD9E8D57;
constexpr std::uint32_t kWeyl0 = 0x9E3779B9;
constexpr std::uint32_t kWeyl1 = 0xBB67AE85;
constexpr int kRounds = 10;

std::uint32_t low(std::uint64_t word) { return static_cast<std::uint32_t>(word); }
std::uint32_t high(std::uint64_t word) { return static_cast<std::uint32_t>(word >> 32U); }

}  // namespace

std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 2> key,
                                    std::array<std::uint32_t, 4> counter) {
  for (int round = 0; round < kRounds; ++round) {
    const std::uint64_t first = std::uint64_t{kMultiplier0} * counter[0];
    const std::uint64_t second = std::uint64_t{kMultiplier1} * counter[2];
    counter = {high(second) ^ counter[1] ^ key[0], low(second), high(first) ^ counter[3] ^ key[1],
               low(first)};
    key = {key[0] + kWeyl0, key[1] + kWeyl1};
  }
  return counter;
}

double CounterRandom::uniform() {
  const auto words = philox(key_, {low(drawn_), high(drawn_), run_, stream_});
  ++drawn_;
  const std::uint64_t word = (std::uint64_t{words[0]} << 32U) | words[1];
  return (static_cast<double>(word >> 12U) + 0.5) * 0x1p-52;
}

double CounterRandom::exponential(double mean) { return -mean * std::log(uniform()); }

}  // namespace simtrain
