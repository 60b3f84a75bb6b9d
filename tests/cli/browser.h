#pragma once

#include <doctest/doctest.h>

#include "tests/cli/program.h"
#include "tests/core/checkout.h"

namespace simtrain::testing {

/// Whether pages can be opened; where not, the case reports it and is left.
inline bool browser_here() {
  const bool here = shell("command -v chromium").status == 0;
  if (!here) MESSAGE("skipped: no chromium here; tools/setup.sh test installs it");
  return here;
}

/// The output of a browser that opens a page with these flags, its console among it.
inline Outcome browse(const std::string& file, const std::string& flags) {
  return shell(
      "timeout 120 chromium --headless=new --no-sandbox --disable-gpu --user-data-dir=\"$HOME\" "
      "--enable-logging=stderr --v=0 --virtual-time-budget=4000 " +
          flags + " file://" + file + " 2>&1",
      {source_dir(), {{"HOME", std::filesystem::path(file).parent_path().string()}}, ""});
}

/// The page after its scripts have run, and the output of the browser's console.
inline Outcome in_browser(const std::string& file, const std::string& flags = {}) {
  return browse(file, flags + " --dump-dom");
}

/// Whether the element `id` holds what ECharts leaves: "<svg" or "<canvas".
inline bool drawn(const std::string& dom, const std::string& id, const std::string& tag) {
  const std::size_t at = dom.find("id=\"" + id + "\"");
  return at != std::string::npos && dom.substr(at, 1500).find(tag) != std::string::npos;
}

/// Prints the page to paper: the output of the console.
inline std::string on_paper(const std::string& file) {
  const std::string paper = file + ".pdf";
  const std::string console = browse(file, "--print-to-pdf=" + paper).out;
  CHECK(read_file(paper).starts_with("%PDF"));
  return console;
}

/// How wide the page in `file` gets on a screen of 390 pixels; above 390 it scrolls sideways. It is
/// framed by a page beside it, as no window of the browser is that narrow.
inline int width_on_phone(const std::string& file) {
  const std::filesystem::path path(file);
  const std::filesystem::path frame = path.parent_path() / "phone.html";
  std::ofstream(frame) << "<iframe style=\"width:390px;height:900px;border:0\" src=\""
                       << path.filename().string()
                       << "\" onload=\"document.title='wide '+this.contentDocument."
                          "documentElement.scrollWidth+'.'\"></iframe>";
  const std::string dom = in_browser(frame.string(), "--allow-file-access-from-files").out;
  const std::size_t at = dom.find("<title>wide ");
  return at == std::string::npos ? -1 : std::stoi(dom.substr(at + 12));
}

}  // namespace simtrain::testing
