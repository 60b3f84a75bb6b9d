#include <algorithm>
#include <filesystem>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sim/app/command.h"
#include "sim/app/options.h"
#include "sim/core/text_file.h"
#include "sim/topology/import/import_format.h"

namespace simtrain {
namespace {

namespace po = boost::program_options;

constexpr TextFileKind kImportedFile{"a file to import", 4};

po::variables_map parse(const std::vector<std::string>& arguments) {
  po::options_description options;
  options.add_options()("path", po::value<std::vector<std::string>>())(
      "name", po::value<std::string>())("gpu", po::value<std::string>())(
      "nic-bandwidth", po::value<std::string>())("output", po::value<std::string>())(
      "force", po::bool_switch());
  return parse_options(arguments, options, "path");
}

/// A name that a file of the data folder can have and YAML takes for a text.
std::string checked_name(const std::string& name, const std::string& key) {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz";
  constexpr std::string_view kMarks = "abcdefghijklmnopqrstuvwxyz0123456789.-_";
  if (name.empty() || name.size() > 64 || kLetters.find(name.front()) == std::string_view::npos ||
      name.find_first_not_of(kMarks) != std::string::npos || name == "null") {
    throw InputError(
        {}, key,
        fmt::format("'{}' is no name; a small letter, then small letters, digits, '.', "
                    "'-' and '_' would do; --name NAME gives one",
                    name.substr(0, 80)));
  }
  return name;
}

ImportRequest request_of(const po::variables_map& values, const std::string& path) {
  ImportRequest request;
  request.name = values.count("name") > 0
                     ? checked_name(values["name"].as<std::string>(), "--name")
                     : checked_name(std::filesystem::path(path).stem().string(), "name");
  if (values.count("gpu") > 0) request.gpu = values["gpu"].as<std::string>();
  if (values.count("nic-bandwidth") > 0) {
    YamlNode rate;
    rate.kind = YamlNode::Kind::scalar;
    rate.text = values["nic-bandwidth"].as<std::string>();
    scalar_quantity(rate, "--nic-bandwidth", request.nic_bandwidth.emplace());
  }
  return request;
}

/// The bytes as a text file: what no text holds is refused at its place.
void check_text(const ImportFile& file) {
  SourcePlace place{file.path, 1, 1};
  for (const char c : file.text) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte < 0x20 && c != '\t' && c != '\n' && c != '\r' && c != '\x1b') || byte == 0x7f) {
      throw InputError(place, "",
                       fmt::format("holds the byte 0x{:02x}; a text was expected", byte));
    }
    ++place.column;
    if (c != '\n') continue;
    ++place.line;
    place.column = 1;
  }
  if (file.text.empty()) throw InputError({file.path}, "", "is empty");
}

const ImportFormat& format_of(const ImportFile& file) {
  const std::vector<ImportFormat>& formats = node_formats();
  const auto format = std::find_if(formats.begin(), formats.end(), [&](const ImportFormat& row) {
    return row.recognizes(file.text);
  });
  if (format != formats.end()) return *format;
  std::vector<std::string> known;
  known.reserve(formats.size());
  for (const ImportFormat& row : formats)
    known.push_back(fmt::format("{} ({})", row.name, row.help));
  throw InputError({file.path}, "",
                   fmt::format("is of no format known here; known are {}", fmt::join(known, ", ")));
}

}  // namespace

CommandResult import_command(const CommandCall& call) {
  const po::variables_map values = parse(call.arguments);
  if (values.count("path") == 0 || values["path"].as<std::vector<std::string>>().size() != 1) {
    throw InputError({}, "", "import takes one file; 'simtrain help import' tells more");
  }
  const std::string& path = values["path"].as<std::vector<std::string>>().front();
  const bool to_file = values.count("output") > 0;
  const bool force = values["force"].as<bool>();
  if (force && !to_file) throw InputError({}, "--force", "replaces the file of --output; name one");
  const ImportFile file{path, read_text_file(path, kImportedFile)};
  check_text(file);
  const std::string yaml = format_of(file).read(file, request_of(values, path), call.data);
  if (!to_file) return {yaml};
  write_text_file(values["output"].as<std::string>(), yaml, force);
  return {};
}

}  // namespace simtrain
