#pragma once

namespace simtrain::api {

/// Throws the exception that is being handled, as the library's headers promise it.
[[noreturn]] void rethrow_for_caller();

/// What `work` returns; what it throws is an exception of the library's headers, or not ours.
template <class Work>
auto guarded(const Work& work) {
  try {
    return work();
  } catch (...) {
    rethrow_for_caller();
  }
}

}  // namespace simtrain::api
