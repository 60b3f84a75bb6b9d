#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace simtrain {

// A drawing of boxes, wires and texts. `style` names classes of the style sheet in picture.cpp.
// Lengths in pixels, y downwards.

struct PictureBox {
  double x = 0;
  double y = 0;
  double width = 0;
  double height = 0;
  std::string style;
  std::string title;  ///< what it is, for those who point at it or cannot see it
};

/// A smooth curve from (x1, y1) to (x2, y2) that leaves and arrives vertically.
struct PictureWire {
  double x1 = 0;
  double y1 = 0;
  double x2 = 0;
  double y2 = 0;
  double width = 1;
  std::string style;
  std::string title;
};

struct PictureText {
  double x = 0;
  double y = 0;
  std::string text;
  std::string style;
};

/// Drawn in this order: frames, wires, boxes, texts.
struct Picture {
  double width = 0;
  double height = 0;
  std::string title;
  std::string description;
  std::vector<PictureBox> frames;
  std::vector<PictureWire> wires;
  std::vector<PictureBox> boxes;
  std::vector<PictureText> texts;
};

/// The picture as a self-contained SVG with a light and a dark style.
std::string svg_text(const Picture& picture);

/// Whether a file that starts so is such a document.
bool is_own_drawing(std::string_view start);

/// How many rail colours the style sheet has: styles "rail0", "rail1", ...
inline constexpr int kRailColours = 8;

}  // namespace simtrain
