#include "sim/job/specs/tolerance_spec.h"

#include "sim/core/files/data_folder.h"
#include "sim/job/specs/tolerance_fields.h"

namespace simtrain {

ToleranceSpec load_tolerance(const DataFolder& data, const std::string& name,
                             const SourcePlace& where, const std::string& key) {
  return data.load<ToleranceSpec>("hardware/fault_tolerance", name, where, key);
}

}  // namespace simtrain
