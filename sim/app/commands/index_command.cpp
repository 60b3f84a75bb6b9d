#include <filesystem>

#include "sim/app/command.h"
#include "sim/app/options/options.h"
#include "sim/app/options/shared_rows.h"
#include "sim/app/output_files.h"
#include "sim/core/files/text_file.h"
#include "sim/output/index/index_report.h"

namespace simtrain {
namespace {

namespace po = boost::program_options;

constexpr std::array kIndexOptions{
    OptionRow{.value = "FOLDER", .type = OptionType::argument},
    OptionRow{.name = "output",
              .value = "FILE.html",
              .help = "the page; index.html in the folder without it"},
    with_help(kForceOption, "replaces a file that is no earlier index"),
    paragraph(
        "Files are told by what they hold: JSON by its schema, pages, HDF5 and CSV of sweeps, "
        "drawings, timelines. What is broken or of another program is listed with why. At "
        "most 8 folders deep and 20,000 files; names that begin with a dot and links to "
        "folders are passed over.")};

CommandResult index_command(const CommandCall& call) {
  const po::variables_map values = parse_options(call.arguments, kIndexOptions);
  const std::vector<std::string> folders = plain_arguments(values);
  if (folders.size() != 1)
    throw InputError({}, "", "index takes one folder; 'simtrain help index' shows how");
  const std::filesystem::path folder(folders.front());
  const std::string page =
      option_value(values, "output").value_or((folder / "index.html").string());
  if (page.empty()) throw InputError({}, "--output", "names no file");
  check_folder(folder);
  OutputFiles outputs(values);
  outputs.writes("output", "the page", kIndexFile, page);
  outputs.start();
  const ResultFolder found =
      result_folder(folder, [&](const std::string& file) { return same_file(file, page); });
  outputs.write("output", index_html(found, page));
  return {index_text(found, page)};
}

}  // namespace

const CommandRow kIndexCommand{"index",
                               "one page of a folder of results",
                               "simtrain index build/results",
                               "Makes a page of all results in a folder and below it: what each "
                               "is, its scenario, step time and MFU, when it was written, with "
                               "links. The page needs no other file and no network.",
                               index_command,
                               kIndexOptions};

}  // namespace simtrain
