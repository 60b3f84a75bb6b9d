#pragma once

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <vector>

#include <simtrain/simtrain.h>

/// Shares of a whole become one dict of numbers by name. A source that binds them without this
/// would take them for lists, or the linker would choose: bindings.h includes it.
template <class Share, double Share::*amount>
struct SharesAsDict {
  using Shares = std::vector<Share>;
  PYBIND11_TYPE_CASTER(Shares, pybind11::detail::const_name("Dict[str, float]"));

  static pybind11::handle cast(const Shares& shares, pybind11::return_value_policy /*policy*/,
                               pybind11::handle /*parent*/) {
    pybind11::dict by_name;
    for (const Share& share : shares) by_name[pybind11::str(share.name)] = share.*amount;
    return by_name.release();
  }
};

namespace pybind11::detail {

template <>
struct type_caster<std::vector<simtrain::api::TimeShare>>
    : SharesAsDict<simtrain::api::TimeShare, &simtrain::api::TimeShare::seconds> {};
template <>
struct type_caster<std::vector<simtrain::api::EnergyShare>>
    : SharesAsDict<simtrain::api::EnergyShare, &simtrain::api::EnergyShare::joules> {};

}  // namespace pybind11::detail
