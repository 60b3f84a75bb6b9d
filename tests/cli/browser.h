#pragma once

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

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

/// What a browser makes of the page in `file`, all its details open, in frames of 400 and 1400
/// pixels: `cut`, what is wider than its box, `saved`, the files by name that its links save, and
/// `unnamed`, areas that scroll and have no name or are not reached by keyboard.
inline nlohmann::json page_in_frames(const std::string& file) {
  constexpr const char* kLook = R"(<script>
let left = 2;
const found = {cut: [], saved: {}, unnamed: []};
const look = (root, wide, name) => {
  for (const element of root.querySelectorAll('.scroll,.drawing,table,.chart,svg,canvas')) {
    const box = (element.parentElement || root.host).getBoundingClientRect();
    const own = element.getBoundingClientRect();
    const boxed = element.matches('.scroll,.drawing,table') || root.host;
    if (own.right > wide + 1 || boxed && (own.width > box.width + 1 || element.scrollWidth > element.clientWidth + 1))
      found.cut.push(`${wide}: ${element.tagName} ${name(element)} ${element.scrollWidth}`);
    if (element.shadowRoot) look(element.shadowRoot, wide, name);
  }
};
const save = frame => {
  let text;
  frame.contentWindow.Blob = class { constructor(parts) { text = parts.join(''); } };
  frame.contentWindow.URL.createObjectURL = () => '#saved';
  for (const link of frame.contentDocument.querySelectorAll('a[download]')) {
    link.addEventListener('click', event => event.preventDefault());
    link.click();
    found.saved[link.download] = text;
  }
};
const opened = async (frame, saves) => {
  const page = frame.contentDocument;
  page.querySelectorAll('details').forEach(details => { details.open = true; });
  await new Promise(done => setTimeout(done, 300));
  frame.contentWindow.dispatchEvent(new frame.contentWindow.Event('resize'));
  await new Promise(done => setTimeout(done, 500));
  const wide = page.documentElement.clientWidth;
  if (page.documentElement.scrollWidth > wide) found.cut.push(`the page: ${page.documentElement.scrollWidth}`);
  look(page, wide, element => element.closest('[aria-label]')?.ariaLabel || element.id);
  for (const area of page.querySelectorAll('.scroll'))
    if (area.tabIndex !== 0 || !area.ariaLabel) found.unnamed.push(area.textContent.slice(0, 40));
  if (saves) save(frame);
  if (--left === 0) document.getElementById('found').textContent = JSON.stringify(found)
    .replace(/[<>&\u007f-\uffff]/g, sign => '\\u' + sign.charCodeAt(0).toString(16).padStart(4, '0'));
};
</script><pre id="found"></pre>)";
  const std::filesystem::path path(file);
  const std::filesystem::path frames = path.parent_path() / "frames.html";
  std::ofstream out(frames);
  out << kLook;
  for (const int width : {400, 1400})
    out << "<iframe style=\"width:" << width << "px;height:900px;border:0\" src=\""
        << path.filename().string() << "\" onload=\"opened(this," << (width == 400)
        << ")\"></iframe>";
  out.close();
  const std::string dom =
      in_browser(frames.string(), "--allow-file-access-from-files --window-size=1500,2000").out;
  const std::string mark = "<pre id=\"found\">";
  const std::size_t from = dom.find(mark) + mark.size();
  return nlohmann::json::parse(dom.substr(from, dom.find("</pre>", from) - from));
}

}  // namespace simtrain::testing
