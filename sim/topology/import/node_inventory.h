#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "sim/core/enum_names.h"
#include "sim/core/quantity.h"
#include "sim/topology/import/import_format.h"

namespace simtrain {

/// How near a NIC is to a GPU, nearest first, in nvidia-smi's words: below one PCIe switch (PIX),
/// below several (PXB), through the host bridge of one CPU (PHB), inside one NUMA node (NODE),
/// across CPUs (SYS).
enum class Nearness { pix, pxb, phb, node, sys };

template <>
struct EnumNames<Nearness> {
  static constexpr std::array rows{std::pair{std::string_view("PIX"), Nearness::pix},
                                   std::pair{std::string_view("PXB"), Nearness::pxb},
                                   std::pair{std::string_view("PHB"), Nearness::phb},
                                   std::pair{std::string_view("NODE"), Nearness::node},
                                   std::pair{std::string_view("SYS"), Nearness::sys}};
};

struct FoundNic {
  std::string name;
  std::optional<Bandwidth> speed;
  std::vector<Nearness> to_gpu;  ///< by GPU
};

/// What a file gives of one node, before anything is assumed.
struct NodeInventory {
  std::string origin;  ///< "nvidia-smi topo -m", "NCCL topology dump"
  SourcePlace where;   ///< the first GPU
  int gpus = 0;
  std::optional<int> nvlinks;             ///< of each GPU
  std::optional<int> compute_capability;  ///< 90 for 9.0
  std::string cpu_arch;                   ///< as NCCL names it, "" where not given
  std::vector<FoundNic> nics;
  std::optional<int> nvswitches;
  std::optional<int> domain_nodes;  ///< nodes that share the NVLink domain, where the file gives it
};

/// More devices than any node has; a file with more is refused.
inline constexpr int kMostDevices = 256;

/// The table that `nvidia-smi topo -m` prints.
NodeInventory read_smi_topology(const ImportFile& file);

/// The XML that NCCL writes to NCCL_TOPO_DUMP_FILE.
NodeInventory read_nccl_topology(const ImportFile& file);

/// The NIC of each GPU, by GPU, as a number in `nics`: one for each GPU, the nearest, the fastest
/// of equally near ones; PIX before PXB before PHB. NODE counts only where no NIC is nearer to any
/// GPU (GPUs that hang on their CPU by NVLink-C2C). Throws InputError where a GPU gets none.
std::vector<std::size_t> compute_nics(const NodeInventory& node);

/// Which file of hardware/gpus a node's GPU is, and why.
struct GpuChoice {
  std::string name;
  std::string reason;
  bool assumed = false;
};

/// The GPU that the user names, or the only one with this compute capability, number of NVLinks and
/// kind of CPU. Throws InputError where that leaves several, or contradicts what the user names.
GpuChoice choose_gpu(const NodeInventory& node, const std::optional<std::string>& name,
                     const DataFolder& data);

/// The inventory as a file of hardware/nodes. What the file does not give is taken from a node of
/// the data folder with the same GPU and is marked as assumed.
std::string node_yaml(const NodeInventory& node, const ImportRequest& request,
                      const DataFolder& data);

}  // namespace simtrain
