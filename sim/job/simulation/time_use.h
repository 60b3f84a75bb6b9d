#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <utility>

#include "sim/core/enum_names.h"

namespace simtrain {

/// What the time of a job goes into. Every second of a run is counted under one of them.
enum class TimeUse {
  training,    ///< steps that stay, as fast as all of the job makes them
  evaluation,  ///< passes over validation data
  slowed,      ///< what steps take longer: a slow device, fewer replicas, saves beside training
  data,        ///< steps wait for their data
  saving,      ///< training waits for a checkpoint
  lost_work,   ///< steps since the checkpoint that the job went back to
  detection,   ///< it has failed and nobody knows
  manual,      ///< a person is waited for
  waiting,     ///< nodes are waited for
  scheduling,
  launch,
  groups,       ///< communicators are made
  loading,      ///< of a checkpoint
  first_steps,  ///< what the first step takes longer
};

template <>
struct EnumNames<TimeUse> {
  static constexpr std::array rows{
      std::pair{std::string_view("training"), TimeUse::training},
      std::pair{std::string_view("evaluation"), TimeUse::evaluation},
      std::pair{std::string_view("slowed"), TimeUse::slowed},
      std::pair{std::string_view("data"), TimeUse::data},
      std::pair{std::string_view("saving"), TimeUse::saving},
      std::pair{std::string_view("lost_work"), TimeUse::lost_work},
      std::pair{std::string_view("detection"), TimeUse::detection},
      std::pair{std::string_view("manual"), TimeUse::manual},
      std::pair{std::string_view("waiting"), TimeUse::waiting},
      std::pair{std::string_view("scheduling"), TimeUse::scheduling},
      std::pair{std::string_view("launch"), TimeUse::launch},
      std::pair{std::string_view("groups"), TimeUse::groups},
      std::pair{std::string_view("loading"), TimeUse::loading},
      std::pair{std::string_view("first_steps"), TimeUse::first_steps}};
};

inline constexpr std::size_t kTimeUses = EnumNames<TimeUse>::rows.size();

/// Seconds by use.
class UsedTime {
 public:
  double& operator[](TimeUse use) { return seconds_[static_cast<std::size_t>(use)]; }
  double operator[](TimeUse use) const { return seconds_[static_cast<std::size_t>(use)]; }
  [[nodiscard]] double total() const {
    double sum = 0;
    for (const double seconds : seconds_) sum += seconds;
    return sum;
  }
  UsedTime& operator+=(const UsedTime& other) {
    for (std::size_t i = 0; i < kTimeUses; ++i) seconds_[i] += other.seconds_[i];
    return *this;
  }

 private:
  std::array<double, kTimeUses> seconds_{};
};

}  // namespace simtrain
