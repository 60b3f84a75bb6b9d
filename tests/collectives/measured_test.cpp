// Predictions against single measured calls, of sources that validation/nccl/curves.yaml names too;
// the whole of that file is tested where the study is.
#include <doctest/doctest.h>

#include "tests/collectives/environment.h"

namespace simtrain::testing::measured_test {

namespace {

struct Measured {
  const char* cluster;
  NcclVersion version;
  int ranks;
  Collective collective;
  std::int64_t mebibytes;
  double microseconds;
};

void check(const Measured& row, double bound) {
  const Setup setup(row.cluster, 4, row.version);
  const std::string nccl = row.version.text();
  CAPTURE(row.cluster);
  CAPTURE(nccl);
  CAPTURE(row.ranks);
  CAPTURE(name_of(row.collective));
  CAPTURE(row.mebibytes);
  const Duration time = setup.time(row.collective, kMiB * row.mebibytes, row.ranks);
  CHECK(std::abs(to_seconds(time) * 1e6 / row.microseconds - 1) < bound);
}

constexpr const char* kH100 = "dgx-superpod-h100";
constexpr const char* kB200 = "dgx-superpod-b200";

}  // namespace

// github ai-dynamo/aiconfigurator (095f58a), systems/data/{h100,b200}_sxm/comm/nccl, half, out of
// place.
TEST_CASE("gathers and scatters on 8 H100 and 8 B200 are within 10 % from 64 MiB on") {
  for (const Measured& row :
       {Measured{kH100, {2, 23, 4}, 8, Collective::all_gather, 64, 213.9},
        Measured{kH100, {2, 23, 4}, 8, Collective::all_gather, 512, 1424.6},
        Measured{kH100, {2, 23, 4}, 8, Collective::reduce_scatter, 64, 204.9},
        Measured{kH100, {2, 29, 2}, 8, Collective::all_gather, 128, 392.82},
        Measured{kH100, {2, 29, 2}, 8, Collective::reduce_scatter, 256, 721.72},
        Measured{kB200, {2, 27, 5}, 8, Collective::all_gather, 64, 140.72},
        Measured{kB200, {2, 27, 5}, 8, Collective::all_gather, 512, 788.37},
        Measured{kB200, {2, 28, 9}, 8, Collective::reduce_scatter, 128, 207.33},
        Measured{kB200, {2, 29, 2}, 8, Collective::reduce_scatter, 64, 136.24},
        Measured{kB200, {2, 29, 2}, 8, Collective::reduce_scatter, 512, 766.45}}) {
    check(row, 0.10);
  }
}

// The same, 2 B200: a ring of one hop, LL up to 2 MiB and Simple from 4 MiB on.
TEST_CASE("all-reduces on 2 B200 are within 10 % from 1 MiB on") {
  for (const Measured& row : {Measured{kB200, {2, 28, 9}, 2, Collective::all_reduce, 1, 14.73},
                              Measured{kB200, {2, 28, 9}, 2, Collective::all_reduce, 2, 19.85},
                              Measured{kB200, {2, 28, 9}, 2, Collective::all_reduce, 64, 151.16},
                              Measured{kB200, {2, 28, 9}, 2, Collective::all_reduce, 512, 1030.51}})
    check(row, 0.10);
}

// Google Cloud documents, NCCL tests on two A4 machines.
TEST_CASE("large calls on two A4 machines are within 10 %") {
  for (const Measured& row :
       {Measured{"gcp-a4", {2, 26, 2}, 16, Collective::all_gather, 256, 842.4},
        Measured{"gcp-a4", {2, 26, 2}, 16, Collective::all_gather, 1024, 2976.7},
        Measured{"gcp-a4", {2, 26, 2}, 16, Collective::all_gather, 8192, 23379},
        Measured{"gcp-a4", {2, 26, 2}, 16, Collective::all_reduce, 512, 1808.9},
        Measured{"gcp-a4", {2, 26, 2}, 16, Collective::all_reduce, 8192, 23842}}) {
    check(row, 0.10);
  }
}

}  // namespace simtrain::testing::measured_test
