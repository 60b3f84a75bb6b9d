#include "sim/study/fit/kernel_points.h"

#include <filesystem>
#include <initializer_list>
#include <system_error>

#include <fmt/format.h>

#include "sim/core/files/csv_reader.h"
#include "sim/core/fingerprint.h"

namespace simtrain {
namespace {

/// Data types that GEMMs are measured with; the kernel model knows all but the last.
enum class MeasuredType { bf16, fp8, fp8_block, mxfp8, nvfp4, fp16 };

}  // namespace

template <>
struct EnumNames<MeasuredType> {
  static constexpr std::array rows{
      std::pair{std::string_view("bf16"), MeasuredType::bf16},
      std::pair{std::string_view("fp8"), MeasuredType::fp8},
      std::pair{std::string_view("fp8_block"), MeasuredType::fp8_block},
      std::pair{std::string_view("mxfp8"), MeasuredType::mxfp8},
      std::pair{std::string_view("nvfp4"), MeasuredType::nvfp4},
      std::pair{std::string_view("fp16"), MeasuredType::fp16}};
};

namespace {

constexpr Limits kSize{1, 1e7};
constexpr Limits kRate{1e-3, 1e6};

/// What every point has beside its shape and figure.
struct PointRow {
  std::string source;
  std::string gpu;
  std::string notes;
  SourcePlace where;
};

struct GemmRow : PointRow {
  MeasuredType data_type{};
  KernelRun run{};
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t k = 0;
  double tflops = 0;
  template <class Visitor>
  void fields(Visitor& v) {
    v("source", source);
    v("gpu", gpu);
    v("data_type", data_type);
    v("run", run);
    v("m", m, kSize);
    v("n", n, kSize);
    v("k", k, kSize);
    v("tflops", tflops, kRate);
    v.optional("notes", notes);
  }
};

struct AttentionRow : PointRow {
  std::string implementation;
  Direction direction{};
  int causal = 0;
  std::int64_t batch = 0;
  std::int64_t queries = 0;
  std::int64_t keys = 0;
  std::int64_t heads = 0;
  std::int64_t query_groups = 0;
  std::int64_t head_dimension = 0;
  std::int64_t value_dimension = 0;
  double tflops = 0;
  template <class Visitor>
  void fields(Visitor& v) {
    v("source", source);
    v("gpu", gpu);
    v("implementation", implementation);
    v("direction", direction);
    v("causal", causal, Limits{0, 1});
    v("batch", batch, kSize);
    v("queries", queries, kSize);
    v("keys", keys, kSize);
    v("heads", heads, Limits{1, 1e4});
    v("query_groups", query_groups, Limits{1, 1e4});
    v("head_dimension", head_dimension, Limits{1, 1e4});
    v("value_dimension", value_dimension, Limits{1, 1e4});
    v("tflops", tflops, kRate);
    v.optional("notes", notes);
  }
};

struct StreamingRow : PointRow {
  std::string kernel;
  Direction direction{};
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  double bytes = 0;
  double us = 0;
  template <class Visitor>
  void fields(Visitor& v) {
    v("source", source);
    v("gpu", gpu);
    v("kernel", kernel);
    v("direction", direction);
    v("rows", rows, Limits{1, 1e12});
    v("columns", columns, Limits{1, 1e12});
    v("bytes", bytes, Limits{1, 1e13});
    v("us", us, Limits{1e-3, 1e9});
    v.optional("notes", notes);
  }
};

/// Which kind of the kernel model a measured streaming kernel is.
struct StreamingName {
  std::string_view kernel;
  StreamingKind forward;
  StreamingKind backward;
};
constexpr std::array kStreamingNames{
    StreamingName{"cast", StreamingKind::cast, StreamingKind::cast},
    StreamingName{"cast_mxfp8", StreamingKind::block_cast, StreamingKind::block_cast},
    StreamingName{"amax", StreamingKind::amax, StreamingKind::amax},
    StreamingName{"rms_norm", StreamingKind::norm_forward, StreamingKind::norm_backward},
    StreamingName{"layer_norm", StreamingKind::norm_forward, StreamingKind::norm_backward},
    StreamingName{"swiglu", StreamingKind::element_wise, StreamingKind::element_wise},
    StreamingName{"relu_squared", StreamingKind::element_wise, StreamingKind::element_wise},
    StreamingName{"rope", StreamingKind::element_wise, StreamingKind::element_wise},
    StreamingName{"add", StreamingKind::element_wise, StreamingKind::element_wise},
    StreamingName{"cross_entropy", StreamingKind::cross_entropy, StreamingKind::cross_entropy}};

/// What the kernel model has a rate of, and the bytes of an operand's element with its scales.
struct MeasuredFormat {
  MeasuredType measured;
  DataType type;
  double bytes;
};
constexpr std::array kMeasuredFormats{
    MeasuredFormat{MeasuredType::bf16, DataType::bf16, 2},
    MeasuredFormat{MeasuredType::fp8, DataType::fp8, 1},
    MeasuredFormat{MeasuredType::fp8_block, DataType::fp8_block, 1 + 4.0 / 128},
    MeasuredFormat{MeasuredType::mxfp8, DataType::mxfp8, 1 + 1.0 / 32},
    MeasuredFormat{MeasuredType::nvfp4, DataType::nvfp4, 0.5 + 1.0 / 16}};

KernelPoint point_of(const PointRow& row, KernelFamily family) {
  KernelPoint point;
  point.family = family;
  point.gpu = row.gpu;
  point.fitted = !row.notes.starts_with("not fitted");
  point.source = row.source;
  point.where = row.where;
  return point;
}

std::uint64_t hash_of(std::initializer_list<std::int64_t> sizes) {
  Fingerprint hash;
  for (const std::int64_t size : sizes) hash.add(static_cast<std::uint64_t>(size));
  return hash.value();
}

std::string shape_of(const GemmRow& row) {
  if (row.m % 64 + row.n % 64 + row.k % 64 != 0) return "odd";
  if (row.m < 1024) return "m < 1024";
  if (row.n < 4096 && row.k < 4096) return "n, k < 4096";
  if (row.n < 4096) return "n < 4096";
  if (row.k < 4096) return "k < 4096";
  return "large";
}

std::string shape_of(const AttentionRow& row) {
  std::string shape = fmt::format("d {}", row.head_dimension);
  if (row.value_dimension != row.head_dimension) shape += fmt::format("/{}", row.value_dimension);
  if (row.causal == 0) shape += ", dense";
  if (row.batch * row.heads < 16) shape += ", few heads";
  return shape;
}

KernelPoint to_point(const GemmRow& row) {
  KernelPoint point = point_of(row, KernelFamily::gemm);
  point.variant = name_of(row.data_type);
  if (row.run == KernelRun::sustained) point.variant += " sustained";
  point.shape = shape_of(row);
  point.run = row.run;
  Gemm gemm{row.m, row.n, row.k, DataType::bf16, DataType::bf16};
  for (const MeasuredFormat& format : kMeasuredFormats) {
    if (format.measured != row.data_type) continue;
    gemm.type = format.type;
    gemm.x_bytes = gemm.w_bytes = format.bytes;
    point.kernel = gemm;
  }
  point.shape_hash = hash_of({row.m, row.n, row.k});
  point.measured_s = kernel_flops(gemm) / (row.tflops * 1e12);
  return point;
}

KernelPoint to_point(const AttentionRow& row) {
  KernelPoint point = point_of(row, KernelFamily::attention);
  point.variant = fmt::format("{} {}", row.implementation, name_of(row.direction));
  point.shape = shape_of(row);
  Attention attention{row.batch,          row.heads,       row.queries,  row.keys,
                      row.head_dimension, row.causal == 1, row.direction};
  attention.value_dimension = row.value_dimension;
  for (const auto& [name, implementation] : EnumNames<AttentionKernel>::rows) {
    if (name != row.implementation) continue;
    attention.implementation = implementation;
    point.kernel = attention;
  }
  point.shape_hash = hash_of({row.batch, row.queries, row.keys, row.heads, row.head_dimension,
                              row.value_dimension, row.causal});
  point.measured_s = kernel_flops(attention) / (row.tflops * 1e12);
  return point;
}

KernelPoint to_point(const StreamingRow& row) {
  KernelPoint point = point_of(row, KernelFamily::streaming);
  point.variant = fmt::format("{} {}", row.kernel, name_of(row.direction));
  point.shape = row.bytes < 64e6 ? "below 64 MB" : "64 MB and more";
  for (const StreamingName& name : kStreamingNames) {
    if (name.kernel != row.kernel) continue;
    const bool forward = row.direction == Direction::forward;
    point.kernel = Streaming{forward ? name.forward : name.backward, row.bytes};
  }
  point.shape_hash = hash_of({row.rows, row.columns});
  point.measured_s = row.us * 1e-6;
  return point;
}

template <class Row>
void load(const std::string& path, std::vector<KernelPoint>& points) {
  std::error_code error;
  const bool there = std::filesystem::exists(path, error);
  if (error) throw InputError({path}, "", "cannot be opened: " + error.message());
  if (!there) return;
  const auto rows = read_csv<Row>(load_csv_file(path, field_names<Row>()));
  points.reserve(points.size() + rows.size());
  for (const Row& row : rows) points.push_back(to_point(row));
}

}  // namespace

std::vector<KernelPoint> load_kernel_points(const std::string& folder) {
  std::vector<KernelPoint> points;
  load<GemmRow>(folder + "/gemm.csv", points);
  load<AttentionRow>(folder + "/attention.csv", points);
  load<StreamingRow>(folder + "/streaming.csv", points);
  if (points.empty()) {
    throw InputError({folder}, "",
                     "holds no points; name a folder with gemm.csv, attention.csv or "
                     "streaming.csv, such as hardware/measured/published");
  }
  return points;
}

}  // namespace simtrain
