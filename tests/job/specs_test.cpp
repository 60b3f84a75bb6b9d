#include <filesystem>
#include <fstream>

#include <doctest/doctest.h>

#include "sim/core/input/input_error.h"
#include "sim/job/specs/failure_spec.h"
#include "sim/job/specs/storage_spec.h"
#include "tests/cli/program.h"
#include "tests/core/checkout.h"
#include "tests/core/data_folder.h"

namespace simtrain::testing::specs_test {
namespace {

/// What reading an edited copy of a file of hardware/ is refused with, from the key on.
template <class Load>
std::string refused(const std::string& family, const std::string& name, const std::string& replaced,
                    const std::string& by, Load load) {
  const TempFolder folder;
  const std::string path = "hardware/" + family + "/" + name + ".yaml";
  std::filesystem::create_directories(folder.path() / "hardware" / family);
  folder.write(path, edited(read_file(std::filesystem::path(source_dir()) / path), replaced, by));
  try {
    static_cast<void>(load(DataFolder(folder.path().string()), name));
  } catch (const InputError& error) {
    return error.reason();
  }
  return "";
}

std::string refused_storage(const std::string& name, const std::string& replaced,
                            const std::string& by) {
  return refused("storage", name, replaced, by,
                 [](const DataFolder& data, const std::string& file) {
                   return load_storage(data, file, {}, "storage");
                 });
}

std::string refused_failures(const std::string& replaced, const std::string& by) {
  return refused("failures", "bloom-a100", replaced, by,
                 [](const DataFolder& data, const std::string& file) {
                   return load_failures(data, file, {}, "failures");
                 });
}

TEST_CASE("Every storage and every file of failures can be read") {
  for (const std::string& name : data_folder().names("hardware/storage")) {
    CAPTURE(name);
    CHECK(load_storage(data_folder(), name, {}, "storage").name == name);
  }
  for (const std::string& name : data_folder().names("hardware/failures")) {
    CAPTURE(name);
    const FailureSpec spec = load_failures(data_folder(), name, {}, "failures");
    CHECK(spec.name == name);
    for (const FailureRow& row : spec.components) CHECK(rate_per_unit(spec.observed, row) > 0);
  }
}

TEST_CASE("A shared storage says how fast all of it is, one of nodes does not") {
  CHECK(refused_storage("object-store", "scope: shared", "scope: node") ==
        "read: is of a shared storage; node_read and node_write would do for one of nodes");
  CHECK(refused_storage("nvme-node", "scope: node", "scope: shared") ==
        "read: is missing; a shared storage says how fast all of it is");
}

TEST_CASE("A row of failures has what its effect and reach need, and nothing else") {
  CHECK(refused_failures("per: gpu", "per: nic") ==
        "components[0].per: 'nic' needs observed.nics, what they were counted on");
  CHECK(refused_failures("takes: node", "takes: none") ==
        "components[0].repair: is of nodes, and the row takes none");
  CHECK(refused_failures("effect: stops", "effect: slows") ==
        "components[0].effect: 'slows' needs one of gpu_slowdown and nic_bandwidth_share");
  CHECK(
      refused_failures("effect: stops", "effect: stops\n    gpu_slowdown: {value: 2, source: x}") ==
      "components[0].effect: 'stops' has no use for gpu_slowdown or nic_bandwidth_share");
}

TEST_CASE("Rates are counts over what they were counted on") {
  const FailureSpec spec = load_failures(data_folder(), "bloom-a100", {}, "failures");
  CHECK(rate_per_unit(spec.observed, spec.components[0]) ==
        doctest::Approx(1 / (384 * 7 * 86400.0)));
}

}  // namespace
}  // namespace simtrain::testing::specs_test
