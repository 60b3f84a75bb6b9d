#include "sim/run/energy/step_energy.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "sim/core/threads/parallel_each.h"
#include "sim/run/energy/beside_gpus.h"
#include "sim/run/energy/step_draws.h"
#include "sim/topology/network_ports.h"

namespace simtrain {
namespace {

double& of_part(ByPowerPart& joules, PowerPart part) {
  return joules[static_cast<std::size_t>(part)];
}

/// Rounded to thousandths, so that sums over ranks are exact in any order: folded ranks draw to the
/// last digit what they draw one by one.
double thousandths(double value) { return std::round(value * 1e3); }

/// The draws of one rank, joules by kind and watts over the parts of the trace.
class RankTotals {
 public:
  RankTotals(const StepDraws& draws, Duration end) : end_(end), times_(draws.states()) {
    watts_.reserve(kTraceParts);
    open();
    draws.walk(
        [&](const Span& span, const DrawState& state) { add(span, state, draws.sum(state)); });
    while (watts_.size() < kTraceParts) close();
    for (std::size_t state = 0; state < times_.size(); ++state)
      simtrain::add(joules_, draws.watts_of(state), to_seconds(times_[state]));
  }
  [[nodiscard]] const ByDrawKind& joules() const { return joules_; }
  [[nodiscard]] const std::vector<double>& watts() const { return watts_; }

 private:
  /// Spans come one after another, so that parts of the trace are filled in order.
  void add(const Span& span, const DrawState& state, double drawn) {
    times_[StepDraws::number_of(state)] += span.end - span.start;
    Duration from = span.start;
    while (span.end > part_end_ && watts_.size() + 1 < kTraceParts) {
      drawn_ += drawn * static_cast<double>((part_end_ - from).count());
      from = part_end_;
      close();
    }
    drawn_ += drawn * static_cast<double>((span.end - from).count());
  }
  [[nodiscard]] Duration edge(std::size_t number) const {
    const double share = static_cast<double>(number) / static_cast<double>(kTraceParts);
    return Duration(std::llround(static_cast<double>(end_.count()) * share));
  }
  void open() {
    drawn_ = 0;
    part_end_ = edge(watts_.size() + 1);
  }
  void close() {
    const Duration length = part_end_ - edge(watts_.size());
    watts_.push_back(drawn_ / static_cast<double>(std::max<Duration::rep>(1, length.count())));
    open();
  }

  Duration end_;
  std::vector<Duration> times_;  ///< by state
  ByDrawKind joules_{};
  std::vector<double> watts_;  ///< of the parts that are full
  double drawn_ = 0;           ///< in the part that is not, watts times picoseconds
  Duration part_end_{};
};

/// Sums in thousandths over the ranks that a simulated one represents.
class JobDraws {
 public:
  explicit JobDraws(int stages) : sums_(static_cast<std::size_t>(stages), Stage{}) {}

  void add(const RankTotals& rank, int stage, int ranks) {
    Stage& sum = sums_[static_cast<std::size_t>(stage)];
    sum.ranks += ranks;
    for (std::size_t i = 0; i < kDrawKinds; ++i)
      joules_[i] += thousandths(rank.joules()[i]) * ranks;
    for (std::size_t i = 0; i < kTraceParts; ++i)
      sum.watts[i] += thousandths(rank.watts()[i]) * ranks;
  }
  [[nodiscard]] ByDrawKind joules() const {
    ByDrawKind joules = joules_;
    for (double& each : joules) each /= 1e3;
    return joules;
  }
  [[nodiscard]] PowerTrace trace(double step_s) const {
    PowerTrace trace;
    trace.interval_s = step_s / static_cast<double>(kTraceParts);
    trace.mean_w.assign(kTraceParts, 0.0);
    double all = 0;
    for (const Stage& stage : sums_) {
      all += stage.ranks;
      std::vector<double>& means = trace.stage_w.emplace_back(stage.watts);
      for (double& watts : means) watts /= 1e3 * std::max(1.0, stage.ranks);
      for (std::size_t i = 0; i < kTraceParts; ++i) trace.mean_w[i] += stage.watts[i];
    }
    for (double& watts : trace.mean_w) watts /= 1e3 * std::max(1.0, all);
    return trace;
  }

 private:
  struct Stage {
    double ranks = 0;
    std::vector<double> watts = std::vector<double>(kTraceParts, 0.0);
  };
  ByDrawKind joules_{};
  std::vector<Stage> sums_;
};

void add_gpus(StepEnergy& energy, const SimulatedStep& simulated) {
  const Duration end = std::max(simulated.timeline.end, Duration(1));
  JobDraws job(simulated.scenario.recipe.pp());
  const std::vector<int> behind = ranks_behind(simulated);
  const std::vector<SimulatedRank>& ranks = simulated.plan.ranks;
  std::vector<std::optional<RankTotals>> totals(ranks.size());
  parallel_each(ranks.size(), [&](std::size_t place) {
    const StepRank rank(simulated, ranks[place].rank);
    totals[place].emplace(StepDraws(simulated, rank), end);
  });
  for (std::size_t place = 0; place < ranks.size(); ++place)
    job.add(*totals[place], ranks[place].stage, behind[place]);
  energy.gpu_joules = job.joules();
  energy.trace = job.trace(energy.step_s);
  of_part(energy.joules, PowerPart::gpus) = sum_of(energy.gpu_joules);
}

std::set<int> hosts_of_job(const Cluster& cluster, const Placement& placement, int ranks) {
  std::set<int> hosts;
  for (int rank = 0; rank < ranks; ++rank) hosts.insert(cluster.host_of(placement.gpu(rank)));
  return hosts;
}

void add_nodes(StepEnergy& energy, const ClusterSpec& cluster, const std::set<int>& hosts) {
  double losses = 0;
  ByPowerPart& joules = energy.joules;
  const double gpus_w = joules[0] / energy.step_s / energy.gpus;
  for (const int host : hosts) {
    const NodeSpec& node = cluster.node_of(host);
    const NodePower& power = *node.power;
    const double host_w = power.host.value.value();
    const double nics_w = power.nic.value.value() * node.nics.value;
    const double switches_w =
        power.nvswitch.value.value() * node.nvswitches.value / node.nvlink_domain_nodes.value;
    const double used_w = host_w + nics_w + switches_w + gpus_w * node.gpus;
    losses += used_w * (1 / power.supply_efficiency.value - 1) * energy.step_s;
    of_part(joules, PowerPart::hosts) += host_w * energy.step_s;
    of_part(joules, PowerPart::nics) += nics_w * energy.step_s;
    of_part(joules, PowerPart::nvswitches) += switches_w * energy.step_s;
  }
  of_part(joules, PowerPart::power_supplies) = losses;
}

void add_network(StepEnergy& energy, const Cluster& cluster) {
  const NetworkPorts ports = network_ports(cluster);
  const FabricPower& power = *cluster.spec().fabric.power;
  const double share =
      static_cast<double>(energy.nodes) / static_cast<double>(cluster.hosts().size());
  of_part(energy.joules, PowerPart::switches) =
      ports.at_switches * power.switch_port.value.value() * share * energy.step_s;
  of_part(energy.joules, PowerPart::transceivers) =
      (ports.at_switches + ports.at_nics) * power.transceiver.value.value() * share * energy.step_s;
}

void add_cost(StepEnergy& energy, const CostSpec& cost) {
  const double kwh = energy.total_joules() / kJoulesPerKilowattHour;
  energy.gpu_price = cost.gpu_hour.has_value();
  energy.electricity_price = cost.electricity.has_value();
  energy.grid = cost.grid.has_value();
  if (cost.gpu_hour)
    energy.cost.gpu_usd = cost.gpu_hour->value() * energy.gpus * energy.step_s / kSecondsPerHour;
  if (cost.electricity) energy.cost.electricity_usd = cost.electricity->value() * kwh;
  if (cost.grid) energy.cost.carbon_kg = cost.grid->value() * kwh / 1e3;
}

/// What no file says, in words.
std::vector<std::string> ruled_facts(const ClusterSpec& cluster, const CostSpec& cost) {
  std::vector<std::string> facts;
  const auto note = [&](const std::string& what, const std::string& value,
                        const std::string& source) {
    if (source.starts_with(kByPowerRule)) facts.push_back(fmt::format("{}: {}", what, value));
  };
  const auto watts = [](const Sourced<Power>& power) {
    return fmt::format("{:g} W", power.value.value());
  };
  const NodePower& node = *cluster.node.power;
  note("host of a node", watts(node.host), node.host.source);
  note("NIC", watts(node.nic), node.nic.source);
  note("NVLink switch", watts(node.nvswitch), node.nvswitch.source);
  note("efficiency of power supplies", fmt::format("{:g}", node.supply_efficiency.value),
       node.supply_efficiency.source);
  const FabricPower& fabric = *cluster.fabric.power;
  note("switch port", watts(fabric.switch_port), fabric.switch_port.source);
  note("transceiver", watts(fabric.transceiver), fabric.transceiver.source);
  if (!cost.pue) note("PUE", fmt::format("{:g}", cluster.pue.value), cluster.pue.source);
  return facts;
}

}  // namespace

double PowerTrace::least_w() const { return *std::min_element(mean_w.begin(), mean_w.end()); }
double PowerTrace::most_w() const { return *std::max_element(mean_w.begin(), mean_w.end()); }

std::vector<double> PowerTrace::means(std::size_t parts) const {
  const std::size_t each = mean_w.size() / parts;
  std::vector<double> means(parts, 0.0);
  for (std::size_t i = 0; i < parts * each; ++i)
    means[i / each] += mean_w[i] / static_cast<double>(each);
  return means;
}

double StepEnergy::total_joules() const {
  return std::accumulate(joules.begin(), joules.end(), 0.0);
}

double StepEnergy::node_joules() const {
  return std::accumulate(joules.begin(), joules.begin() + kPartsOfNodes, 0.0);
}

double StepEnergy::mwh_per_1t_tokens() const {
  return joules_per_token() * 1e12 / kJoulesPerKilowattHour / 1e3;
}

void add_beside_gpus(StepEnergy& energy, const Cluster& cluster, const Placement& placement) {
  const std::set<int> hosts = hosts_of_job(cluster, placement, energy.gpus);
  energy.nodes = static_cast<int>(hosts.size());
  add_nodes(energy, cluster.spec(), hosts);
  add_network(energy, cluster);
  of_part(energy.joules, PowerPart::site) = energy.total_joules() * (energy.pue - 1);
}

StepEnergy step_energy(const SimulatedStep& simulated) {
  const Scenario& scenario = simulated.scenario;
  const ClusterSpec& cluster = simulated.cluster.spec();
  const TrainingSpec& training = scenario.recipe.training;
  StepEnergy energy;
  energy.step_s = std::max(to_seconds(simulated.timeline.end), 1 / kPicosecondsPerSecond);
  energy.tokens = static_cast<double>(training.seq_length) * training.global_batch_size;
  energy.gpus = scenario.gpus();
  energy.limit_w = cluster.gpu.power.cap();
  energy.pue = scenario.cost.pue.value_or(cluster.pue.value);
  add_gpus(energy, simulated);
  add_beside_gpus(energy, simulated.cluster, simulated.placement);
  add_cost(energy, scenario.cost);
  energy.by_rule = ruled_facts(cluster, scenario.cost);
  return energy;
}

}  // namespace simtrain
