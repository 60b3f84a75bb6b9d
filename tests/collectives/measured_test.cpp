// Predictions against measured calls on one node of 8 GPUs. Source of all rows: nccl-tests figures
// in github ai-dynamo/aiconfigurator (095f58a), systems/data/{h100,b200}_sxm/comm/nccl, half, out
// of place; version and time as there.
#include <doctest/doctest.h>

#include "tests/collectives/environment.h"

using namespace simtrain;
using simtrain::testing::kMiB;
using simtrain::testing::Setup;

namespace {

struct Measured {
  const char* nccl;
  Collective collective;
  std::int64_t mebibytes;
  double microseconds;
};

void check(const Setup& setup, const Measured& row, double bound) {
  CAPTURE(row.nccl);
  CAPTURE(row.mebibytes);
  CAPTURE(name_of(row.collective));
  const Duration time = setup.time(row.collective, kMiB * row.mebibytes, 8);
  CHECK(to_seconds(time) * 1e6 / row.microseconds == doctest::Approx(1).epsilon(bound / 2));
}

}  // namespace

// doctest::Approx(1).epsilon(e) accepts |x - 1| < e * (1 + 1), hence the halved bounds above.
TEST_CASE("all-gather and reduce-scatter on 8 H100 are within 15 % from 64 MiB on") {
  const Setup setup("dgx-superpod-h100", 1);
  for (const Measured& row : {Measured{"2.23", Collective::all_gather, 64, 213.9},
                              Measured{"2.23", Collective::all_gather, 256, 747.1},
                              Measured{"2.23", Collective::all_gather, 512, 1424.6},
                              Measured{"2.23", Collective::reduce_scatter, 64, 204.9},
                              Measured{"2.23", Collective::reduce_scatter, 512, 1407.1},
                              Measured{"2.29.2", Collective::all_gather, 128, 392.82},
                              Measured{"2.29.2", Collective::reduce_scatter, 256, 721.72}}) {
    check(setup, row, 0.15);
  }
}

TEST_CASE("all-gather and reduce-scatter on 8 B200 are within 15 % from 128 MiB on") {
  const Setup setup("dgx-superpod-b200", 1);
  for (const Measured& row : {Measured{"2.27.5", Collective::all_gather, 128, 215.25},
                              Measured{"2.27.5", Collective::all_gather, 512, 788.37},
                              Measured{"2.27.5", Collective::reduce_scatter, 256, 403.79},
                              Measured{"2.28.9", Collective::all_gather, 256, 397.59},
                              Measured{"2.28.9", Collective::reduce_scatter, 128, 207.33},
                              Measured{"2.29.2", Collective::reduce_scatter, 512, 766.45}}) {
    check(setup, row, 0.15);
  }
}

// The hop latencies of LL128 and Simple are NCCL's own, made for Hopper: optimistic on Blackwell.
TEST_CASE("all-gather and reduce-scatter of 64 MiB on 8 B200 are within 20 %") {
  const Setup setup("dgx-superpod-b200", 1);
  for (const Measured& row : {Measured{"2.27.5", Collective::all_gather, 64, 140.72},
                              Measured{"2.27.5", Collective::reduce_scatter, 64, 139.71},
                              Measured{"2.29.2", Collective::all_gather, 64, 137.52},
                              Measured{"2.29.2", Collective::reduce_scatter, 64, 136.24}}) {
    check(setup, row, 0.20);
  }
}
