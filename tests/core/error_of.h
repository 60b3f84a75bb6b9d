#pragma once

#include <string>

#include "sim/core/input/input_error.h"

namespace simtrain::testing {

/// The message of the InputError that `action` throws; empty where it throws none.
template <class Action>
std::string error_of(const Action& action) {
  try {
    action();
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

}  // namespace simtrain::testing
