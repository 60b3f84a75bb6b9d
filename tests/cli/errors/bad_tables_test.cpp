#include <doctest/doctest.h>

#include "tests/cli/bad_edit.h"

namespace simtrain::testing::bad_tables_test {
namespace {

TEST_CASE("A table names its columns and rows once") {
  check_table_edits({
      {"columns: [row, training.micro_batch_size]\n  ", "", "26:3: table.columns: is missing"},
      {"rows:\n    - [one, 1]\n    - [two, 2]\n", "", "26:3: table.rows: is missing"},
      {"columns:", "column:", "26:3: table.column: is not known here; did you mean 'columns'?"},
      {"[row, ", "[rows, ",
       "26:12: table.columns: must start with 'row', the column of the rows' names"},
      {"[row, training.micro_batch_size]", "[]",
       "26:12: table.columns: must start with 'row', the column of the rows' names"},
      {"[row, training.micro_batch_size]", "[row, row]",
       "26:13: table.columns: 'row' appears twice"},
      {"[row, training.micro_batch_size]",
       "[row, training.micro_batch_size, training.micro_batch_size]",
       "26:18: table.columns: 'training.micro_batch_size' appears twice"},
      {"\n    - [one, 1]\n    - [two, 2]", " []", "27:9: table.rows: holds no rows"},
      {"\n    - [one, 1]\n    - [two, 2]", "", "27:3: table.rows: must be a list, found nothing"},
      {"[two", "[one", "29:7: table.rows[1]: 'one' appears twice"},
  });
}

TEST_CASE("A row holds a value for every column") {
  check_table_edits({
      {"[two, 2]", "[two, 2, 3]", "29:7: table.rows[1]: must have 2 items, found 3"},
      {"[two, 2]", "[two]", "29:7: table.rows[1]: must have 2 items, found 1"},
      {"[two, 2]", "two", "29:7: table.rows[1]: must be a list, found 'two'"},
      {"[two, 2]", "[two, x]",
       "29:13: training.micro_batch_size: must be a whole number, found 'x'"},
      {"[two, 2]", "[two, ~]",
       "29:13: training.micro_batch_size: must be a whole number, found nothing"},
      {"[two, 2]", "[~, 2]", "29:8: table.rows[1]: must be a text, found nothing"},
      {"[two, 2]", "[[two], 2]", "29:8: table.rows[1]: must be a text, found a list"},
  });
}

TEST_CASE("A column that is no key is refused at the column") {
  check_table_edits({
      {"training.micro_batch_size", "training.micro_batch",
       "26:18: training.micro_batch: is not known here; known are precision, fp8_params, "
       "num_layers_at_start_in_bf16, num_layers_at_end_in_bf16, seq_length, micro_batch_size, "
       "global_batch_size"},
      {"training.micro_batch_size", "mbs", "26:18: mbs: is not known here; did you mean 'moe'?"},
      {"training.micro_batch_size", "name.x", "26:18: name.x: 'name' has no keys below it"},
      {"training.micro_batch_size", "training..x", "26:18: training..x: is not a dotted key"},
      {"training.micro_batch_size", "table",
       "26:18: table: is not known here; known are name, source, notes, mfu_convention, cluster, "
       "software, model, training, parallelism, overlap, optimizer, sharding, moe, offload, lora, "
       "packed_sequences, recompute, recompute_modules, recompute_every_nth_layer, cuda_graphs, "
       "cuda_launch_blocking, cost, nccl, rccl, model_overrides, hardware, job"},
      {"training.micro_batch_size",
       "a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a."
       "a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a",
       "26:18: a key of more than 64 steps"},
  });
}

TEST_CASE("A cell is blamed for what it changes") {
  check_table_edits({
      {"[two, 2]", "[two, 0]",
       "29:13: training.micro_batch_size: '0' is out of range; 1 to 1000000 would do"},
      {"[two, 2]", "[two, 3]",
       "12:22: training.global_batch_size: 32 is no multiple of DP 8 x micro-batch 3 = 24"},
      {"training.micro_batch_size", "training.global_batch_size",
       "28:13: training.global_batch_size: 1 is no multiple of DP 8 x micro-batch 1 = 8"},
      {"training.micro_batch_size", "training",
       "28:13: training: must be a map of keys, found '1'"},
  });
}

}  // namespace
}  // namespace simtrain::testing::bad_tables_test
