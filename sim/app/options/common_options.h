#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace simtrain {

/// When text has colours: on a terminal without NO_COLOR, always or never.
enum class ColourChoice { automatic, always, never };

/// The options that every command has.
struct CommonOptions {
  ColourChoice colour = ColourChoice::automatic;
  bool quiet = false;  ///< neither progress bars nor notes
};

/// Takes them out of the arguments, wherever they stand before "--". Throws InputError at one that
/// is doubled, has no value or one that is not known.
CommonOptions take_common_options(std::vector<std::string>& arguments);

/// Their names with the dashes.
const std::vector<std::string>& common_option_names();

/// What help says of them, in the form of a command's usage text.
extern const std::string_view kCommonUsage;

}  // namespace simtrain
