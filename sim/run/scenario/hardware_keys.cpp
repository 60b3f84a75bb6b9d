#include "sim/run/scenario/hardware_keys.h"

#include <optional>
#include <utility>

#include "sim/topology/specs/cluster_fields.h"
#include "sim/topology/specs/cluster_spec.h"
#include "sim/topology/specs/gpu_fields.h"
#include "sim/topology/specs/node_fields.h"
#include "sim/workload/model/fields/software_fields.h"
#include "sim/workload/model/software_spec.h"

namespace simtrain {
namespace {

/// Visitor that learns the dotted keys of a struct's values.
class ValueKeys {
 public:
  ValueKeys(HardwareKind& kind, std::string path) : kind_(kind), path_(std::move(path)) {}

  template <class T, class... Limit>
  void operator()(std::string_view key, T& field, Limit... /*limits*/) {
    if (!is_text_key(key)) learn(yaml_detail::dotted(path_, key), field);
  }
  template <class T, class... Limit>
  void optional(std::string_view key, T& field, Limit... limits) {
    (*this)(key, field, limits...);
  }

 private:
  template <class T>
  void learn(const std::string& key, T& field) {
    if constexpr (Fielded<T>) {
      ValueKeys inner(kind_, key);
      visit_fields(inner, field);
    } else {
      kind_.keys.push_back(key);
    }
  }
  template <class T>
  void learn(const std::string& key, Sourced<T>& /*field*/) {
    kind_.keys.push_back(key);
    kind_.sourced.insert(key);
  }
  template <class T>
  void learn(const std::string& key, std::optional<T>& /*field*/) {
    T value{};
    learn(key, value);
  }
  template <class T>
  void learn(const std::string& key, std::vector<T>& /*field*/) {
    if constexpr (Fielded<T>) {
      T row{};
      ValueKeys inner(kind_, key + "[]");
      visit_fields(inner, row);
    }
  }

  HardwareKind& kind_;
  std::string path_;
};

template <class Spec>
HardwareKind kind_of(std::string_view name, std::string_view family) {
  HardwareKind kind{name, family, {}, {}};
  Spec spec{};
  ValueKeys keys(kind, "");
  visit_fields(keys, spec);
  return kind;
}

}  // namespace

bool is_text_key(std::string_view key) {
  return key == "name" || key == "description" || key == "source" || key == "gpu";
}

const std::vector<HardwareKind>& hardware_kinds() {
  static const std::vector<HardwareKind> kinds{
      kind_of<GpuSpec>("gpu", "gpus"), kind_of<NodeSpec>("node", "nodes"),
      kind_of<FabricSpec>("fabric", "fabrics"), kind_of<SoftwareSpec>("software", "software")};
  return kinds;
}

}  // namespace simtrain
