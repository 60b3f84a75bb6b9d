#include <algorithm>
#include <vector>

#include <H5Cpp.h>

#include "sim/core/invariant.h"
#include "sim/output/sweep/hdf5_table.h"
#include "sim/output/training/goodput_report.h"

namespace simtrain {
namespace {

void text_attribute(const H5::H5Object& object, const char* name, const std::string& text) {
  const H5::StrType type(H5::PredType::C_S1, text.empty() ? 1 : text.size());
  object.createAttribute(name, type, H5::DataSpace(H5S_SCALAR)).write(type, text.c_str());
}

/// Times of creation would make equal jobs differ.
H5::DSetCreatPropList without_times() {
  H5::DSetCreatPropList properties;
  const herr_t done = H5Pset_obj_track_times(properties.getId(), false);
  invariant(done >= 0, "HDF5 can leave times out");
  return properties;
}

void write_values(const H5::Group& group, const std::string& name, const char* unit,
                  const std::vector<double>& values) {
  const hsize_t count = values.size();
  const H5::DataSet data = group.createDataSet(name, H5::PredType::IEEE_F64LE,
                                               H5::DataSpace(1, &count), without_times());
  data.write(values.data(), H5::PredType::NATIVE_DOUBLE);
  text_attribute(data, "unit", unit);
}

/// A column of what `figure` makes of each row.
template <class Row, class Figure>
void write_column(const H5::Group& group, const std::string& name, const char* unit,
                  const std::vector<Row>& rows, Figure figure) {
  std::vector<double> values;
  values.reserve(rows.size());
  for (const Row& row : rows) values.push_back(figure(row));
  write_values(group, name, unit, values);
}

H5::Group plain_group(const H5::H5File& file, const char* name) {
  H5::ObjCreatPropList made(H5P_GROUP_CREATE);
  const hid_t group = H5Gcreate2(file.getId(), name, H5P_DEFAULT, made.getId(), H5P_DEFAULT);
  invariant(group >= 0, "HDF5 can make a group");
  H5::Group result(group);
  H5Gclose(group);  // the object counts its own
  return result;
}

void write_runs(const H5::H5File& file, const Goodput& goodput) {
  const std::vector<JobRun>& runs = goodput.runs;
  const H5::Group group = plain_group(file, "runs");
  write_column(group, "elapsed", "s", runs, [](const JobRun& run) { return run.elapsed_s; });
  write_column(group, "steps", "1", runs, [](const JobRun& run) { return run.steps; });
  write_column(group, "goodput", "1", runs, [](const JobRun& run) { return run.goodput(); });
  write_column(group, "effective_time", "1", runs,
               [](const JobRun& run) { return run.effective_time(); });
  write_column(group, "restarts", "1", runs,
               [](const JobRun& run) { return static_cast<double>(run.restarts); });
  write_column(group, "saves", "1", runs,
               [](const JobRun& run) { return static_cast<double>(run.saves); });
  const H5::Group used = plain_group(file, "used");
  for (const auto& [name, use] : EnumNames<TimeUse>::rows)
    write_column(used, std::string(name), "s", runs,
                 [use = use](const JobRun& run) { return run.used[use]; });
}

/// Of the first run, by equal parts of its time.
void write_power(const H5::H5File& file, const Goodput& goodput) {
  const PowerOfRun power = goodput.power();
  const H5::Group group = plain_group(file, "power");
  std::vector<double> starts;
  for (std::size_t part = 0; part < power.used.size(); ++part)
    starts.push_back(power.part_s * static_cast<double>(part));
  write_values(group, "start", "s", starts);
  write_values(group, "mean", "W", power.mean_w);
  write_values(group, "least", "W", power.least_w);
  write_values(group, "most", "W", power.most_w);
  for (const auto& [name, use] : EnumNames<TimeUse>::rows) {
    const auto seconds = [use = use](const UsedTime& used) { return used[use]; };
    if (std::any_of(power.used.begin(), power.used.end(),
                    [&](const UsedTime& used) { return seconds(used) > 0; }))
      write_column(group, std::string(name), "s", power.used, seconds);
  }
}

}  // namespace

std::string goodput_hdf5(const Goodput& goodput) {
  const H5::H5File file = hdf5_in_memory();
  const H5::Group root = file.openGroup("/");
  text_attribute(root, "schema", "simtrain.goodput/1");
  text_attribute(root, "scenario", goodput.reports.front().scenario.substr(0, 4096));
  write_runs(file, goodput);
  write_power(file, goodput);
  return sealed_hdf5(file);
}

}  // namespace simtrain
