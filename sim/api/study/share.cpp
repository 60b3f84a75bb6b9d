#include <simtrain/job.h>

#include "sim/api/access.h"
#include "sim/api/errors.h"
#include "sim/output/training/share_report.h"

namespace simtrain::api {
namespace {

SharedJob job_of(const JobOnFabric& job) {
  return {job.name,       job.scenario, job.placement, job.gpus,  job.hosts,      job.alone_s,
          job.together_s, job.least_s,  job.most_s,    job.steps, job.lost_gpus()};
}

JobPlacement placement_of(const PlacementChoice& choice) {
  return {choice.name,    choice.hosts,     choice.step_s,
          choice.alone_s, choice.lost_gpus, choice.others_lost_gpus};
}

}  // namespace

SharedCluster share(const DataFolder& data, const std::string& path, const ShareOptions& options,
                    const Progress& progress) {
  return guarded([&] {
    const auto& content = Access::of(data);
    const FabricScenario fabric = load_fabric(content.folder, path);
    if (options.place_last && fabric.jobs.size() < 2)
      throw simtrain::InputError({path}, "place_last",
                                 "needs other jobs beside the one that it places");
    const FabricResult found =
        share_fabric(fabric, {.clusters = content.clusters.get(), .watch = progress});
    const std::vector<PlacementChoice> choices =
        options.place_last ? place_last_job(fabric, progress) : std::vector<PlacementChoice>{};
    SharedCluster result{
        found.name, found.cluster, found.nodes, found.gpus, found.links_never_bind, {}, {}, "", ""};
    for (const JobOnFabric& job : found.jobs) result.jobs.push_back(job_of(job));
    for (const PlacementChoice& choice : choices) result.placements.push_back(placement_of(choice));
    result.text = fabric_text(found, choices);
    result.json = fabric_json(found, choices);
    return result;
  });
}

}  // namespace simtrain::api
