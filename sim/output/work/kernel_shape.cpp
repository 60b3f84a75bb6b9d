#include "sim/output/work/kernel_shape.h"

#include <cmath>

#include <fmt/format.h>

#include "sim/output/text/unit_text.h"

namespace simtrain {
namespace {

struct ShapeText {
  std::string operator()(const Gemm& gemm) const {
    std::string text = fmt::format("{} x {} x {}", gemm.m, gemm.n, gemm.k);
    if (gemm.groups > 1) text += fmt::format(", {} of them", gemm.groups);
    return text;
  }
  std::string operator()(const Attention& attention) const {
    std::string text = fmt::format("{} heads, {} x {}, d {}", attention.batch * attention.heads,
                                   attention.queries, attention.keys, attention.head_dimension);
    if (attention.window > 0) text += fmt::format(", window {}", attention.window);
    return text;
  }
  std::string operator()(const Streaming& streaming) const {
    return call_size(Bytes(std::llround(streaming.bytes)));
  }
};

struct ShapeJson {
  nlohmann::ordered_json operator()(const Gemm& gemm) const {
    return {{"m", gemm.m}, {"n", gemm.n}, {"k", gemm.k}, {"groups", gemm.groups}};
  }
  nlohmann::ordered_json operator()(const Attention& attention) const {
    return {{"batch", attention.batch},     {"heads", attention.heads},
            {"queries", attention.queries}, {"keys", attention.keys},
            {"window", attention.window},   {"head_dimension", attention.head_dimension}};
  }
  nlohmann::ordered_json operator()(const Streaming& streaming) const {
    return {{"bytes", streaming.bytes}};
  }
};

}  // namespace

std::string shape_text(const Kernel& kernel) { return std::visit(ShapeText(), kernel); }

nlohmann::ordered_json shape_json(const Kernel& kernel) { return std::visit(ShapeJson(), kernel); }

}  // namespace simtrain
