#include <array>

#include "sim/output/schema/meanings/meanings.h"

namespace simtrain {
namespace {

constexpr auto kJobMeanings = std::to_array<Meaning>({
    {"failures.observed", "the machine and the time that failures were counted on"},
    {"failures.observed.days", "of counting"},
    {"failures.observed.gpus", "how many; of rows `per: gpu`"},
    {"failures.observed.nics", "how many; of rows `per: nic`"},
    {"failures.observed.nodes", "how many; of rows `per: node`"},
    {"failures.observed.units", "groups of nodes below one set of leaf switches; `per: unit`"},
    {"failures.components", "what fails, a row for each kind of failure"},
    {"failures.components[].component", "what fails: gpu, hbm, nic, link, host, software, ..."},
    {"failures.components[].per", "what there is one or more of, each failing as often"},
    {"failures.components[].events", "counted over the time and machine observed"},
    {"failures.components[].effect",
     "ends the job (stops), slows it, makes its results wrong (corrupts), or is announced "
     "(planned)"},
    {"failures.components[].takes", "nodes that it takes out for repair"},
    {"failures.components[].detection", "until it is known"},
    {"failures.components[].repair", "mean, until its nodes are back; where it takes some"},
    {"failures.components[].gpu_slowdown",
     "of what slows: how many times as long kernels of a GPU take"},
    {"failures.components[].nic_bandwidth_share", "of what slows: what is left of a NIC"},
    {"failures.restart", "the way from a known failure to the next step, but for loading"},
    {"failures.restart.scheduler", "nodes are found and the job is started on them"},
    {"failures.restart.launch", "containers, imports, data loaders"},
    {"failures.restart.manual_share", "of restarts that wait for a person"},
    {"failures.restart.manual_delay", "how long these wait, mean"},
    {"fault-tolerance.notice", "from a failure until the other replicas know of it; they wait"},
    {"fault-tolerance.leave", "until they go on without it: agreement, communicators"},
    {"fault-tolerance.join", "that all wait where a replica is taken in that has started again"},
    {"storage.scope", "one for all nodes, or each node's own, which is lost with it"},
    {"storage.read", "of the whole system; required where it is shared"},
    {"storage.write", "of the whole system; required where it is shared"},
    {"storage.node_read", "of one node"},
    {"storage.node_write", "of one node"},
    {"storage.process_read", "of one process, a GPU's"},
    {"storage.process_write", "of one process, a GPU's"},
    {"storage.save_start", "of a save, beside its bytes: plan, files, commit"},
    {"storage.load_start", "of a load, beside its bytes"},
    {"storage.in_host_memory", "what it holds takes memory of the hosts"},
    {"storage.over_compute_network", "its traffic takes NICs and links of training"},
    {"storage.replicated", "of a node's own: a copy is on another node"},
    {"storage.drains_to",
     "file of hardware/storage that checkpoints are copied on to, and are safe on"},
    {"steps.first_step",
     "what the first step takes over any other; the first row of the software counts"},
    {"steps.first_step[].software",
     "that names of hardware/software start with; the last row has none, for all others"},
    {"steps.first_step[].adds", "to the time of the step"},
    {"steps.connections", "in the first step, for each 1000 GPUs"},
    {"steps.garbage_collection", "of Python, all ranks at once"},
    {"steps.garbage_collection_interval", "steps from one to the next"},
    {"steps.slow_share", "of steps that take longer than others: data, network, hosts"},
    {"steps.slow_least", "how many times as long as others, at least"},
    {"steps.slow_most", "how many times as long as others, at most"},
});

}  // namespace

std::span<const Meaning> job_meanings() { return kJobMeanings; }

}  // namespace simtrain
