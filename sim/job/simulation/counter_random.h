#pragma once

#include <array>
#include <cstdint>

namespace simtrain {

/// Philox 4x32-10 (Salmon et al., Parallel Random Numbers: As Easy as 1, 2, 3, SC 2011): four
/// random words of a key and a counter. Equal keys and counters give equal words, whoever asks and
/// in whatever order, so that a stream of a key needs no state but a count.
std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 2> key,
                                    std::array<std::uint32_t, 4> counter);

/// One stream of random numbers: those of `seed`, `run` and `stream`, independent of any other's.
class CounterRandom {
 public:
  CounterRandom(std::uint64_t seed, std::uint32_t run, std::uint32_t stream)
      : key_{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32U)},
        run_(run),
        stream_(stream) {}

  /// Between 0 and 1, neither of them.
  double uniform();
  /// Exponentially distributed, at least 0.
  double exponential(double mean);

 private:
  std::array<std::uint32_t, 2> key_;
  std::uint32_t run_;
  std::uint32_t stream_;
  std::uint64_t drawn_ = 0;
};

}  // namespace simtrain
