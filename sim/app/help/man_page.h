#pragma once

#include <string>

#include "sim/app/command.h"

namespace simtrain {

/// The manual page simtrain(1) as roff source, from the tables of all commands.
std::string man_page();

/// The manual page of one command, simtrain-run(1) and so on.
std::string man_page(const CommandRow& command);

}  // namespace simtrain
