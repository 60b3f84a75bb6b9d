#include "sim/workload/kernels/kernel_model.h"

#include <cmath>
#include <random>

#include <doctest/doctest.h>

#include "tests/core/error_of.h"
#include "tests/workload/recipes.h"

namespace simtrain::testing::kernel_model_test {

namespace {

using std::chrono::microseconds;
using std::chrono::nanoseconds;

constexpr std::uint64_t kSeed = 42;
constexpr double kClock = 0.5;

/// A GPU of 100 SMs and 2 TFLOP/s (1 at half the clock) whose only tile is 128 x 256; each wave
/// loses `wave_overhead`. Memory is so fast that nothing waits for it.
GpuSpec round_gpu(Duration wave_overhead, double sharpness) {
  GpuSpec spec;
  spec.sm_count.value = 100;
  spec.memory_bandwidth.value = Bandwidth(1e18);
  spec.gemm.kernel_floor.value = microseconds(1);
  spec.gemm.memory_efficiency.value = 0.5;
  spec.gemm.weight_gradient_efficiency.value = 0.8;
  spec.gemm.tiles = {{128, 256}};
  GemmRate rate;
  rate.data_type = DataType::bf16;
  rate.burst = FlopRate(2e12);
  rate.sustained = FlopRate(1e12);
  rate.wave_overhead = wave_overhead;
  rate.wave_sharpness = sharpness;
  spec.gemm.rates = {rate};
  AttentionSpec attention;
  attention.rate = FlopRate(2e12);
  attention.half_rate_sequence = 1000;
  attention.grid_penalty = 0.5;
  attention.random_numbers.value = 4e9;
  spec.attention = {attention};
  spec.streaming.kernel_floor.value = microseconds(2);
  spec.streaming.element_wise.value = 0.9;
  spec.streaming.norm_forward.value = 0.5;
  return spec;
}

Gemm bf16_gemm(std::int64_t m, std::int64_t n, std::int64_t k) {
  return {m, n, k, DataType::bf16, DataType::bf16};
}

double time_in_us(const GpuSpec& spec, const Kernel& kernel) {
  return to_seconds(FittedKernelModel(spec, kClock).time(kernel).time) * 1e6;
}

/// A kernel of any kind with sizes in the fitted range (multiples of 128, 512 to 16384).
class RandomKernels {
 public:
  explicit RandomKernels(const GpuSpec& spec) : spec_(spec) {}

  std::int64_t size() { return 128 * static_cast<std::int64_t>(4 + random_() % 125); }
  Gemm gemm() {
    const auto& rates = spec_.gemm.rates;
    Gemm result{size(), size(), size(), rates[random_() % rates.size()].data_type, DataType::bf16};
    result.accumulate = random_() % 4 == 0;
    result.sm_margin = random_() % 4 == 0 ? 16 : 0;
    return result;
  }
  Attention attention() {
    const AttentionSpec& row = spec_.attention[random_() % spec_.attention.size()];
    const auto queries = size();
    return {1 + static_cast<std::int64_t>(random_() % 4),
            1 + static_cast<std::int64_t>(random_() % 32),
            queries,
            queries,
            128,
            random_() % 2 == 0,
            row.direction,
            row.implementation};
  }
  Streaming streaming() {
    return {static_cast<StreamingKind>(random_() % 5),
            1 + static_cast<double>(random_() % 1000000000)};
  }
  Kernel any() {
    switch (random_() % 3) {
      case 0:
        return gemm();
      case 1:
        return attention();
      default:
        return streaming();
    }
  }

 private:
  const GpuSpec& spec_;
  std::mt19937_64 random_{kSeed};
};

/// Bytes that a kernel must move at least, whatever it is made of.
double least_bytes(const Kernel& kernel) {
  if (const auto* streaming = std::get_if<Streaming>(&kernel)) return streaming->bytes;
  if (const auto* gemm = std::get_if<Gemm>(&kernel)) {
    const auto output = gemm->m * gemm->n * bytes_of(gemm->output);
    return static_cast<double>((gemm->m + gemm->n) * gemm->k * bytes_of(gemm->type) +
                               output * (gemm->accumulate ? 2 : 1));
  }
  return 0;
}

DataType type_of(const Kernel& kernel) {
  const auto* gemm = std::get_if<Gemm>(&kernel);
  return gemm != nullptr ? gemm->type : DataType::bf16;
}

template <class Check>
void on_every_gpu(const Check& check) {
  for (const std::string& name : data_folder().names("hardware/gpus")) {
    const GpuSpec spec = gpu(name);
    RandomKernels kernels(spec);
    for (int i = 0; i < 500; ++i) {
      INFO("seed ", kSeed, ", ", name, ", case ", i);
      check(spec, kernels);
    }
  }
}

}  // namespace

TEST_CASE("the FLOPs of a GEMM are 2 m n k") {
  CHECK(kernel_flops(bf16_gemm(100, 200, 300)) == 2.0 * 100 * 200 * 300);
}

TEST_CASE("causal attention counts half the square, the backward two and a half times that") {
  Attention attention{2, 4, 1024, 1024, 128, false, Direction::forward, AttentionKernel::cudnn};
  const double whole = 4.0 * 2 * 4 * 1024 * 1024 * 128;
  CHECK(kernel_flops(attention) == whole);
  attention.causal = true;
  CHECK(kernel_flops(attention) == whole / 2);
  attention.direction = Direction::backward;
  CHECK(kernel_flops(attention) == whole / 2 * 2.5);
  attention.value_dimension = 64;
  CHECK(kernel_flops(attention) == whole / 2 / 4 / 128 * 2 * (3 * 128 + 2 * 64));
}

TEST_CASE("a GEMM of one full wave takes the floor, its tiles and one wave's overhead") {
  // 10 x 10 tiles of 2 * 128 * 256 * 1000 FLOPs at 0.01 TFLOP/s an SM.
  CHECK(time_in_us(round_gpu(microseconds(1), 0), bf16_gemm(1280, 2560, 1000)) ==
        doctest::Approx(1 + 6553.6 + 1));
}

TEST_CASE("a tenth of a wave more costs between a tenth and a whole wave, by sharpness") {
  // 11 x 10 tiles; the overhead is so long that splitting k does not pay.
  const double wave = 6553.6 + 100000;
  const auto gemm = bf16_gemm(1408, 2560, 1000);
  CHECK(time_in_us(round_gpu(microseconds(100000), 0), gemm) == doctest::Approx(1 + 1.1 * wave));
  CHECK(time_in_us(round_gpu(microseconds(100000), 0.5), gemm) == doctest::Approx(1 + 1.55 * wave));
  CHECK(time_in_us(round_gpu(microseconds(100000), 1), gemm) == doctest::Approx(1 + 2 * wave));
}

TEST_CASE("a GEMM of few tiles splits k over the idle SMs") {
  // One tile: split four ways it takes four SMs and a quarter of the time, but never less than a
  // wave's overhead.
  CHECK(time_in_us(round_gpu(microseconds(1), 0), bf16_gemm(128, 256, 1000)) ==
        doctest::Approx(1 + 6553.6 / 4 + 1));
}

TEST_CASE("a weight gradient runs at the further efficiency") {
  Gemm gemm = bf16_gemm(1280, 2560, 1000);
  gemm.accumulate = true;
  CHECK(time_in_us(round_gpu(Duration(0), 0), gemm) == doctest::Approx(1 + 6553.6 / 0.8));
}

TEST_CASE("a GEMM that waits for memory takes its bytes over the bandwidth that GEMMs reach") {
  GpuSpec spec = round_gpu(Duration(0), 0);
  spec.memory_bandwidth.value = Bandwidth(1e9);
  const double bytes = 2 * (1280.0 * 100 + 2560 * 100 + 1280 * 2560);
  const KernelTime time = FittedKernelModel(spec, kClock).time(bf16_gemm(1280, 2560, 100));
  CHECK(to_seconds(time.time) == doctest::Approx(1e-6 + bytes / 0.5e9));
  CHECK(time.memory_bound == doctest::Approx(1).epsilon(0.001));
  CHECK(time.sm_bound == 0);
}

TEST_CASE("where arithmetic and memory traffic are equal, a GEMM takes a fifth longer") {
  GpuSpec spec = round_gpu(Duration(0), 0);
  const double bytes = 2 * (1280.0 * 1000 + 2560 * 1000 + 1280 * 2560);
  spec.memory_bandwidth.value = Bandwidth(bytes / 0.5 / 6553.6e-6);
  CHECK(time_in_us(spec, bf16_gemm(1280, 2560, 1000)) ==
        doctest::Approx(1 + 6553.6 * std::pow(2, 0.25)));
}

TEST_CASE("a tile that is too large for one SM takes a pair of SMs at the rate of both") {
  GpuSpec spec = round_gpu(Duration(0), 1);
  spec.gemm.tiles = {{256, 256}};
  // 5 x 10 tiles fill the 50 pairs once.
  CHECK(time_in_us(spec, bf16_gemm(1280, 2560, 1000)) == doctest::Approx(1 + 6553.6));
}

TEST_CASE("SMs left free for a communication kernel slow a GEMM") {
  Gemm gemm = bf16_gemm(1280, 2560, 1000);
  gemm.sm_margin = 20;
  CHECK(time_in_us(round_gpu(Duration(0), 0), gemm) == doctest::Approx(1 + 6553.6 / 0.8));
  // Waves that take long to start are not split: 100 tiles on 80 SMs are two whole ones.
  CHECK(time_in_us(round_gpu(microseconds(100000), 1), gemm) ==
        doctest::Approx(1 + 2 * (6553.6 + 100000)));
}

TEST_CASE("a GEMM draws what holds it at its sustained rate, less for SMs that it leaves free") {
  GpuSpec spec = round_gpu(Duration(0), 0);
  spec.power.exponent.value = 2.5;
  Gemm gemm = bf16_gemm(1280, 2560, 1000);
  CHECK(FittedKernelModel(spec).time(gemm).draw == doctest::Approx(std::pow(2.0, 2.5)));
  gemm.sm_margin = 25;
  CHECK(FittedKernelModel(spec).time(gemm).draw == doctest::Approx(0.75 * std::pow(2.0, 2.5)));
}

TEST_CASE("causal attention takes its FLOPs at the rate that sequence and grid leave") {
  // 100 heads x 8 blocks of 128 rows over 100 SMs: 8 waves. The rate was measured at full clocks
  // and a step runs at half of them: 1 TFLOP/s.
  const Attention attention{
      1, 100, 1024, 1024, 128, true, Direction::forward, AttentionKernel::cudnn};
  const double flops = 4.0 * 100 * 1024 * 1024 * 128 / 2;
  CHECK(time_in_us(round_gpu(Duration(0), 0), attention) ==
        doctest::Approx(1 + flops * (1 + 1000.0 / 1024) * (1 + 0.5 / 8) / 1e12 * 1e6));
}

TEST_CASE("dense blocks are alike: a thin grid costs them nothing until SMs are without one") {
  Attention attention{1, 100, 1024, 1024, 128, false, Direction::forward, AttentionKernel::cudnn};
  const double work = 4.0 * 100 * 1024 * 1024 * 128 * (1 + 175.0 / 1024) / 1e12 * 1e6;
  CHECK(time_in_us(round_gpu(Duration(0), 0), attention) == doctest::Approx(1 + work));
  attention.heads = 5;  // 40 blocks for 100 SMs
  CHECK(time_in_us(round_gpu(Duration(0), 0), attention) ==
        doctest::Approx(1 + work * 5 / 100 / 0.4));
}

TEST_CASE(
    "dropout draws a number for each pair of each head, on all SMs at the clock of the step") {
  Attention attention{2, 100, 1024, 1024, 128, true, Direction::forward, AttentionKernel::cudnn};
  const GpuSpec spec = round_gpu(Duration(0), 0);
  const auto more = [&spec](Attention drawn) {
    Attention plain = drawn;
    drawn.dropout = true;
    return time_in_us(spec, drawn) - time_in_us(spec, plain);
  };
  const double numbers = 2.0 * 100 * 1024 * 1024 / 2;
  const double drawing = numbers / (4e9 * 100 * 0.5) * 1e6;
  CHECK(more(attention) == doctest::Approx(drawing));
  attention.window = 128;
  const double seen = (1024.0 * 128 - 128.0 * 128 / 2) / (1024.0 * 1024 / 2);
  CHECK(more(attention) == doctest::Approx(seen * drawing));
}

TEST_CASE("heads of another dimension run at their share of the rate, straight between two") {
  GpuSpec spec = round_gpu(Duration(0), 0);
  Attention attention{1, 100, 1024, 1024, 64, true, Direction::forward, AttentionKernel::cudnn};
  const auto work = [&](std::int64_t dimension) {
    attention.head_dimension = dimension;
    return (time_in_us(spec, attention) - 1) / static_cast<double>(dimension);
  };
  const double whole = work(128);
  spec.attention[0].head_dimension_shares = {{64, 0.5}, {128, 1}, {256, 0.8}};
  CHECK(work(32) == doctest::Approx(whole / 0.5));
  CHECK(work(64) == doctest::Approx(whole / 0.5));
  CHECK(work(96) == doctest::Approx(whole / 0.75));
  CHECK(work(128) == doctest::Approx(whole));
  CHECK(work(192) == doctest::Approx(whole / 0.9));
  CHECK(work(512) == doctest::Approx(whole / 0.8));
}

TEST_CASE("a block of queries that is not full takes as long as a full one") {
  Attention attention{1, 100, 1000, 1024, 128, false, Direction::forward, AttentionKernel::cudnn};
  const double started = time_in_us(round_gpu(Duration(0), 0), attention);
  attention.queries = 1024;
  CHECK(started == doctest::Approx(time_in_us(round_gpu(Duration(0), 0), attention)));
}

TEST_CASE("a memory-bound kernel takes its floor and its bytes at the efficiency of its kind") {
  GpuSpec spec = round_gpu(Duration(0), 0);
  spec.memory_bandwidth.value = Bandwidth(1e12);
  CHECK(time_in_us(spec, Streaming{StreamingKind::element_wise, 9e6}) == doctest::Approx(2 + 10));
  CHECK(time_in_us(spec, Streaming{StreamingKind::norm_forward, 9e6}) == doctest::Approx(2 + 18));
}

TEST_CASE("a GEMM that waits for memory reads each operand in its own bytes") {
  GpuSpec spec = round_gpu(Duration(0), 0);
  spec.memory_bandwidth.value = Bandwidth(1e6);
  Gemm gemm = bf16_gemm(128, 256, 512);
  CHECK(gemm.x_bytes == 2);
  gemm.x_bytes = 0.5;
  gemm.w_bytes = 0.75;
  // 128 x 512 / 2 + 256 x 512 x 3/4 + 128 x 256 x 2 bytes at half of 1 MB/s.
  CHECK(time_in_us(spec, gemm) == doctest::Approx(2.0 * (32768 + 98304 + 65536)));
}

TEST_CASE("a data type that the GPU has no rate for is refused at its file") {
  GpuSpec spec = round_gpu(Duration(0), 0);
  spec.where = {"gpus/round.yaml", 1, 1};
  Gemm gemm = bf16_gemm(128, 128, 128);
  gemm.type = DataType::fp8;
  CHECK(error_of([&] { (void)FittedKernelModel(spec, kClock).time(gemm); }) ==
        "gpus/round.yaml:1:1: gemm.rates: has no row for fp8");
}

TEST_CASE("an attention kernel that the GPU has no row for is refused at its file") {
  GpuSpec spec = round_gpu(Duration(0), 0);
  spec.where = {"gpus/round.yaml", 1, 1};
  const Attention attention{
      1, 1, 128, 128, 128, true, Direction::backward, AttentionKernel::flash_attention_2};
  CHECK(error_of([&] { (void)FittedKernelModel(spec, kClock).time(attention); }) ==
        "gpus/round.yaml:1:1: attention: has no row for flash-attention-2 backward");
}

TEST_CASE("every kernel takes time, and what it is bound by is part of it") {
  on_every_gpu([](const GpuSpec& spec, RandomKernels& kernels) {
    const KernelTime time = FittedKernelModel(spec, kClock).time(kernels.any());
    CHECK(time.time > Duration(0));
    CHECK(time.sm_bound >= 0);
    CHECK(time.memory_bound >= 0);
    CHECK(time.sm_bound + time.memory_bound <= 1);
  });
}

TEST_CASE("no kernel is faster than peak FLOPs or memory bandwidth") {
  on_every_gpu([](const GpuSpec& spec, RandomKernels& kernels) {
    const Kernel kernel = kernels.any();
    const double seconds = to_seconds(FittedKernelModel(spec).time(kernel).time);
    CHECK(kernel_flops(kernel) <= seconds * spec.peak(type_of(kernel)).value());
    CHECK(least_bytes(kernel) <= seconds * spec.memory_bandwidth.value.value());
  });
}

TEST_CASE("a GEMM is never shorter for more rows, columns or depth") {
  on_every_gpu([](const GpuSpec& spec, RandomKernels& kernels) {
    const FittedKernelModel model(spec, kClock);
    const Gemm gemm = kernels.gemm();
    CAPTURE(gemm.m);
    CAPTURE(gemm.n);
    CAPTURE(gemm.k);
    for (auto dimension : {&Gemm::m, &Gemm::n, &Gemm::k}) {
      Gemm larger = gemm;
      larger.*dimension += 128;
      CHECK(model.time(larger).time >= model.time(gemm).time);
    }
  });
}

TEST_CASE("attention is never shorter for more samples, heads, queries or keys") {
  on_every_gpu([](const GpuSpec& spec, RandomKernels& kernels) {
    const FittedKernelModel model(spec, kClock);
    const Attention attention = kernels.attention();
    CAPTURE(attention.heads);
    CAPTURE(attention.queries);
    const auto grown = [&](auto dimension, std::int64_t by) {
      Attention larger = attention;
      larger.*dimension += by;
      return model.time(larger).time;
    };
    const Duration time = model.time(attention).time;
    CHECK(grown(&Attention::batch, 1) >= time);
    CHECK(grown(&Attention::heads, 1) >= time);
    CHECK(grown(&Attention::queries, 128) >= time);
    CHECK(grown(&Attention::keys, 128) >= time);
  });
}

TEST_CASE("a memory-bound kernel is never shorter for more bytes") {
  on_every_gpu([](const GpuSpec& spec, RandomKernels& kernels) {
    const FittedKernelModel model(spec, kClock);
    const Streaming streaming = kernels.streaming();
    CHECK(model.time(Streaming{streaming.kind, streaming.bytes * 1.1}).time >=
          model.time(streaming).time);
  });
}

TEST_CASE("a GEMM is never faster for fewer SMs") {
  on_every_gpu([](const GpuSpec& spec, RandomKernels& kernels) {
    const FittedKernelModel model(spec, kClock);
    Gemm gemm = kernels.gemm();
    const Duration time = model.time(gemm).time;
    gemm.sm_margin += 8;
    CHECK(model.time(gemm).time >= time);
  });
}

}  // namespace simtrain::testing::kernel_model_test
