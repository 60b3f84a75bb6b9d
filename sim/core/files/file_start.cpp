#include "sim/core/files/file_start.h"

#include <span>

#include "sim/core/files/byte_source.h"

namespace simtrain {

std::string file_start(const std::string& path, std::size_t most) {
  std::string start(most, '\0');
  std::size_t size = 0;
  const ByteSource source = open_log_file(path, [](const std::string&) {});
  while (size < most) {
    const std::size_t count = source(std::span(start).subspan(size));
    if (count == 0) break;
    size += count;
  }
  start.resize(size);
  return start;
}

}  // namespace simtrain
