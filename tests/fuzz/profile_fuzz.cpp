// Any bytes at all, read as a profile of each kind: nothing is thrown, no more is read than there
// is, and the pieces in which it comes do not matter. What was read is compared and printed; only
// InputError may come out of that. The first byte chooses the format, the rest of it the pieces.
#include <cstddef>
#include <cstdint>
#include <string>

#include "sim/core/invariant.h"
#include "sim/measured/profiles/profile_format.h"
#include "sim/output/profiles/profile_report.h"
#include "sim/run/simulate.h"
#include "tests/core/checkout.h"

namespace {

using simtrain::Profile;
using simtrain::Scenario;
using simtrain::SimulatedStep;

const SimulatedStep& job() {
  static const simtrain::DataFolder data(simtrain::testing::source_dir());
  static const Scenario scenario =
      simtrain::ScenarioSource::from_file(simtrain::testing::source_dir() +
                                          "/scenarios/llama31_8b_h100.yaml")
          .scenario(data, "bf16-8",
                    {simtrain::parse_setting("gbs=8"),
                     simtrain::parse_setting("model_overrides.num_layers=4")});
  static const SimulatedStep simulated = simulate_step(scenario);
  return simulated;
}

std::string read(std::string_view text, std::size_t piece, const std::string& format) {
  simtrain::ProfileReport report{simtrain::read_profile(simtrain::text_source(text, piece), format),
                                 {}};
  simtrain::invariant(report.profile.bytes <= static_cast<std::int64_t>(text.size()),
                      "no more is read than there is");
  try {
    report.comparisons = simtrain::compare_profile(job(), report.profile, {});
  } catch (const simtrain::InputError& error) {  // what an odd profile deserves
    return error.what() + simtrain::profile_json("fuzz", {report});
  }
  return simtrain::profile_text("fuzz", {report}) + simtrain::profile_json("fuzz", {report});
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const auto formats = simtrain::profile_formats();
  const std::size_t choice = data[0];
  const std::size_t which = choice % (formats.size() + 1);
  const std::string format(which < formats.size() ? formats[which]->name : "");
  const std::string text(data + 1, data + size);
  const std::string once = read(text, text.size() + 1, format);
  simtrain::invariant(once == read(text, 1 + choice / 4, format),
                      "a profile reads the same in any pieces");
  return 0;
}
