#pragma once

#include "sim/core/input/yaml_reader.h"
#include "sim/job/specs/storage_spec.h"

namespace simtrain {

template <>
struct Fields<StorageSpec> {
  template <class Visitor>
  static void visit(Visitor& v, StorageSpec& storage) {
    v("name", storage.name);
    v("description", storage.description);
    v("scope", storage.scope);
    v.optional("read", storage.read);
    v.optional("write", storage.write);
    v("node_read", storage.node_read);
    v("node_write", storage.node_write);
    v("process_read", storage.process_read);
    v("process_write", storage.process_write);
    v("save_start", storage.save_start);
    v("load_start", storage.load_start);
    v.optional("over_compute_network", storage.over_compute_network);
    v.optional("in_host_memory", storage.in_host_memory);
    v.optional("replicated", storage.replicated);
    v.optional("drains_to", storage.drains_to);
  }
};

}  // namespace simtrain
