#include "sim/output/sweep/study_file.h"

#include <vector>

#include <H5Cpp.h>

#include "sim/core/files/seal.h"

namespace simtrain {
namespace {

/// One text of fixed length; nothing where the attribute is anything else.
std::optional<std::string> text_of(const H5::Group& group, const char* name) {
  constexpr std::size_t kLongest = 4096;
  if (!group.attrExists(name)) return std::nullopt;
  const H5::Attribute attribute = group.openAttribute(name);
  if (attribute.getTypeClass() != H5T_STRING ||
      attribute.getSpace().getSimpleExtentType() != H5S_SCALAR)
    return std::nullopt;
  const H5::StrType type = attribute.getStrType();
  if (type.isVariableStr() || type.getSize() > kLongest) return std::nullopt;
  std::string text(type.getSize(), '\0');
  attribute.read(type, text.data());
  return text.substr(0, text.find('\0'));
}

/// One whole number of 0 or more; nothing where the attribute is anything else.
std::optional<std::uint64_t> number_of(const H5::Group& group, const char* name) {
  if (!group.attrExists(name)) return std::nullopt;
  const H5::Attribute attribute = group.openAttribute(name);
  if (attribute.getTypeClass() != H5T_INTEGER ||
      attribute.getSpace().getSimpleExtentType() != H5S_SCALAR)
    return std::nullopt;
  std::uint64_t number = 0;
  attribute.read(H5::PredType::NATIVE_UINT64, &number);
  return number;
}

/// A column of `rows`; empty where there is none.
std::vector<double> column_of(const H5::H5File& file, const char* name) {
  const H5::DataSet data = file.openDataSet(std::string("rows/") + name);
  std::vector<double> values(static_cast<std::size_t>(data.getSpace().getSimpleExtentNpoints()));
  data.read(values.data(), H5::PredType::NATIVE_DOUBLE);
  return values;
}

void add_best(const H5::H5File& file, StudyFile& study) {
  const std::vector<double> steps = column_of(file, "step_time_s");
  const std::vector<double> mfus = column_of(file, "mfu");
  const std::vector<double> fits = column_of(file, "fits");
  for (std::size_t i = 0; i < steps.size() && i < mfus.size() && i < fits.size(); ++i) {
    if (!(steps[i] > 0) || fits[i] != 1) continue;
    ++study.fitting;
    if (study.step_s && *study.step_s <= steps[i]) continue;
    study.step_s = steps[i];
    study.mfu = mfus[i];
  }
}

}  // namespace

StudyFile study_file(const std::string& path) {
  if (!has_seal(path)) return {};
  try {
    H5::Exception::dontPrint();
    const H5::H5File file(path, H5F_ACC_RDONLY);
    const H5::Group root = file.openGroup("/");
    StudyFile study{text_of(root, "schema").value_or(""), text_of(root, "scenario").value_or(""),
                    text_of(root, "question"), number_of(root, "candidates")};
    if (const auto complete = number_of(root, "complete")) study.complete = *complete == 1;
    if (study.schema == "simtrain.sweep/1") add_best(file, study);
    return study;
  } catch (const H5::Exception&) {
    return {};
  }
}

}  // namespace simtrain
