#include <filesystem>

#include <doctest/doctest.h>

#include "sim/core/input/input_error.h"
#include "sim/output/trace/chrome_trace.h"
#include "sim/output/trace/perfetto_trace.h"
#include "sim/output/trace/trace_counter.h"
#include "tests/cli/program.h"
#include "tests/output/trace_reader.h"

namespace simtrain::testing::trace_writers_test {
namespace {

constexpr TrackId kTrack{7, 1};

/// Two slices in one, a counter and an arrow; times that no double of microseconds holds.
void write_sample(TraceWriter& writer) {
  writer.process(7, "a \"rank\"", 1);
  writer.track(kTrack, "compute");
  writer.track({7, 2}, "send");
  writer.counter({7, 3}, "busy", "%");
  writer.begin(kTrack, Duration(0), {"outer", "pass"});
  writer.begin(kTrack, Duration(1), {"first", "kernel", {{"m", std::int64_t{8}}, {"rate", 1.5}}});
  writer.end(kTrack, Duration(1'999));
  writer.begin(kTrack, Duration(1'999), {"second", "kernel", {{"type", std::string("bf16")}}});
  writer.end(kTrack, Duration(123'456'789'012'345));
  writer.end(kTrack, Duration(123'456'789'012'345));
  writer.begin({7, 2}, Duration(5), {"send", "message", {}, {FlowEnd::Role::begins, 11}});
  writer.end({7, 2}, Duration(6));
  writer.begin({7, 2}, Duration(6), {"receive", "message", {}, {FlowEnd::Role::arrives, 11}});
  writer.end({7, 2}, Duration(7));
  writer.value({7, 3}, Duration(2'000'000), 12.5);
  writer.finish();
}

TEST_CASE("Chrome's format, event by event") {
  const TempFolder folder;
  ChromeTrace writer(folder.file("x.json"));
  write_sample(writer);
  CHECK(read_file(folder.file("x.json")) ==
        R"({"displayTimeUnit":"ns","traceEvents":[
{"ph":"M","pid":7,"name":"process_name","args":{"name":"a \"rank\""}},
{"ph":"M","pid":7,"name":"process_sort_index","args":{"sort_index":1}},
{"ph":"M","pid":7,"tid":1,"name":"thread_name","args":{"name":"compute"}},
{"ph":"M","pid":7,"tid":1,"name":"thread_sort_index","args":{"sort_index":1}},
{"ph":"M","pid":7,"tid":2,"name":"thread_name","args":{"name":"send"}},
{"ph":"M","pid":7,"tid":2,"name":"thread_sort_index","args":{"sort_index":2}},
{"ph":"B","pid":7,"tid":1,"ts":0.000000,"cat":"pass","name":"outer"},
{"ph":"B","pid":7,"tid":1,"ts":0.000001,"cat":"kernel","name":"first","args":{"m":8,"rate":1.5}},
{"ph":"E","pid":7,"tid":1,"ts":0.001999},
{"ph":"B","pid":7,"tid":1,"ts":0.001999,"cat":"kernel","name":"second","args":{"type":"bf16"}},
{"ph":"E","pid":7,"tid":1,"ts":123456789.012345},
{"ph":"E","pid":7,"tid":1,"ts":123456789.012345},
{"ph":"B","pid":7,"tid":2,"ts":0.000005,"cat":"message","name":"send"},
{"ph":"s","pid":7,"tid":2,"ts":0.000005,"cat":"message","name":"message","id":11},
{"ph":"E","pid":7,"tid":2,"ts":0.000006},
{"ph":"B","pid":7,"tid":2,"ts":0.000006,"cat":"message","name":"receive"},
{"ph":"f","bp":"e","pid":7,"tid":2,"ts":0.000006,"cat":"message","name":"message","id":11},
{"ph":"E","pid":7,"tid":2,"ts":0.000007},
{"ph":"C","pid":7,"ts":2.000000,"name":"busy","args":{"%":12.5}}
]}
)");
}

TEST_CASE("Perfetto's format holds the same, in whole nanoseconds") {
  const TempFolder folder;
  PerfettoTrace writer(folder.file("x.pftrace"));
  write_sample(writer);
  const ReadTrace trace = PerfettoReader::read(read_file(folder.file("x.pftrace")));
  CHECK(trace.wrong.empty());
  const auto& compute = trace.slices.at("a \"rank\"/compute");
  REQUIRE(compute.size() == 3);
  CHECK(compute[0].name == "outer");
  CHECK(compute[0].end == 123'456'789'012);
  CHECK(compute[1].end == 1);
  CHECK(compute[2].start == 1);
  CHECK(compute[2].category == "kernel");
  REQUIRE(trace.flows.size() == 2);
  CHECK(trace.flows[0].begins);
  CHECK(trace.flows[1].id == 11);
  CHECK(trace.counters.at("a \"rank\"/busy") ==
        std::vector<std::pair<std::int64_t, double>>{{2'000, 12.5}});
}

TEST_CASE("More names than are kept still read as they were written") {
  const TempFolder folder;
  PerfettoTrace writer(folder.file("x.pftrace"));
  writer.process(1, "p", 0);
  writer.track({1, 1}, "t");
  constexpr int kCount = 150'000;
  for (int i = 0; i < kCount; ++i) {
    writer.begin({1, 1}, Duration(i * 1000), {"name " + std::to_string(i), "c"});
    writer.end({1, 1}, Duration(i * 1000 + 500));
  }
  writer.finish();
  const ReadTrace trace = PerfettoReader::read(read_file(folder.file("x.pftrace")));
  const auto& slices = trace.slices.at("p/t");
  REQUIRE(slices.size() == kCount);
  for (const int i : {0, 65'535, 65'536, 70'000, kCount - 1})
    CHECK(slices[static_cast<std::size_t>(i)].name == "name " + std::to_string(i));
}

TEST_CASE("A name in .gz packs; a writer that did not finish leaves nothing") {
  const TempFolder folder;
  {
    ChromeTrace writer(folder.file("x.json.gz"));
    write_sample(writer);
    ChromeTrace plain(folder.file("x.json"));
    write_sample(plain);
    ChromeTrace unfinished(folder.file("y.json"));
    PerfettoTrace too(folder.file("y.pftrace"));
    unfinished.process(1, "p", 0);
  }
  CHECK(inflated(read_file(folder.file("x.json.gz"))) == read_file(folder.file("x.json")));
  const std::filesystem::directory_iterator files(folder.path());
  CHECK(std::distance(begin(files), end(files)) == 2);
  CHECK_THROWS_AS(ChromeTrace(folder.file("no/such.json")), InputError);
}

/// Integral of a counter, in the unit of its amounts.
double total(const TraceCounter& counter) {
  const auto values = counter.values();
  double sum = 0;
  for (std::size_t i = 0; i + 1 < values.size(); ++i)
    sum += values[i].second * to_seconds(values[i + 1].first - values[i].first);
  return sum;
}

TEST_CASE("A counter keeps its amounts, exact inside its windows") {
  const Duration end(1'000'000'000);  // 1 ms
  const std::vector<Span> windows{{Duration(100'000'123), Duration(200'000'456)},
                                  {Duration(700'000'000), Duration(700'000'010)}};
  TraceCounter counter(end, windows, 1e-6);
  double added = 0;
  for (std::int64_t i = 0; i < 900; ++i) {
    const Span span{Duration(i * 1'100'017), Duration(i * 1'100'017 + 900'001 * (1 + i % 3))};
    if (span.end > end) break;
    counter.add(span, static_cast<double>(i % 7));
    added += static_cast<double>(i % 7);
  }
  CHECK(total(counter) == doctest::Approx(added).epsilon(1e-9));
  TraceCounter exact(end, windows, 1e-6);
  exact.add({Duration(150'000'000), Duration(150'000'500)}, 5);
  bool seen = false;
  for (const auto& [time, value] : exact.values()) {
    CHECK((value == 0 || time == Duration(150'000'000)));
    seen = seen || value == doctest::Approx(1e10);
  }
  CHECK(seen);
  CHECK(total(TraceCounter(Duration(0), {}, 1)) == 0);
}

using Held = std::vector<std::pair<Duration, double>>;

TEST_CASE("What is held is exact inside windows, and the most of each five-hundredth outside") {
  const auto at = [](std::int64_t time, double bytes) {
    return MemoryPoint{Duration(time), bytes};
  };
  const Duration end(49'999);  // bins of 100
  const RankMemory memory{0,
                          0,
                          {at(0, 5), at(120, 9), at(130, 7), at(200, 6), at(250, 8), at(260, 6.25),
                           at(300, 4), at(49'999, 5)}};
  CHECK(
      held_bytes(memory, end, {}) ==
      Held{{Duration(0), 5}, {Duration(100), 9}, {Duration(200), 8}, {Duration(300), 4}, {end, 5}});
  CHECK(held_bytes(memory, end, {{Duration(125), Duration(255)}}) == Held{{Duration(0), 5},
                                                                          {Duration(100), 9},
                                                                          {Duration(130), 7},
                                                                          {Duration(200), 6},
                                                                          {Duration(250), 8},
                                                                          {Duration(300), 4},
                                                                          {end, 5}});
  CHECK(held_bytes(memory, end, {{Duration(0), end}}) == Held{{Duration(0), 5},
                                                              {Duration(120), 9},
                                                              {Duration(130), 7},
                                                              {Duration(200), 6},
                                                              {Duration(250), 8},
                                                              {Duration(260), 6},
                                                              {Duration(300), 4},
                                                              {end, 5}});
  CHECK(held_bytes({0, 0, {at(0, 5)}}, end, {}) == Held{{Duration(0), 5}});
  CHECK(held_bytes({0, 0, {at(0, 5)}}, Duration(0), {}) == Held{{Duration(0), 5}});
}

}  // namespace
}  // namespace simtrain::testing::trace_writers_test
