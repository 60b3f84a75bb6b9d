// Any bytes at all as files of what was measured or printed: kernel points, documented runs, and
// the list of parameters to fit. Only InputError may come out.
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <unistd.h>

#include "sim/study/fit/kernel_validation.h"
#include "sim/study/fit/parameters/parameters.h"
#include "sim/study/validate/documented.h"
#include "tests/core/checkout.h"
#include "tests/fuzz/scratch_file.h"

namespace {

using namespace simtrain;

/// A folder whose files of kernel points all are the scratch file.
class PointsFolder {
 public:
  explicit PointsFolder(const ScratchFile& file)
      : path_(std::filesystem::temp_directory_path() /
              ("simtrain-fuzz-" + std::to_string(getpid()))) {
    for (const char* name : {"gemm", "attention", "streaming"}) {
      std::filesystem::create_directories(path_ / name);
      std::filesystem::create_symlink(file.path(), path_ / name / (std::string(name) + ".csv"));
    }
  }
  ~PointsFolder() { std::filesystem::remove_all(path_); }
  PointsFolder(const PointsFolder&) = delete;
  PointsFolder& operator=(const PointsFolder&) = delete;

  [[nodiscard]] std::string of(const std::string& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

template <class Read>
void attempt(const Read& read) {
  try {
    read();
  } catch (const InputError&) {  // what a wrong file deserves
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const DataFolder folder(simtrain::testing::source_dir());
  static const ScratchFile file;
  static const PointsFolder points(file);
  file.write(data, size);
  for (const char* name : {"gemm", "attention", "streaming"})
    attempt(
        [&] { static_cast<void>(compare_kernels(folder, load_kernel_points(points.of(name)))); });
  attempt([&] { static_cast<void>(read_documented(file.path())); });
  attempt([&] { static_cast<void>(read_calibration(folder, file.path())); });
  return 0;
}
