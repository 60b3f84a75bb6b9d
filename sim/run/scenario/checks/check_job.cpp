#include <array>

#include "sim/run/scenario/checks/checks.h"
#include "sim/run/scenario/job_fields.h"

namespace simtrain {

void check_job(const DataFolder& data, const YamlNode& job) {
  const auto spec = read_yaml<JobSpec>(job, "job");
  struct NamedFile {
    std::string_view family;
    std::string_view key;
    std::optional<std::string> name;
  };
  const std::array<NamedFile, 5> files{
      {{"hardware/failures", "failures", spec.failures},
       {"hardware/fault_tolerance", "fault_tolerance", spec.fault_tolerance},
       {"hardware/storage", "checkpoint.storage", spec.checkpoint.storage},
       {"hardware/storage", "checkpoint.non_persistent_storage",
        spec.checkpoint.non_persistent_storage},
       {"hardware/storage", "data.storage",
        spec.data ? std::optional(spec.data->storage) : std::nullopt}}};
  for (const NamedFile& file : files) {
    const YamlNode* given = find_yaml_value(job, file.key);
    if (file.name && given != nullptr)
      static_cast<void>(
          data.load_tree(file.family, *file.name, given->place, "job." + std::string(file.key)));
  }
}

}  // namespace simtrain
