#include "sim/output/html/picture.h"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>

#include "sim/output/html/template.h"

namespace simtrain {
namespace {

constexpr std::string_view kShapes = R"(
text{font-family:system-ui,"Segoe UI",Helvetica,Arial,sans-serif;font-size:13px}
.heading{font-size:22px;font-weight:600}.level{font-weight:600;font-size:14px}
.small{font-size:11px;text-anchor:middle}.middle{text-anchor:middle}
.onswitch{font-weight:600;font-size:11px;text-anchor:middle}
path{fill:none;stroke-opacity:.45}.dim{opacity:.3}.mark{stroke-width:2}
)";

/// Colours by what they are for. Viewers know less CSS than browsers: no variables.
struct Palette {
  std::string_view paper, ink, soft, line, frame, card, plain, mark;
  std::array<std::string_view, kRailColours> rails;
};

constexpr Palette kLight{
    "#ffffff",
    "#1b2430",
    "#5b6675",
    "#c3cad4",
    "#f3f5f8",
    "#ffffff",
    "#8a94a3",
    "#111111",
    {"#2f6fd6", "#0f9a8a", "#5f9e1f", "#c99a06", "#e0701a", "#d23f57", "#a24bc4", "#6a5be0"}};
constexpr Palette kDark{
    "#12161c",
    "#e8ecf2",
    "#9aa6b5",
    "#3b4552",
    "#1a2029",
    "#202833",
    "#77828f",
    "#ffffff",
    {"#4f86de", "#2aa596", "#74ab39", "#c7a32c", "#d97f3c", "#d85d71", "#b06fcc", "#8175e6"}};

std::string colours(const Palette& palette) {
  std::string out = fmt::format(
      "text{{fill:{1}}}.paper{{fill:{0}}}.soft,.small{{fill:{2}}}.frame{{fill:{4};stroke:{3}}}"
      ".card,.switch{{fill:{5};stroke:{6}}}.host{{fill:{4}}}path{{stroke:{6}}}rect.norail{{fill:{6}"
      "}}"
      ".mark{{stroke:{7}}}.onswitch{{fill:#fff}}\n",
      palette.paper, palette.ink, palette.soft, palette.line, palette.frame, palette.card,
      palette.plain, palette.mark);
  for (std::size_t rail = 0; rail < palette.rails.size(); ++rail) {
    out += fmt::format("rect.rail{0}{{fill:{1}}}path.rail{0}{{stroke:{1}}}", rail,
                       palette.rails[rail]);
  }
  return out + "\n";
}

constexpr std::string_view kMaker = "<!-- made by simtrain -->\n";

std::string style_sheet() {
  return fmt::format("<style>{}{}@media (prefers-color-scheme:dark){{\n{}}}\n</style>\n", kShapes,
                     colours(kLight), colours(kDark));
}

/// For text between tags and in attributes. Names are ASCII; anything else is shown as '?'.
std::string escaped(std::string_view text) {
  std::string ascii(text);
  std::replace_if(
      ascii.begin(), ascii.end(), [](char c) { return c < 0x20 || c >= 0x7f; }, '?');
  return html_text(ascii);
}

/// A length with at most one decimal.
std::string px(double value) {
  std::string text = fmt::format("{:.1f}", value);
  if (text.ends_with(".0")) text.resize(text.size() - 2);
  return text;
}

std::string title_tag(const std::string& title) {
  return title.empty() ? "" : fmt::format("<title>{}</title>", escaped(title));
}

void add_boxes(std::string& out, const std::vector<PictureBox>& boxes) {
  for (const PictureBox& box : boxes) {
    out += fmt::format(R"(<rect x="{}" y="{}" width="{}" height="{}" rx="{}" class="{}">{}</rect>)"
                       "\n",
                       px(box.x), px(box.y), px(box.width), px(box.height), box.height < 20 ? 2 : 5,
                       box.style, title_tag(box.title));
  }
}

void add_wires(std::string& out, const std::vector<PictureWire>& wires) {
  for (const PictureWire& wire : wires) {
    const bool level = wire.y1 == wire.y2;  // beside each other: an arch above both
    const double middle = level ? wire.y1 - 40 : (wire.y1 + wire.y2) / 2;
    out +=
        fmt::format(R"(<path d="M{} {}C{} {} {} {} {} {}" stroke-width="{}" class="{}">{}</path>)"
                    "\n",
                    px(wire.x1), px(wire.y1), px(wire.x1), px(middle), px(wire.x2), px(middle),
                    px(wire.x2), px(wire.y2), px(wire.width), wire.style, title_tag(wire.title));
  }
}

void add_texts(std::string& out, const std::vector<PictureText>& texts) {
  for (const PictureText& text : texts) {
    out += fmt::format("<text x=\"{}\" y=\"{}\" class=\"{}\">{}</text>\n", px(text.x), px(text.y),
                       text.style, escaped(text.text));
  }
}

}  // namespace

bool is_own_drawing(std::string_view start) {
  return start.starts_with("<svg ") && start.find(kMaker) < start.find("<title>");
}

std::string svg_text(const Picture& picture) {
  std::string out = fmt::format(
      R"(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {0} {1}" width="{0}" height="{1}" role="img">)"
      "\n{4}<title>{2}</title>\n<desc>{3}</desc>\n",
      px(picture.width), px(picture.height), escaped(picture.title), escaped(picture.description),
      kMaker);
  out += style_sheet();
  out += fmt::format("<rect width=\"{}\" height=\"{}\" class=\"paper\"/>\n", px(picture.width),
                     px(picture.height));
  add_boxes(out, picture.frames);
  add_wires(out, picture.wires);
  add_boxes(out, picture.boxes);
  add_texts(out, picture.texts);
  return out + "</svg>\n";
}

}  // namespace simtrain
