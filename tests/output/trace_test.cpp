#include "sim/output/trace/trace.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

#include <doctest/doctest.h>

#include "sim/core/input/input_error.h"
#include "sim/output/nccl/nccl_trace.h"
#include "sim/run/pieces/critical_path.h"
#include "sim/workload/schedule/stage_layout.h"
#include "tests/cli/program.h"
#include "tests/core/sanitized.h"
#include "tests/output/trace_reader.h"
#include "tests/run/scenarios.h"

namespace simtrain::testing::trace_test {
namespace {

/// With and without PP, VP, CP, FP8, overlap; ranks that are unlike; buckets reduced inside passes.
const std::vector<Case>& cases() {
  static const std::vector<Case> all{
      {"llama31_8b_h100", "bf16-8", {"gbs=16"}},
      {"llama31_8b_h100", "fp8-16", {"gbs=32", "cuda_graphs=true"}},
      {"llama31_70b_h100", "bf16-64", {"gbs=32"}},
      {"llama31_70b_h100", "bf16-64", {"gbs=32", "vp=1"}},
      {"llama31_70b_h100",
       "fp8-64",
       {"gbs=32", "cluster.faults.gpus=[{host: node1, gpu: 3, slowdown: 1.2}]"}},
      {"llama31_405b_h100", "bf16-64", {"gbs=16"}},
      {"llama31_405b_h100", "bf16-64", {"gbs=16", "overlap.overlap_p2p_comm=false"}},
      {"llama31_405b_h100", "fp8-64", {"gbs=16"}}};
  return all;
}

ReadTrace chrome_of(const SimulatedStep& simulated, TraceRequest request) {
  const TempFolder folder;
  request.path = folder.file("x.json");
  write_trace(simulated, request);
  return read_chrome(read_file(request.path));
}

void check_flows(const ReadTrace& trace) {
  std::map<std::uint64_t, int> begun;
  std::map<std::uint64_t, std::int64_t> when;
  std::int64_t wrong = 0;
  for (const ReadFlow& flow : trace.flows) {
    const int before = begun[flow.id]++;
    if (flow.begins) when[flow.id] = flow.time;
    // It arrives behind its begin, once.
    if (before != (flow.begins ? 0 : 1) || when[flow.id] > flow.time) ++wrong;
  }
  for (const auto& [id, ends] : begun) wrong += ends == 2 ? 0 : 1;
  CHECK(wrong == 0);
}

void check_counters(const ReadTrace& trace, std::int64_t end) {
  for (const auto& [name, values] : trace.counters) {
    const auto& shown = name;
    CAPTURE(shown);
    REQUIRE(!values.empty());
    const bool memory = name.ends_with("memory allocated");
    const double most = memory ? 1e12 : name.ends_with("GPU busy") ? 100.1 : 1e4;
    std::int64_t last = -1;
    std::int64_t wrong = 0;
    for (const auto& [time, value] : values) {
      if (time <= last || time > end || !(value >= 0 && value <= most)) ++wrong;
      last = time;
    }
    CHECK(wrong == 0);
    if (memory) {
      CHECK(values.front().first == 0);
      CHECK(values.back().second == values.front().second);
    } else {
      CHECK(values.back().second == 0);
    }
  }
}

/// The memory counters of a trace; the most of each is the figure of its stage in the report.
void check_memory(const ReadTrace& trace, const Report& report) {
  std::size_t shown = 0;
  for (const auto& [name, values] : trace.counters) {
    if (!name.ends_with("memory allocated")) continue;
    const std::string start = name.substr(name.find("stage ") + 6);
    const StageMemory& stage = report.memory.at(std::stoul(start));
    double most = 0;
    for (const auto& [time, bytes] : values) most = std::max(most, bytes);
    CHECK(std::abs(most - stage.allocated()) < 1 + 1e-9 * most);
    CHECK(std::abs(values.back().second - stage.kept()) < 1 + 1e-9 * most);
    ++shown;
  }
  CHECK(shown >= report.memory.size());
}

TEST_CASE("A trace of every kind of recipe holds together and ends with its step") {
  for (const Case& one : thinned(cases())) {
    CAPTURE(one.file);
    CAPTURE(one.row);
    const Scenario asked = scenario(one.file, one.row, one.settings);
    const SimulatedStep simulated = simulate_step(asked);
    const ReadTrace trace = chrome_of(simulated, {"", {{kAllNumbers}}, std::nullopt});
    CHECK(trace.wrong.empty());
    const std::int64_t end = simulated.timeline.end.count();
    std::int64_t last = 0;
    std::int64_t outside = 0;
    for (const auto& [track, slices] : trace.slices) {
      for (const ReadSlice& slice : slices) {
        if (slice.start < 0 || slice.end > end) ++outside;
        if (track != "job/step") last = std::max(last, slice.end);
      }
    }
    CHECK(last == end);
    CHECK(outside == 0);
    CHECK(trace.slices.at("job/step").front().end == end);
    CHECK(static_cast<double>(end) / 1e12 == report_of(simulated).step_time_s);
    check_flows(trace);
    CHECK(trace.flows.empty() == (simulated.grid.pp() == 1));
    check_counters(trace, end);
    check_memory(trace, report_of(simulated));
  }
}

TEST_CASE("The memory counter has its peak whichever micro-batches are shown closely") {
  const Scenario asked = scenario("llama31_405b_h100", "bf16-64", {"gbs=16"});
  const SimulatedStep simulated = simulate_step(asked);
  const Report report = report_of(simulated);
  for (const std::vector<NumberRange>& chosen :
       {std::vector<NumberRange>{{0, 0}}, {{3, 5}}, {kAllNumbers}})
    check_memory(chrome_of(simulated, {"", std::nullopt, chosen}), report);
}

TEST_CASE("Passes of a trace are the spans of the timeline") {
  for (const Case& one : cases()) {
    CAPTURE(one.file);
    const Scenario asked = scenario(one.file, one.row, one.settings);
    const SimulatedStep simulated = simulate_step(asked);
    const ReadTrace trace = chrome_of(simulated, {"", std::nullopt, {{{0, 0}}}});
    std::multiset<std::pair<std::int64_t, std::int64_t>> shown;
    for (const auto& [track, slices] : trace.slices) {
      for (const ReadSlice& slice : slices) {
        if (slice.category == "pass") shown.insert({slice.start, slice.end});
      }
    }
    std::multiset<std::pair<std::int64_t, std::int64_t>> spans;
    std::set<std::uint32_t> programs;
    for (std::uint32_t rank = 0; rank < simulated.plan.ranks.size(); ++rank) {
      const std::uint32_t number = simulated.plan.ranks[rank].program;
      if (!programs.insert(number).second) continue;
      const Program& program = simulated.plan.programs[number];
      for (std::uint32_t op = 0; op < program.ops.size(); ++op) {
        const Label label = program.ops[op].label;
        const Span& span = simulated.timeline.span(rank, op);
        if (label == Label::forward || label == Label::backward)
          spans.insert({span.start.count(), span.end.count()});
      }
    }
    CHECK(shown == spans);
  }
}

TEST_CASE("Inside a pass are its layers, and kernels fill them") {
  const Scenario asked = scenario("llama31_405b_h100", "bf16-64", {"gbs=16"});
  const SimulatedStep simulated = simulate_step(asked);
  const ReadTrace trace = chrome_of(simulated, {"", {{{0, 0}}}, {{kAllNumbers}}});
  std::set<std::string> names;
  std::set<std::string> layers;
  std::int64_t passes = 0;
  std::int64_t inside = 0;
  for (const auto& [track, slices] : trace.slices) {
    if (!track.ends_with("/compute")) continue;
    for (const ReadSlice& slice : slices) {
      names.insert(slice.name);
      if (slice.category == "layer") layers.insert(slice.name);
      if (slice.category == "pass") passes += slice.end - slice.start;
      if (slice.category == "kernel" || slice.category == "wait") inside += slice.end - slice.start;
    }
  }
  const Recipe& recipe = asked.recipe;
  CHECK(layers.contains("layer 3"));  // chunk 0 holds the embedding in place of a layer
  CHECK(layers.contains("embedding"));
  std::size_t held = 0;
  for (const ChunkLayout& chunk : stage_chunks(recipe, 0))
    held += static_cast<std::size_t>(chunk.layers);
  CHECK(layers.size() == held + 1);
  CHECK(names.contains("linear_fc1 gemm_bf16"));
  CHECK(names.contains("core_attention cudnn_flash_fprop_causal"));
  // The rest of a pass is spent waiting for transfers of its own.
  CHECK(inside > passes / 2);
  CHECK(inside < passes + passes / 10);
}

TEST_CASE("Both formats hold the same") {
  for (const Case& one : {cases()[2], cases()[5]}) {
    const Scenario asked = scenario(one.file, one.row, one.settings);
    const SimulatedStep simulated = simulate_step(asked);
    const TempFolder folder;
    write_trace(simulated, {folder.file("x.json"), std::nullopt, std::nullopt});
    write_trace(simulated, {folder.file("x.pftrace.gz"), std::nullopt, std::nullopt});
    const ReadTrace chrome = read_chrome(read_file(folder.file("x.json")));
    const ReadTrace perfetto =
        PerfettoReader::read(inflated(read_file(folder.file("x.pftrace.gz"))));
    CHECK(perfetto.wrong.empty());
    check_flows(perfetto);
    CHECK(perfetto.flows.size() == chrome.flows.size());
    REQUIRE(perfetto.slices.size() == chrome.slices.size());
    for (const auto& [track, slices] : chrome.slices) {
      const auto& shown = track;
      CAPTURE(shown);
      const auto& others = perfetto.slices.at(track);
      REQUIRE(others.size() == slices.size());
      std::int64_t unlike = 0;
      for (std::size_t i = 0; i < slices.size(); ++i) {
        if (others[i].name != slices[i].name || others[i].depth != slices[i].depth ||
            others[i].start != slices[i].start / 1000 || others[i].end != slices[i].end / 1000)
          ++unlike;
      }
      CHECK(unlike == 0);
    }
    for (const auto& [name, values] : chrome.counters)
      CHECK(perfetto.counters.at(name).size() == values.size());
    check_memory(perfetto, report_of(simulated));
  }
}

TEST_CASE("Ranks that were folded away are shown as their representatives") {
  const Scenario asked = scenario("llama31_70b_h100", "bf16-64", {"gbs=32"});
  const SimulatedStep simulated = simulate_step(asked);
  const ReadTrace trace = chrome_of(simulated, {"", {{{1, 1}}}, {{{0, 0}}}});
  const int representative = simulated.classes.step_representative[1];
  REQUIRE(representative != 1);
  CHECK(trace.slices.contains("rank 1, stage 0 (as rank " + std::to_string(representative) +
                              ")/compute"));
  CHECK(trace.flows.empty());
  CHECK_THROWS_AS(chrome_of(simulated, {"", {{{0, 64}}}, std::nullopt}), InputError);
  CHECK_THROWS_AS(chrome_of(simulated, {"", std::nullopt, {{{99999, 99999}}}}), InputError);
}

using Totals = std::map<std::pair<std::string, Collective>, std::pair<std::int64_t, std::int64_t>>;

TEST_CASE("The log of NCCL calls adds up to the report's communication table") {
  for (const Case& one : cases()) {
    CAPTURE(one.file);
    CAPTURE(one.row);
    const Scenario asked = scenario(one.file, one.row, one.settings);
    const SimulatedStep simulated = simulate_step(asked);
    Totals reported;
    for (const CommunicationRow& row : report_of(simulated).communication) {
      auto& [calls, bytes] = reported[{row.group, row.collective}];
      calls += row.count;
      bytes += row.count * row.bytes.value();
    }
    Totals called;
    const int busiest = simulated.plan.ranks[busiest_rank(simulated.plan, simulated.timeline)].rank;
    std::int64_t lines = 0;
    for (const NcclCalls& row : nccl_calls(simulated, busiest)) {
      auto& [calls, bytes] = called[{row.group, row.collective}];
      calls += row.calls;
      bytes += row.bytes;
      if (!row.own_exchange) lines += row.group == "cp" ? 2 * row.calls : row.calls;
    }
    CHECK(called == reported);
    const TempFolder folder;
    write_nccl_trace(simulated, folder.file("x.log"), std::nullopt);
    const std::string log = read_file(folder.file("x.log"));
    std::istringstream text(log);
    std::int64_t found = 0;
    for (std::string line; std::getline(text, line);) {
      if (line.find("opCount") != std::string::npos) ++found;
    }
    CHECK(found == lines);
  }
}

}  // namespace
}  // namespace simtrain::testing::trace_test
