// Any bytes at all as the file that a sweep goes on with: its head is never refused, and only
// InputError may come out of its rows.
#include <cstddef>
#include <cstdint>
#include <string>

#include "sim/core/invariant.h"
#include "sim/output/sweep/sweep_hdf5.h"
#include "sim/output/sweep/sweep_rows.h"
#include "tests/core/checkout.h"
#include "tests/fuzz/scratch_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace simtrain;
  static const DataFolder folder(simtrain::testing::source_dir());
  static const SweepQuestion question =
      sweep_question(folder, {simtrain::testing::source_dir() + "/scenarios/llama31_8b_h100.yaml",
                              "bf16-8",
                              {},
                              {parse_axis("tp=2,3"), parse_axis("name=a")}});
  static const ScratchFile file;
  file.write(data, size);
  const SweepFileHead head = sweep_file_head(file.path());
  const bool hdf5 = size > 0 && data[0] == 0x89;
  if (hdf5 && head.question.empty()) return 0;  // shown to nothing that would trust it
  try {
    const std::size_t rows = sweep_rows(file.path(), question).size();
    invariant(rows == question.grid.size(), "rows are those of the grid");
  } catch (const InputError&) {  // what a damaged file deserves
  }
  return 0;
}
