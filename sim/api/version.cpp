#include <simtrain/simtrain.h>

namespace simtrain::api {

std::string version() { return SIMTRAIN_VERSION; }

}  // namespace simtrain::api
