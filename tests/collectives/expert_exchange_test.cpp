// Exchanges of tokens with experts against measured calls.
#include "sim/collectives/expert_exchange.h"

#include <cmath>
#include <fstream>
#include <map>
#include <string>

#include <doctest/doctest.h>

#include "sim/core/input/csv_cells.h"
#include "tests/core/checkout.h"
#include "tests/topology/clusters.h"

namespace simtrain::testing::expert_exchange_test {

namespace {

const std::string kPoints = simtrain::testing::source_dir() + "/validation/experts/exchange.csv";

struct Point {
  std::string gpu;
  ExchangeLibrary library{};
  int ranks = 0;
  ExpertExchange exchange;
  double seconds = 0;
};

Point point_of(const CsvCells& cells) {
  const auto text = [&](std::size_t cell) { return std::string(cells.all().at(cell)); };
  const auto whole = [&](std::size_t cell) { return std::stoll(text(cell)); };
  Point point;
  point.gpu = text(1);
  point.library = text(2) == "deepep" ? ExchangeLibrary::deepep : ExchangeLibrary::hybridep;
  point.ranks = static_cast<int>(whole(4));
  point.exchange = {.tokens = std::stod(text(5)),
                    .row_bytes = std::stod(text(7)),
                    .choice = {whole(9), whole(8)},
                    .sms = static_cast<int>(whole(10)),
                    .imbalance = 1,
                    .back = text(3) == "combine"};
  point.seconds = std::stod(text(11)) / 1e6;
  return point;
}

double predicted(const Point& point) {
  static const std::map<std::string, ClusterSpec> clusters{
      {"h100-sxm", testing::cluster("dgx-superpod-h100", 1).spec()},
      {"b200-sxm", testing::cluster("dgx-superpod-b200", 1).spec()},
      {"gb200", testing::cluster("dgx-superpod-gb200", 18).spec()}};
  GroupLayout layout;
  layout.ranks = point.ranks;
  layout.fewest_per_domain = point.ranks;
  const TransferCost cost =
      plan_expert_exchange(row_of(point.library), point.exchange, layout, clusters.at(point.gpu));
  // Of HybridEP the kernels were timed.
  const bool call = point.library == ExchangeLibrary::deepep;
  return to_seconds(call ? cost.alone() : cost.alone() - cost.latency);
}

}  // namespace

TEST_CASE("exchanges of tokens take what calls of their libraries were measured to take") {
  struct Errors {
    double sum = 0;
    int points = 0;
  };
  std::map<std::string, Errors> errors;
  std::ifstream file(kPoints);
  std::string line;
  std::getline(file, line);
  CsvCells cells;
  while (std::getline(file, line)) {
    REQUIRE(cells.read(line));
    const Point point = point_of(cells);
    Errors& of = errors[(point.library == ExchangeLibrary::deepep ? "deepep " : "hybridep ") +
                        point.gpu + (point.exchange.back ? " combine" : " dispatch")];
    of.sum += std::abs(predicted(point) / point.seconds - 1);
    ++of.points;
  }
  CHECK(errors.size() == 10);
  for (const auto& exchange : errors) {
    const Errors& of = exchange.second;
    CAPTURE(exchange.first);
    CHECK(of.points >= 1);
    CHECK(of.sum / of.points < 0.16);
  }
}

TEST_CASE("narrow tokens and few experts cost an SM more for each byte") {
  const ExchangeWork& work = row_of(ExchangeLibrary::deepep).dispatch;
  const auto by_byte = [&](double row_bytes, double copies) {
    return work.of(1, row_bytes, copies) / row_bytes / copies;
  };
  CHECK(by_byte(4096, 5.3) > 1.3 * by_byte(14336, 5.3));
  CHECK(by_byte(4096, 1) > 1.5 * by_byte(4096, 5.3));
}

}  // namespace simtrain::testing::expert_exchange_test
