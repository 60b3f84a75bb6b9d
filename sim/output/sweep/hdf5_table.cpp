#include "sim/output/sweep/hdf5_table.h"

#include <algorithm>
#include <limits>

#include <H5Cpp.h>

#include "sim/core/files/seal.h"
#include "sim/core/invariant.h"

namespace simtrain {
namespace {

constexpr hsize_t kChunk = 4096;  // rows

/// H5::StrType counts the closing zero in; ours are padded with zeros instead.
H5::StrType text_type(std::size_t longest) {
  H5::StrType type(H5::PredType::C_S1, std::max<std::size_t>(longest, 1));
  type.setStrpad(H5T_STR_NULLPAD);
  type.setCset(H5T_CSET_UTF8);
  return type;
}

/// Of fixed length: a reader knows how much there is before it reads it. HDF5 has room for 64 KiB
/// of attributes; names of files and keys are shorter.
void set_text(const H5::H5Object& object, const char* name, const std::string& text) {
  constexpr std::size_t kLongest = 4096;
  const std::string kept = text.substr(0, kLongest);
  const H5::StrType type = text_type(kept.size());
  object.createAttribute(name, type, H5::DataSpace(H5S_SCALAR)).write(type, kept.c_str());
}

void set_number(const H5::H5Object& object, const char* name, std::uint64_t number) {
  object.createAttribute(name, H5::PredType::STD_U64LE, H5::DataSpace(H5S_SCALAR))
      .write(H5::PredType::NATIVE_UINT64, &number);
}

/// Times of creation would make equal tables differ.
H5::DSetCreatPropList column_properties() {
  H5::DSetCreatPropList properties;
  properties.setChunk(1, &kChunk);
  properties.setShuffle();
  properties.setDeflate(4);
  const herr_t done = H5Pset_obj_track_times(properties.getId(), false);
  invariant(done >= 0, "HDF5 can leave times out");
  return properties;
}

class ColumnWriter {
 public:
  ColumnWriter(const H5::Group& group, std::size_t rows) : group_(group), count_(rows) {}

  void write(const TableColumn& column) const {
    const std::vector<SweepCell> cells = column.cells();
    const H5::DataSet data = column.kind == SweepCellKind::whole  ? whole(column, cells)
                             : column.kind == SweepCellKind::real ? real(column, cells)
                                                                  : text(column, cells);
    if (!column.unit.empty()) set_text(data, "unit", column.unit);
    set_text(data, "meaning", column.meaning);
  }

 private:
  [[nodiscard]] H5::DataSet made(const TableColumn& column, const H5::DataType& type) const {
    const hsize_t most = H5S_UNLIMITED;
    return group_.createDataSet(column.name, type, H5::DataSpace(1, &count_, &most),
                                column_properties());
  }
  [[nodiscard]] H5::DataSet whole(const TableColumn& column,
                                  const std::vector<SweepCell>& cells) const {
    std::vector<std::int64_t> values;
    values.reserve(cells.size());
    for (const SweepCell& cell : cells) {
      const auto* value = std::get_if<std::int64_t>(&cell);
      values.push_back(value != nullptr ? *value : -1);
    }
    H5::DataSet data = made(column, H5::PredType::STD_I64LE);
    data.write(values.data(), H5::PredType::NATIVE_INT64);
    return data;
  }
  [[nodiscard]] H5::DataSet real(const TableColumn& column,
                                 const std::vector<SweepCell>& cells) const {
    std::vector<double> values;
    values.reserve(cells.size());
    for (const SweepCell& cell : cells) {
      const auto* value = std::get_if<double>(&cell);
      values.push_back(value != nullptr ? *value : std::numeric_limits<double>::quiet_NaN());
    }
    H5::DataSet data = made(column, H5::PredType::IEEE_F64LE);
    data.write(values.data(), H5::PredType::NATIVE_DOUBLE);
    return data;
  }
  [[nodiscard]] H5::DataSet text(const TableColumn& column,
                                 const std::vector<SweepCell>& cells) const {
    std::size_t longest = 1;
    for (const SweepCell& cell : cells) {
      const auto* value = std::get_if<std::string>(&cell);
      if (value != nullptr) longest = std::max(longest, value->size());
    }
    std::vector<char> bytes(longest * cells.size(), '\0');
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const auto* value = std::get_if<std::string>(&cells[i]);
      if (value != nullptr)
        std::copy(value->begin(), value->end(),
                  bytes.begin() + static_cast<std::ptrdiff_t>(i * longest));
    }
    const H5::StrType type = text_type(longest);
    H5::DataSet data = made(column, type);
    data.write(bytes.data(), type);
    return data;
  }

  const H5::Group& group_;
  hsize_t count_;
};

H5::Group rows_group(const H5::H5File& file) {
  H5::ObjCreatPropList made(H5P_GROUP_CREATE);
  const herr_t done =
      H5Pset_link_creation_order(made.getId(), H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
  invariant(done >= 0, "HDF5 can keep the order of columns");
  const hid_t group = H5Gcreate2(file.getId(), "rows", H5P_DEFAULT, made.getId(), H5P_DEFAULT);
  invariant(group >= 0, "HDF5 can make a group in memory");
  H5::Group result(group);
  H5Gclose(group);  // the object counts its own
  return result;
}

}  // namespace

H5::H5File hdf5_in_memory() {
  H5::Exception::dontPrint();
  H5::FileAccPropList in_memory;
  constexpr std::size_t kGrowth = std::size_t{1} << 20U;
  in_memory.setCore(kGrowth, false);
  return {"memory", H5F_ACC_TRUNC, H5::FileCreatPropList::DEFAULT, in_memory};
}

std::string sealed_hdf5(const H5::H5File& file) {
  file.flush(H5F_SCOPE_GLOBAL);
  const ssize_t size = H5Fget_file_image(file.getId(), nullptr, 0);
  invariant(size > 0, "HDF5 shows the size of a file in memory");
  std::string bytes(static_cast<std::size_t>(size), '\0');
  const ssize_t copied = H5Fget_file_image(file.getId(), bytes.data(), bytes.size());
  invariant(copied == size, "HDF5 shows a file in memory");
  return sealed(std::move(bytes));
}

std::string hdf5_table(const TableHead& head, const std::vector<TableColumn>& columns) {
  const H5::H5File file = hdf5_in_memory();
  const H5::Group root = file.openGroup("/");
  for (const auto& [name, text] : head.texts) set_text(root, name, text);
  for (const auto& [name, number] : head.numbers) set_number(root, name, number);
  const H5::Group rows = rows_group(file);
  const ColumnWriter writer(rows, head.rows);
  for (const TableColumn& column : columns) writer.write(column);
  for (const TableColumn& column : columns) {
    if (!column.key.empty()) set_text(rows.openDataSet(column.name), "key", column.key);
  }
  return sealed_hdf5(file);
}

}  // namespace simtrain
