#include "sim/app/stop_signals.h"

#include <ctime>
#include <unistd.h>
#include <utility>

#include "sim/core/files/partial_file.h"

namespace simtrain {
namespace {

sigset_t stopping() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  return set;
}

}  // namespace

StopSignals::StopSignals(First first, std::vector<std::string> files)
    : first_(first), files_(std::move(files)) {
  const sigset_t set = stopping();
  pthread_sigmask(SIG_BLOCK, &set, &before_);
  listener_ = std::thread([this] { listen(); });
}

StopSignals::~StopSignals() {
  over_ = true;
  listener_.join();
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

void StopSignals::listen() {
  const sigset_t set = stopping();
  constexpr timespec kPatience{0, 20'000'000};
  while (!over_) {
    const int number = sigtimedwait(&set, nullptr, &kPatience);
    if (number <= 0) continue;
    int none = 0;
    if (first_ == First::is_noted && came_.compare_exchange_strong(none, number)) continue;
    for (const std::string& file : files_) unlink((file + partial_end()).c_str());
    std::signal(number, SIG_DFL);
    pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
    std::raise(number);
  }
}

}  // namespace simtrain
