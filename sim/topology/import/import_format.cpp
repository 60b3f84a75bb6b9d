#include "sim/topology/import/import_format.h"

#include "sim/core/input/text_parts.h"
#include "sim/topology/import/node_inventory.h"

namespace simtrain {
namespace {

/// XML of any kind; the reader refuses what is not NCCL's.
bool looks_like_xml(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && text[first] == '<';
}

/// A header or a row of the matrix, after the underlining that nvidia-smi prints.
bool has_gpu_line(std::string_view text) {
  for (const std::string_view line : split(text, '\n')) {
    std::size_t start = line.find_first_not_of(" \t");
    if (start != std::string_view::npos && line[start] == '\x1b') {
      start = line.find_first_not_of(" \t", line.find('m', start) + 1);
    }
    if (start != std::string_view::npos && line.compare(start, 4, "GPU0") == 0) return true;
  }
  return false;
}

std::string read_smi(const ImportFile& file, const ImportRequest& request, const DataFolder& data) {
  return node_yaml(read_smi_topology(file), request, data);
}

std::string read_nccl(const ImportFile& file, const ImportRequest& request,
                      const DataFolder& data) {
  return node_yaml(read_nccl_topology(file), request, data);
}

}  // namespace

const std::vector<ImportFormat>& node_formats() {
  static const std::vector<ImportFormat> rows{
      {"nccl-topology", "XML that NCCL writes to NCCL_TOPO_DUMP_FILE", looks_like_xml, read_nccl},
      {"nvidia-smi-topo", "what 'nvidia-smi topo -m' prints", has_gpu_line, read_smi},
  };
  return rows;
}

}  // namespace simtrain
