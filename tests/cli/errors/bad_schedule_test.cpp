// Pipeline schedules that do not go with the rest of a recipe: one line each.
#include "tests/cli/bad_edit.h"

namespace simtrain::testing::bad_schedule_test {
namespace {

/// The base scenario, TP2 PP2 with 4 micro-batches, without tensor-parallel overlap, with these
/// keys of `parallelism`.
std::string base(const std::string& keys) {
  const std::string text =
      edited(std::string(kBaseScenario), "  tp_comm_overlap: true\n", "  tp_comm_overlap: false\n");
  return edited(text, "  context_parallel_size: 1\n", keys);
}

void check_keys(const std::string& keys, const std::string& message) {
  CAPTURE(keys);
  check_text(base(keys), message);
}

TEST_CASE("A schedule is one that exists") {
  check_keys("  pipeline_schedule: zb_h3\n",
             "16:22: parallelism.pipeline_schedule: 'zb_h3' is not known here; did you mean "
             "'zb_h1'?");
  check_keys("  microbatch_group_size_per_vp_stage: 0\n",
             "16:39: parallelism.microbatch_group_size_per_vp_stage: '0' is out of range; 1 to "
             "1000000 would do");
}

TEST_CASE("A schedule runs the chunks that it is of") {
  const std::string two = "  virtual_pipeline_model_parallel_size: 2\n";
  for (const std::string name : {"zb_v", "v_half", "v_min", "dualpipe_v"})
    check_keys("  pipeline_schedule: " + name + "\n",
               "16:22: parallelism.pipeline_schedule: is " + name +
                   " with virtual_pipeline_model_parallel_size 1; 2 would do");
  for (const std::string name : {"1f1b", "gpipe", "zb_h1", "zb_h2", "dualpipe"})
    check_keys("  pipeline_schedule: " + name + "\n" + two,
               "16:22: parallelism.pipeline_schedule: is " + name +
                   " with virtual_pipeline_model_parallel_size 2; 1 would do");
  for (const std::string name : {"interleaved", "looped_bfs"})
    check_keys("  pipeline_schedule: " + name + "\n",
               "16:22: parallelism.pipeline_schedule: is " + name +
                   " with virtual_pipeline_model_parallel_size 1; 2 or more would do");
}

TEST_CASE("Groups of micro-batches are Megatron's") {
  const std::string two = "  virtual_pipeline_model_parallel_size: 2\n";
  check_keys(two + "  microbatch_group_size_per_vp_stage: 1\n",
             "17:39: parallelism.microbatch_group_size_per_vp_stage: is 1; from PP 2 to the 4 "
             "micro-batches would do");
  check_keys(two + "  microbatch_group_size_per_vp_stage: 5\n",
             "17:39: parallelism.microbatch_group_size_per_vp_stage: is 5; from PP 2 to the 4 "
             "micro-batches would do");
  check_keys(two + "  microbatch_group_size_per_vp_stage: 3\n",
             "17:39: parallelism.microbatch_group_size_per_vp_stage: is 3, which leaves 1 of 4 "
             "micro-batches for the last group, fewer than PP 2; a divisor of 4 would do");
  check_keys("  microbatch_group_size_per_vp_stage: 2\n",
             "16:39: parallelism.microbatch_group_size_per_vp_stage: is of several chunks a stage "
             "in turn, which 1f1b does not run; interleaved would do");
  check_text(edited(base(two + "  microbatch_group_size_per_vp_stage: 4\n"),
                    "overlap_p2p_comm: true", "overlap_p2p_comm: false"),
             "22:21: overlap.overlap_p2p_comm: is false, where groups of 4 micro-batches wait for "
             "messages that 2 stages have no place for; true would do");
}

TEST_CASE("A schedule has the micro-batches and the messages that it needs") {
  const std::string v =
      "  virtual_pipeline_model_parallel_size: 2\n  pipeline_schedule: dualpipe_v\n";
  check_text(edited(base(v), "global_batch_size: 32", "global_batch_size: 24"),
             "17:22: parallelism.pipeline_schedule: dualpipe_v fills 2 stages with 3 "
             "micro-batches; 4 or more would do");
  check_text(edited(base("  pipeline_schedule: zb_h1\n"), "overlap_p2p_comm: true",
                    "overlap_p2p_comm: false"),
             "21:21: overlap.overlap_p2p_comm: is false, so that passes wait for messages to be "
             "taken, which zb_h1 does not get through; true would do");
}

TEST_CASE("A model held twice is fed from both ends alike") {
  const std::string twice = "  pipeline_schedule: dualpipe\n";
  check_text(edited(base(twice), "global_batch_size: 32", "global_batch_size: 16"),
             "16:22: parallelism.pipeline_schedule: dualpipe fills 2 stages with 2 micro-batches; "
             "4 or more would do");
  check_text(edited(base(twice), "global_batch_size: 32", "global_batch_size: 40"),
             "16:22: parallelism.pipeline_schedule: dualpipe sends half of the micro-batches each "
             "way, which are 5; an even number would do");
  check_text(edited(base(twice),
                    "optimizer:", "sharding: {data_parallel_replicate_degree: 2}\noptimizer:"),
             "24:44: sharding.data_parallel_replicate_degree: is 2 with dualpipe, which shards "
             "state over all that hold a layer, on two stages; 1 would do");
  check_text(
      edited(base(twice), "pipeline_model_parallel_size: 2", "pipeline_model_parallel_size: 1"),
      "15:33: parallelism.pipeline_model_parallel_size: is 1, where dualpipe fills stages in "
      "pairs from both ends; an even number would do");
  check_text(edited(base(twice), "optimizer:", "sharding: {strategy: zero2}\noptimizer:"),
             "16:22: parallelism.pipeline_schedule: dualpipe runs weight gradients later than "
             "sharding.strategy zero2 reduces them; zero1 would do");
}

TEST_CASE("A cut backward goes with whole gradients and no overlap inside it") {
  const std::string h1 = "  pipeline_schedule: zb_h1\n";
  check_text(edited(base(h1), "optimizer:", "sharding: {strategy: fsdp2}\noptimizer:"),
             "16:22: parallelism.pipeline_schedule: zb_h1 runs weight gradients later than "
             "sharding.strategy fsdp2 reduces them; zero1 would do");
  check_text(edited(base(h1), "tp_comm_overlap: false", "tp_comm_overlap: true"),
             "16:22: parallelism.pipeline_schedule: zb_h1 takes weight gradients from beside the "
             "communication that overlap.tp_comm_overlap hides behind them; tp_comm_overlap false "
             "would do");
  check_text(edited(base(h1), "  overlap_grad_reduce: true",
                    "  defer_embedding_wgrad_compute: true\n  overlap_grad_reduce: true"),
             "16:22: parallelism.pipeline_schedule: zb_h1 runs all weight gradients later by "
             "itself; overlap.defer_embedding_wgrad_compute false would do");
}

}  // namespace
}  // namespace simtrain::testing::bad_schedule_test
