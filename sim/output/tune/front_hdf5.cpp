#include "sim/output/tune/front_columns.h"
#include "sim/output/tune/front_report.h"

namespace simtrain {

std::string front_hdf5(const FrontHead& head, const Front& front) {
  return hdf5_table({{{"schema", "simtrain.tune-front/1"},
                      {"scenario", head.scenario},
                      {"question", head.question}},
                     {{"front", static_cast<std::uint64_t>(front.on_front())}},
                     front.plans.size()},
                    front_columns(front));
}

}  // namespace simtrain
