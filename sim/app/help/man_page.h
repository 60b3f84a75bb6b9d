#pragma once

#include <string>

namespace simtrain {

/// The manual page simtrain(1) as roff source, from the tables of all commands.
std::string man_page();

}  // namespace simtrain
