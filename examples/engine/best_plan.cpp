// The best plan of a recipe that fits, as `simtrain tune` finds it, and the network that it runs
// on: with the floors of the simulator itself, which find_package(simtrain COMPONENTS engine)
// brings.

#include <cstdio>
#include <exception>

#include <simtrain/scenario.h>

#include "sim/run/scenario/scenario.h"
#include "sim/study/tune/tune.h"
#include "sim/topology/cluster.h"

int main() {
  try {
    const simtrain::DataFolder data(simtrain::api::installed_data_path());
    const auto source =
        simtrain::ScenarioSource::from_file(data.root() + "/scenarios/llama31_8b_h100.yaml");
    simtrain::TuneRequest request;
    request.sizes = {source.scenario(data, "bf16-8", {})};
    request.top = 1;
    request.steps = false;

    const simtrain::TuneResult result = simtrain::tune(request);
    const simtrain::ClusterSpec& cluster = request.sizes.front().cluster;
    std::printf("%s, %s\n", cluster.fabric.name.c_str(), cluster.wiring_text().c_str());
    std::printf("%lld plans, %lld of them fit\n", static_cast<long long>(result.legal()),
                static_cast<long long>(result.fitting()));
    if (result.best.empty()) return 1;
    const simtrain::TunedPlan& best = result.best.front();
    std::printf("%s: %.3f s\n", simtrain::text_of(best.plan.choice).c_str(),
                best.report.step_time_s);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
