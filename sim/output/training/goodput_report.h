#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "sim/study/what_if/goodput.h"

namespace simtrain {

/// Text of a job: how long it takes with what spread, where its time goes, what would help.
std::string goodput_text(const Goodput& goodput);

/// The part of it between the title and what was changed.
std::string goodput_sections(const Goodput& goodput);

/// The same as JSON, schema `simtrain.goodput/1`.
std::string goodput_json(const Goodput& goodput);

/// Its members, for a document that holds it.
nlohmann::ordered_json goodput_members(const Goodput& goodput);

/// The bytes of an HDF5 file: a group `runs` with a column a figure and a row a run, their units
/// beside them, and a group `used` with the seconds of each run by use. Equal jobs give equal
/// bytes; a seal follows (core/files/seal.h).
std::string goodput_hdf5(const Goodput& goodput);

}  // namespace simtrain
