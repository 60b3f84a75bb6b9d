#pragma once

#include <string>
#include <string_view>

#include "sim/output/text/changes.h"
#include "sim/study/front/front.h"

namespace simtrain {

/// What a front is printed with beside its plans.
struct FrontHead {
  std::string scenario;
  std::string question{};  ///< fingerprint of what is asked
  Changes changes{};
};

/// The plans of the front, least of the first objective first, and how many plans there were; or
/// which constraint leaves none.
std::string front_text(const FrontHead& head, const Front& front);

/// The same, and the other plans that were simulated, as schema simtrain.tune-front/1.
std::string front_json(const FrontHead& head, const Front& front);

/// A line a plan that was simulated: whether it is on the front, its knobs and its figures; empty
/// cells where there are none.
std::string front_csv(const Front& front);
/// Whether a file that starts so is such a table.
bool is_own_front(std::string_view start);

/// The bytes of an HDF5 file with the same columns (sweep/hdf5_table.h).
std::string front_hdf5(const FrontHead& head, const Front& front);

/// The page of a front: its plans against each other by their objectives, and as a table.
std::string front_html(const FrontHead& head, const Front& front);

}  // namespace simtrain
