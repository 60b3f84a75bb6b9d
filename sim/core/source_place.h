#pragma once

#include <string>

namespace simtrain {

/// The place of a piece of input. Lines and columns count from 1; line 0 means "the file as
/// a whole", column 0 "the line as a whole".
struct SourcePlace {
  std::string file;
  int line = 0;
  int column = 0;
};

}  // namespace simtrain
