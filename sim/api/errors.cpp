#include "sim/api/errors.h"

#include <simtrain/scenario.h>

#include "sim/core/input/input_error.h"
#include "sim/core/invariant.h"
#include "sim/run/engine/executor.h"

namespace simtrain::api {

void rethrow_for_caller() {
  try {
    throw;
  } catch (const simtrain::InputError& error) {
    const SourcePlace& place = error.place();
    throw InputError(error.what(), {place.file, place.line, place.column}, error.key(),
                     error.reason());
  } catch (const simtrain::InternalError& error) {
    throw InternalError(error.what());
  } catch (const StuckProgram& error) {
    throw InternalError(error.what());
  }
}

}  // namespace simtrain::api
