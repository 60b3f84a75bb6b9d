#pragma once

#include "sim/core/input/yaml_reader.h"
#include "sim/run/scenario/job_spec.h"

namespace simtrain {

template <>
struct Fields<CheckpointSpec> {
  template <class Visitor>
  static void visit(Visitor& v, CheckpointSpec& checkpoint) {
    v("storage", checkpoint.storage);
    v.optional("save_interval", checkpoint.save_interval, kCount);
    v.optional("async_save", checkpoint.async_save);
    v.optional("ckpt_format", checkpoint.ckpt_format);
    v.optional("ckpt_fully_parallel_save", checkpoint.ckpt_fully_parallel_save);
    v.optional("ckpt_fully_parallel_load", checkpoint.ckpt_fully_parallel_load);
    v.optional("non_persistent_storage", checkpoint.non_persistent_storage);
    v.optional("non_persistent_save_interval", checkpoint.non_persistent_save_interval, kCount);
  }
};

template <>
struct Fields<EvalSpec> {
  template <class Visitor>
  static void visit(Visitor& v, EvalSpec& eval) {
    v("eval_interval", eval.eval_interval, kCount);
    v("eval_iters", eval.eval_iters, kCount);
  }
};

template <>
struct Fields<DataSpec> {
  template <class Visitor>
  static void visit(Visitor& v, DataSpec& data) {
    v("storage", data.storage);
    v.optional("num_workers", data.num_workers, Limits{0, 1000});
    v.optional("bytes_per_token", data.bytes_per_token, Limits{1, 1e6});
    v.optional("sample_time", data.sample_time);
  }
};

template <>
struct Fields<JobSpec> {
  template <class Visitor>
  static void visit(Visitor& v, JobSpec& job) {
    v.optional("tokens", job.tokens, Limits{1, 1e18});
    v.optional("train_iters", job.train_iters, kCount);
    v.optional("days", job.days, Limits{0.001, 3650});
    v.optional("failures", job.failures);
    v("checkpoint", job.checkpoint);
    v.optional("spare_nodes", job.spare_nodes, Limits{0, 1e6});
    v.optional("elastic_replicas", job.elastic_replicas, Limits{0, 64});
    v.optional("fault_tolerance", job.fault_tolerance);
    v.optional("eval", job.eval);
    v.optional("data", job.data);
    v.optional("runs", job.runs, Limits{1, 1e6});
    v.optional("seed", job.seed, kCountOrNone);
  }
};

}  // namespace simtrain
