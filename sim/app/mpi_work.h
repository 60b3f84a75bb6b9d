#pragma once

#include <exception>
#include <string>

#include "sim/app/console.h"
#include "sim/core/input/input_error.h"
#include "sim/study/tasks/mpi_session.h"

namespace simtrain {

/// Rank 0's one text to the ranks that wait for it (`MpiSession::from_first`): the fingerprint of
/// what they are to work on, or, where it goes without having said one, that there is no work. Then
/// they end well, whatever the status of this one: a launcher kills the others once one has failed,
/// and this one may still have to say why.
class Announcement {
 public:
  static constexpr const char* kNoWork = "none";

  /// `mpi`: null where this process is alone.
  explicit Announcement(const MpiSession* mpi) : mpi_(mpi) {}
  ~Announcement() { say(kNoWork); }
  Announcement(const Announcement&) = delete;
  Announcement& operator=(const Announcement&) = delete;

  void say(const std::string& text) {
    if (mpi_ != nullptr) static_cast<void>(mpi_->from_first(text));
    mpi_ = nullptr;
  }

 private:
  const MpiSession* mpi_;
};

/// Runs what may fail while other ranks work: then all of them end.
template <class Work>
void run_or_abort(const Console& console, const MpiSession* mpi, Work work) {
  if (mpi == nullptr) {
    work();
    return;
  }
  constexpr int kWrongInput = 2;
  constexpr int kOwnFailure = 3;
  try {
    work();
  } catch (const InputError& error) {
    console.error(error.what());
    mpi->abort(kWrongInput);
  } catch (const std::exception& error) {
    console.error(error.what());
    mpi->abort(kOwnFailure);
  }
}

}  // namespace simtrain
