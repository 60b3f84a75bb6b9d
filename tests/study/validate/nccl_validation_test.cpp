#include "sim/study/nccl/nccl_validation.h"

#include <functional>
#include <map>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "tests/cli/program.h"
#include "tests/core/checkout.h"
#include "tests/core/error_of.h"

namespace simtrain::testing::nccl_validation_test {

namespace {

CurvePoint point(double measured, double predicted) {
  CurvePoint result;
  result.measured_s = measured;
  result.predicted_s = predicted;
  return result;
}

CurveSummary summary(const std::vector<CurvePoint>& points) {
  std::vector<const CurvePoint*> all;
  all.reserve(points.size());
  for (const CurvePoint& one : points) all.push_back(&one);
  return summarize(all);
}

}  // namespace

TEST_CASE("the error of a point is what the prediction is above the measured time") {
  CHECK(point(2, 3).error() == doctest::Approx(0.5));
  CHECK(point(4, 3).error() == doctest::Approx(-0.25));
}

TEST_CASE("a summary has median and 90th percentile of the size of errors, and signed bias") {
  // Errors of -50, -10, 0, +20 and +30 %.
  const CurveSummary five =
      summary({point(10, 12), point(10, 5), point(10, 10), point(10, 13), point(10, 9)});
  CHECK(five.points == 5);
  CHECK(five.median == doctest::Approx(0.2));
  CHECK(five.percentile_90 == doctest::Approx(0.3 + 0.6 * 0.2));  // at place 3.6 of 0 to 4
  CHECK(five.bias == doctest::Approx(0));
}

TEST_CASE("the median of two lies between them, that of one is it") {
  const CurveSummary two = summary({point(10, 12), point(10, 9)});
  CHECK(two.median == doctest::Approx(0.15));
  CHECK(two.percentile_90 == doctest::Approx(0.19));
  CHECK(two.bias == doctest::Approx(0.05));
  const CurveSummary one = summary({point(10, 12)});
  CHECK(one.median == doctest::Approx(0.2));
  CHECK(one.percentile_90 == doctest::Approx(0.2));
}

TEST_CASE("a summary of nothing is of no points") {
  CHECK(summary({}).points == 0);
  CHECK(summary({}).percentile_90 == 0);
}

// From 1 MiB on, medians stay within 8 % and 90th percentiles within 20 %. Machines and collectives
// that miss this are named with what they reach, so that none gets worse unseen.
TEST_CASE("measured NCCL curves are met within the bounds of their machine and collective") {
  struct Bound {
    double median;
    double percentile_90;
  };
  using Group = std::pair<std::string, std::string>;
  const std::map<Group, Bound> missing{{{"A100 node", "all_gather"}, {0.08, 0.228}},
                                       {{"A100 node", "alltoall"}, {0.08, 0.245}},
                                       {{"B200 A4", "all_gather"}, {0.08, 0.268}},
                                       {{"B200 InfiniBand", "all_gather"}, {0.184, 0.268}},
                                       {{"B200 InfiniBand", "reduce_scatter"}, {0.169, 0.269}},
                                       {{"B300 node", "all_reduce"}, {0.08, 0.274}},
                                       {{"GB200 NVL72", "all_gather"}, {0.096, 0.292}},
                                       {{"GB300 NVL72", "alltoall"}, {0.116, 0.252}},
                                       {{"H100 InfiniBand", "all_gather"}, {0.282, 0.282}},
                                       {{"H100 InfiniBand", "alltoall"}, {0.093, 0.2}},
                                       {{"H200 A3 Ultra", "all_reduce"}, {0.082, 0.242}}};

  const std::vector<CurvePoint> points =
      validate_curves(DataFolder(simtrain::testing::source_dir()),
                      simtrain::testing::source_dir() + "/validation/nccl/curves.yaml");
  std::map<Group, std::vector<const CurvePoint*>> groups;
  for (const CurvePoint& one : points) {
    if (one.bytes >= 1 << 20) groups[{one.machine, one.collective}].push_back(&one);
  }
  CHECK(groups.size() == 43);
  for (const auto& [group, members] : groups) {
    const auto named = missing.find(group);
    const Bound bound = named == missing.end() ? Bound{0.08, 0.20} : named->second;
    const CurveSummary reached = summarize(members);
    const auto& [machine, collective] = group;
    const std::string shown =
        fmt::format("{}, {}: {} points, median {:.4f}, 90th percentile {:.4f}", machine, collective,
                    reached.points, reached.median, reached.percentile_90);
    CAPTURE(shown);
    CHECK(reached.median <= bound.median);
    CHECK(reached.percentile_90 <= bound.percentile_90);
    // A group that has come to meet the bounds is to leave the list.
    const bool meets = reached.median <= 0.08 && reached.percentile_90 <= 0.20;
    CHECK(meets == (named == missing.end()));
  }
}

// The target is 4 and 12 % from 1 MiB on, 7 and 25 % below. What was fitted meets it; over all
// curves the 90th percentile from 1 MiB on misses it, for the causes that nccl-validation.md names.
TEST_CASE("measured NCCL curves are met within the bounds of the closing table") {
  const std::vector<CurvePoint> points =
      validate_curves(DataFolder(simtrain::testing::source_dir()),
                      simtrain::testing::source_dir() + "/validation/nccl/curves.yaml");
  const auto reached = [&](bool large, const std::function<bool(const CurvePoint&)>& wanted) {
    std::vector<const CurvePoint*> chosen;
    for (const CurvePoint& one : points) {
      if ((one.bytes >= 1 << 20) == large && wanted(one)) chosen.push_back(&one);
    }
    return summarize(chosen);
  };
  const auto within = [](const CurveSummary& summary, double median, double percentile_90) {
    CAPTURE(summary.median);
    CAPTURE(summary.percentile_90);
    CHECK(summary.median <= median);
    CHECK(summary.percentile_90 <= percentile_90);
  };
  const auto all = [](const CurvePoint&) { return true; };
  const auto fitted = [](const CurvePoint& one) { return one.use == CurveUse::fitted; };
  const auto of = [](const char* collective) {
    return [collective](const CurvePoint& one) { return one.collective == collective; };
  };
  within(reached(true, fitted), 0.040, 0.120);
  within(reached(false, fitted), 0.060, 0.160);
  within(reached(true, all), 0.045, 0.161);
  within(reached(false, all), 0.066, 0.245);
  within(reached(true, of("alltoall")), 0.052, 0.145);
  within(reached(true, of("send_receive")), 0.047, 0.070);
  within(reached(false, of("send_receive")), 0.050, 0.175);
}

TEST_CASE("curves that do not fit together are refused at their place") {
  const auto refused = [](const std::string& gpus, const std::string& us) {
    const testing::TempFolder folder;
    const std::string path = folder.file("curves.yaml");
    folder.write("curves.yaml",
                 "name: own\ndata: own\ncurves:\n"
                 "  - {machine: M, cluster: dgx-superpod-h100, nodes: 2, gpus: " +
                     gpus +
                     ",\n     collective: all_reduce, nccl: {}, use: tested, source: own,\n"
                     "     bytes: [8, 16], us: " +
                     us + "}\n");
    const std::string text = testing::error_of(
        [&] { validate_curves(DataFolder(simtrain::testing::source_dir()), path); });
    return text.substr(std::min(path.size(), text.size()));
  };
  CHECK(refused("16", "[1, 2]").empty());
  CHECK(refused("16", "[1]") == ":4:5: us: has 1 times for 2 sizes");
  CHECK(refused("15", "[1, 2]") == ":4:5: gpus: 15 do not spread over 2 nodes of 8");
  CHECK(refused("18", "[1, 2]") == ":4:5: gpus: 18 do not spread over 2 nodes of 8");
}

}  // namespace simtrain::testing::nccl_validation_test
