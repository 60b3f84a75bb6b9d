#include "sim/run/pieces/host_slack.h"

#include <algorithm>
#include <utility>

namespace simtrain {
namespace {

/// Follows the host from wait to wait.
class WaitingHost {
 public:
  WaitingHost(const std::vector<HostTask>& tasks, double layer_s)
      : tasks_(tasks), layer_s_(layer_s) {}

  /// By which a layer comes later, from a wait to the same one of the next layer.
  double layer(std::size_t wait) {
    double slack = 0;
    from_ = tasks_[wait].until_s;
    for (std::size_t i = 1; i <= tasks_.size(); ++i) {
      const std::size_t next = (wait + i) % tasks_.size();
      if (next == 0) from_ -= layer_s_;  // the next layer
      if (tasks_[next].waits) {
        slack += pass_wait(tasks_[next]);
      } else {
        host_ += tasks_[next].host_s;
        late_ = std::max(late_, host_ - (tasks_[next].needed_s - from_));
      }
    }
    return slack;
  }

 private:
  /// Where kernels are left in the queue, the host may come to a wait after its number is there.
  double pass_wait(const HostTask& wait) {
    host_ = std::max(0.0, host_ - late_ - (wait.until_s - from_));
    from_ = wait.until_s;
    return std::exchange(late_, 0);
  }

  const std::vector<HostTask>& tasks_;
  double layer_s_;
  double from_ = 0;  ///< on the GPU, the end of what the host waited for
  double host_ = 0;  ///< since then
  double late_ = 0;  ///< by which the GPU waits for the host since then
};

/// In which a host that comes late to its waits is in its stride.
constexpr int kLayersBefore = 8;

}  // namespace

double launches_s(const std::vector<HostTask>& tasks) {
  double launches = 0;
  for (const HostTask& task : tasks) launches += task.host_s;
  return launches;
}

double host_slack(const std::vector<HostTask>& tasks, double layer_s) {
  const double behind = std::max(0.0, launches_s(tasks) - layer_s);
  const auto wait =
      std::find_if(tasks.begin(), tasks.end(), [](const HostTask& task) { return task.waits; });
  if (wait == tasks.end()) return behind;
  WaitingHost host(tasks, layer_s);
  const auto first = static_cast<std::size_t>(wait - tasks.begin());
  for (int before = 0; before < kLayersBefore; ++before) host.layer(first);
  return std::max(behind, host.layer(first));
}

}  // namespace simtrain
