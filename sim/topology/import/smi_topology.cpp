#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "sim/core/input/number_text.h"
#include "sim/topology/import/node_inventory.h"

namespace simtrain {
namespace {

struct Word {
  std::string_view text;
  SourcePlace place;
};
using Line = std::vector<Word>;

/// The text with terminal escapes (nvidia-smi underlines its header) blanked, so that columns stay.
std::string without_escapes(std::string text) {
  for (std::size_t i = 0; i + 1 < text.size(); ++i) {
    if (text[i] != '\x1b' || text[i + 1] != '[') continue;
    std::size_t end = i + 2;
    while (end < text.size() &&
           (std::isdigit(static_cast<unsigned char>(text[end])) != 0 || text[end] == ';')) {
      ++end;
    }
    for (std::size_t k = i; k <= end && k < text.size() && text[k] != '\n'; ++k) text[k] = ' ';
  }
  return text;
}

std::vector<Line> words_of(std::string_view text, const std::string& file) {
  std::vector<Line> lines;
  int number = 0;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    ++number;
    Line words;
    constexpr std::string_view kBlank = " \t\r";
    std::size_t start = line.find_first_not_of(kBlank);
    while (start != std::string_view::npos) {
      const std::size_t end = std::min(line.find_first_of(kBlank, start), line.size());
      words.push_back(
          {line.substr(start, end - start), {file, number, static_cast<int>(start) + 1}});
      start = line.find_first_not_of(kBlank, end);
    }
    if (!words.empty()) lines.push_back(std::move(words));
  }
  return lines;
}

bool is_gpu(std::string_view word) {
  return word.size() > 3 && word.starts_with("GPU") &&
         word.find_first_not_of("0123456789", 3) == std::string_view::npos;
}

/// The devices that the header names: what precedes the columns of affinities.
Line devices_of(const Line& header) {
  const auto end = std::find_if(header.begin(), header.end(), [](const Word& word) {
    return word.text == "CPU" || word.text == "NUMA" || word.text == "GPU";
  });
  Line devices(header.begin(), end);
  if (devices.size() > kMostDevices) {
    throw InputError(devices[kMostDevices].place, "",
                     fmt::format("the header names more than {} devices", kMostDevices));
  }
  for (auto one = devices.begin(); one != devices.end(); ++one) {
    const auto same = [&](const Word& word) { return word.text == one->text; };
    if (std::any_of(devices.begin(), one, same)) {
      throw InputError(one->place, std::string(one->text), "is in the header twice");
    }
  }
  return devices;
}

/// A cell of the matrix: NVLinks, or nearness over PCIe; neither in the diagonal.
struct Cell {
  int nvlinks = 0;
  std::optional<Nearness> pcie;
  Word word;
};

Cell cell_of(const Word& word) {
  if (word.text == "X") return {0, {}, word};
  for (const auto& [name, nearness] : EnumNames<Nearness>::rows) {
    if (word.text == name) return {0, nearness, word};
  }
  const std::string_view digits = word.text.substr(std::min<std::size_t>(2, word.text.size()));
  if (word.text.starts_with("NV") && !digits.empty() && digits.size() < 3 && digits[0] != '0' &&
      digits.find_first_not_of("0123456789") == std::string_view::npos) {
    return {number_as<int>(digits).value_or(0), {}, word};
  }
  throw InputError(word.place, "",
                   fmt::format("'{}' is no cell of nvidia-smi topo -m; X, NV1 to NV99, PIX, PXB, "
                               "PHB, NODE or SYS would do",
                               word.text));
}

using Matrix = std::vector<std::vector<Cell>>;

/// The rows below the header, one for each device and in its order.
Matrix matrix_of(const std::vector<Line>& lines, std::size_t header, const Line& devices) {
  Matrix matrix;
  matrix.reserve(devices.size());
  for (std::size_t i = 0; i < devices.size(); ++i) {
    if (header + 1 + i >= lines.size()) {
      throw InputError(lines.back().front().place, "",
                       fmt::format("the table ends before the row of {}; is the file cut off?",
                                   devices[i].text));
    }
    const Line& line = lines[header + 1 + i];
    if (line.front().text != devices[i].text) {
      throw InputError(line.front().place, "",
                       fmt::format("'{}' is where the row of {} should be; the table has the rows "
                                   "of its header, in that order",
                                   line.front().text, devices[i].text));
    }
    if (line.size() <= devices.size()) {
      throw InputError(line.back().place, std::string(line.front().text),
                       fmt::format("the row has {} cells for the {} devices of the header; is the "
                                   "file cut off?",
                                   line.size() - 1, devices.size()));
    }
    std::vector<Cell> row;
    row.reserve(devices.size());
    for (std::size_t k = 0; k < devices.size(); ++k) row.push_back(cell_of(line[k + 1]));
    matrix.push_back(std::move(row));
  }
  return matrix;
}

void check_symmetric(const Matrix& matrix, const Line& devices) {
  for (std::size_t i = 0; i < matrix.size(); ++i) {
    for (std::size_t k = 0; k <= i; ++k) {
      const Word& word = matrix[i][k].word;
      if ((word.text == "X") != (i == k)) {
        throw InputError(word.place, "",
                         fmt::format("'{}' is between {} and {}; X belongs in the diagonal and "
                                     "nowhere else",
                                     word.text, devices[i].text, devices[k].text));
      }
      if (word.text != matrix[k][i].word.text) {
        throw InputError(word.place, "",
                         fmt::format("{} to {} is {}, but back it is {}", devices[i].text,
                                     devices[k].text, word.text, matrix[k][i].word.text));
      }
    }
  }
}

/// The name that the legend gives a NIC ("NIC0: mlx5_0"); its own where there is none.
std::string name_of_nic(std::string_view label, const std::vector<Line>& lines) {
  for (const Line& line : lines) {
    const std::string_view first = line.front().text;
    if (line.size() == 2 && first.ends_with(':') && first.substr(0, first.size() - 1) == label) {
      return std::string(line[1].text);
    }
  }
  return std::string(label);
}

/// The NVLinks of each GPU: the same between any two, or they are not behind NVSwitches.
std::optional<int> nvlinks_of(const Matrix& matrix, const std::vector<std::size_t>& gpus) {
  std::optional<int> links;
  for (const std::size_t a : gpus) {
    for (const std::size_t b : gpus) {
      if (a == b) continue;
      const Cell& cell = matrix[a][b];
      if (cell.nvlinks == 0 || links.value_or(cell.nvlinks) != cell.nvlinks) {
        throw InputError(
            cell.word.place, "",
            fmt::format("'{}' joins two GPUs; a node file knows GPUs behind NVSwitches, "
                        "where all pairs have the same number of NVLinks",
                        cell.word.text));
      }
      links = cell.nvlinks;
    }
  }
  return links;
}

}  // namespace

NodeInventory read_smi_topology(const ImportFile& file) {
  const std::string text = without_escapes(file.text);
  const std::vector<Line> lines = words_of(text, file.path);
  const auto header = std::find_if(lines.begin(), lines.end(),
                                   [](const Line& line) { return is_gpu(line.front().text); });
  if (header == lines.end()) throw InputError({file.path}, "", "names no GPU");
  const Line devices = devices_of(*header);
  const Matrix matrix = matrix_of(lines, static_cast<std::size_t>(header - lines.begin()), devices);
  check_symmetric(matrix, devices);

  std::vector<std::size_t> gpus;
  for (std::size_t i = 0; i < devices.size(); ++i) {
    if (is_gpu(devices[i].text)) gpus.push_back(i);
  }
  NodeInventory node;
  node.origin = "nvidia-smi topo -m";
  node.where = devices[gpus.front()].place;
  node.gpus = static_cast<int>(gpus.size());
  node.nvlinks = nvlinks_of(matrix, gpus);
  for (std::size_t i = 0; i < devices.size(); ++i) {
    if (is_gpu(devices[i].text)) continue;
    FoundNic nic{name_of_nic(devices[i].text, lines), {}, {}};
    for (const std::size_t gpu : gpus) {
      const Cell& cell = matrix[gpu][i];
      if (!cell.pcie) {
        throw InputError(cell.word.place, "",
                         fmt::format("'{}' joins a GPU and a NIC; only PCIe does", cell.word.text));
      }
      nic.to_gpu.push_back(*cell.pcie);
    }
    node.nics.push_back(std::move(nic));
  }
  return node;
}

}  // namespace simtrain
