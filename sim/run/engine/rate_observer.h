#pragma once

#include <cstdint>

#include "sim/core/quantity.h"

namespace simtrain {

/// Is notified of the flows of a network and their rates.
class RateObserver {
 public:
  RateObserver() = default;
  RateObserver(const RateObserver&) = delete;
  RateObserver& operator=(const RateObserver&) = delete;
  RateObserver(RateObserver&&) = delete;
  RateObserver& operator=(RateObserver&&) = delete;
  virtual ~RateObserver() = default;

  /// What follows is at `now`.
  virtual void at(Duration now) = 0;
  /// A flow moves at `rate` bytes per second for `holding` of the time from now on; with its links
  /// to itself it would at `free`.
  virtual void moves(std::uint32_t flow, std::uint32_t route, double rate, double free,
                     double holding) = 0;
  /// All rates of this point in time are known.
  virtual void settled() = 0;
  virtual void ends(std::uint32_t flow) = 0;
};

}  // namespace simtrain
