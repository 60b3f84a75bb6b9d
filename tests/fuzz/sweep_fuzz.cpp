// Any bytes at all, read as a sweep's journal, as one of its rows and as a `--vary` argument: the
// journal is never refused, only std::invalid_argument may come out of the row and only InputError
// out of the argument.
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

#include "sim/core/invariant.h"
#include "sim/study/sweep/sweep_grid.h"
#include "sim/study/sweep/sweep_row.h"
#include "sim/study/tasks/journal.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(data, data + size);
  const simtrain::JournalContent content = simtrain::read_journal(
      text, [](std::string_view record) { return simtrain::row_of(record).index; });
  for (const simtrain::JournalRecord& record : content.records)
    simtrain::invariant(record.number < content.head.tasks, "rows are of the grid");
  try {
    const simtrain::SweepRow row = simtrain::row_of(text);
    simtrain::invariant(
        simtrain::record_of(simtrain::row_of(simtrain::record_of(row))) == simtrain::record_of(row),
        "a row and its record are one");
  } catch (const std::invalid_argument&) {  // what is no row
  }
  try {
    const simtrain::SweepGrid grid({simtrain::parse_axis(text)});
    simtrain::invariant(grid.settings(grid.size() - 1).size() == 1, "an axis is a setting");
  } catch (const simtrain::InputError&) {  // what a wrong argument deserves
  }
  return 0;
}
