#include "sim/app/stop_signals.h"

#include <ctime>

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

StopSignals::StopSignals() {
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
    if (came_.compare_exchange_strong(none, number)) continue;
    std::signal(number, SIG_DFL);
    pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
    std::raise(number);
  }
}

}  // namespace simtrain
