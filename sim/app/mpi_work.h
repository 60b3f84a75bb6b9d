#pragma once

#include <exception>
#include <string>

#include <fmt/format.h>

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

/// What a rank other than 0 does: makes the question of its own command line with `ask`, and once
/// it is the one that rank 0 has announced (their fingerprints), works for it with `serve`. `path`
/// is the scenario's, for the error where files of this rank differ. Nothing where rank 0 has no
/// work.
template <class Ask, class Serve>
void follow_first_rank(const Console& console, const MpiSession& mpi, const std::string& path,
                       Ask ask, Serve serve) {
  const std::string announced = mpi.from_first({});
  if (announced == Announcement::kNoWork) return;
  run_or_abort(console, &mpi, [&] {
    const auto question = ask();
    if (question.fingerprint != announced)
      throw InputError({path}, "",
                       fmt::format("is another question on rank {}: its scenario or hardware files "
                                   "differ from those of rank 0",
                                   mpi.rank()));
    serve(question);
  });
}

}  // namespace simtrain
