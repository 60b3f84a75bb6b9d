#pragma once

#include <array>
#include <string>
#include <vector>

#include "sim/app/options/option_row.h"

namespace simtrain {

/// When text has colours: on a terminal without NO_COLOR, always or never.
enum class ColourChoice { automatic, always, never };

/// What every command takes.
inline constexpr std::array kCommonOptions{
    OptionRow{.name = "color",
              .value = "auto|always|never",
              .help = "colours of text reports and of 'simtrain:' before an error; auto: on a "
                      "terminal, unless NO_COLOR is set",
              .preset = "auto"},
    OptionRow{.name = "quiet", .help = "no progress bars and no notes; errors are still printed"}};

/// The values of these.
struct CommonOptions {
  ColourChoice colour = ColourChoice::automatic;
  bool quiet = false;  ///< neither progress bars nor notes
};

/// Takes them out of the arguments, wherever they are before "--". Throws InputError at one that
/// is doubled, has no value or one that is not known.
CommonOptions take_common_options(std::vector<std::string>& arguments);

}  // namespace simtrain
