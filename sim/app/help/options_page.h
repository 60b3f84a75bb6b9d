#pragma once

#include <string>

namespace simtrain {

/// docs/options.md: every command with its options in Markdown, from the tables of all commands.
std::string options_page();

}  // namespace simtrain
