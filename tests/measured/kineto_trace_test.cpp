#include <doctest/doctest.h>

#include "tests/measured/profiles.h"

namespace simtrain::testing::kineto_trace_test {
namespace {

constexpr std::string_view kHead = R"({
  "schemaVersion": 1,
  "deviceProperties": [{"id": 0, "name": "NVIDIA H100 80GB HBM3", "totalGlobalMem": 85045542912}],
  "distributedInfo": {"backend": "nccl", "rank": 3, "world_size": 8, "pg_count": 2,
    "pg_config": [{"pg_name": "0", "pg_desc": "default_pg", "ranks": [0, 1]}]},
  "traceEvents": [
  {"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 41, "tid": 41, "ts": 10.5, "dur": 99.0,
    "args": {"External id": 7, "note": "}{][\" \\"}})";

std::string kernel(std::string_view name, std::string_view time,
                   std::string_view category = "kernel", std::string_view more = "") {
  return fmt::format(
      ",\n  {{\n    \"ph\": \"X\", \"cat\": \"{}\", \"name\": \"{}\", \"pid\": 0, \"tid\": 7,\n    "
      "\"ts\": 100.25, \"dur\": {},\n    \"args\": {{\"stream\": 7, \"device\": 0{}}}\n  }}",
      category, name, time, more);
}

std::string step(int number) {
  return fmt::format(
      ",\n  {{\"ph\": \"X\", \"cat\": \"user_annotation\", \"name\": \"ProfilerStep#{}\", \"ts\": "
      "1, "
      "\"dur\": 5}}",
      number);
}

std::string trace(const std::string& events) {
  return std::string(kHead) + events + "\n  ],\n  \"traceName\": \"rank3.json\"\n}\n";
}

TEST_CASE("kineto-trace: kernels, copies, steps and whose trace it is") {
  const std::string events =
      step(5) + step(6) + step(6) + kernel("nvjet_tst_128x256", "1500.5") +
      kernel("nvjet_tst_128x256", "499.5") +
      kernel("Memcpy DtoD (Device -> Device)", "3", "gpu_memcpy") +
      kernel("Memset (Device)", "2", "gpu_memset") +
      kernel("ncclDevKernel_Generic_1(ncclDevKernelArgsStorage<4096ul>)", "100", "kernel",
             ", \"Collective name\": \"_allgather_base\", \"In msg nelems\": 1024") +
      ",\n{\"ph\": \"M\", \"name\": \"process_name\", \"args\": {\"name\": \"python\"}}" +
      ",\n{\"ph\": \"f\", \"cat\": \"ac2g\", \"name\": \"kernel\", \"id\": 1, \"ts\": 100}";
  for (const std::size_t piece : {1UL, 7UL, 100000UL}) {
    const Profile profile = read_profile_text(trace(events), "", piece);
    CHECK(profile.format == "kineto-trace");
    CHECK(profile.skipped.count == 0);
    CHECK(profile.steps == 2);
    REQUIRE(profile.place);
    CHECK(profile.place->rank == 3);
    CHECK(profile.place->ranks == 8);
    REQUIRE(profile.kernels.size() == 4);
    CHECK(profile.kernels[0].kind == KernelKind::gemm);
    CHECK(profile.kernels[0].calls == 2);
    CHECK(profile.kernels[0].seconds == doctest::Approx(2e-3));
    CHECK(profile.kernels[1].kind == KernelKind::nccl_all_gather);
    CHECK(profile.kernels[2].kind == KernelKind::copy);
  }
}

TEST_CASE("kineto-trace: when any kernel runs") {
  const auto at = [](std::string_view start, std::string_view time) {
    std::string event = kernel("nvjet_tst_128x256", time);
    return event.replace(event.find("100.25"), 6, start);
  };
  // Microseconds since 1970 have all their digits.
  const Profile profile =
      read_profile_text(trace(at("1732471200000000.500", "10") + at("1732471200000005.500", "10") +
                              at("1732471200000100.500", "4.25")));
  REQUIRE(profile.busy_s);
  CHECK(*profile.busy_s == doctest::Approx(19.25e-6).epsilon(0.02));
  CHECK(*profile.whole_s == doctest::Approx(104.25e-6).epsilon(0.01));
  CHECK(!read_profile_text(trace(step(1))).busy_s);
}

TEST_CASE("kineto-trace: kernels of NCCL with their calls") {
  const auto call = [](std::string_view collective, std::string_view dtype) {
    return kernel("ncclDevKernel_X", "1", "kernel",
                  fmt::format(", \"Collective name\": \"{}\", \"In msg nelems\": 1024, \"Out msg "
                              "nelems\": 128, \"Group size\": 8, \"dtype\": \"{}\"",
                              collective, dtype));
  };
  const Profile profile = read_profile_text(trace(
      call("_reduce_scatter_base", "Float") + call("_reduce_scatter_base", "Float") +
      call("allreduce", "BFloat16") + call("send", "BFloat16") + call("_allgather_base", "Byte") +
      call("all_to_allv", "Float") + call("allreduce", "Unheard") +
      kernel("ncclDevKernel_X", "1", "kernel",
             ", \"Collective name\": \"allreduce\", \"In msg nelems\": \"many\", \"Group "
             "size\": 8, \"dtype\": \"Float\"")));
  CHECK(profile.skipped.count == 0);
  CHECK(profile.kernels.front().calls == 8);
  CHECK(profile.calls == CallCounts{{{NcclFunction::reduce_scatter, 8, 7, 128}, 2},
                                    {{NcclFunction::all_reduce, 8, 9, 1024}, 1},
                                    {{NcclFunction::send, 0, 9, 1024}, 1},
                                    {{NcclFunction::all_gather, 8, 1, 1024}, 1}});
}

TEST_CASE("kineto-trace: a bare list of events, on one line") {
  const Profile profile = read_profile_text(
      R"([{"ph":"X","cat":"Kernel","name":"flash_fwd_kernel","ts":1,"dur":7,"args":{}}])");
  CHECK(profile.format == "kineto-trace");
  REQUIRE(profile.kernels.size() == 1);
  CHECK(profile.kernels[0].kind == KernelKind::attention);
  CHECK(!profile.steps);
  CHECK(!profile.place);
}

TEST_CASE("kineto-trace: events that cannot be read are skipped by number") {
  const std::string good = kernel("gemm", "5");
  const auto skipped = [&](const std::string& bad) {
    return skipped_line(read_profile_text(trace(good + bad + good)));
  };
  const std::string no_time =
      "14: starts a kernel without a name, or without a time that is a number";
  CHECK(skipped(kernel("gemm", "null")) == no_time);
  CHECK(skipped(kernel("gemm", "\"5\"")) == no_time);
  CHECK(skipped(kernel("gemm", "5 6")) == "14: starts an event that is no JSON that can be read");
  CHECK(skipped(kernel("gemm", "-5")) == "14: its time is no number of 0 or more");
  CHECK(skipped(kernel("", "5")) == no_time);
  CHECK(skipped(kernel("gemm", "5", "kernel", ", \"x\": \"" + std::string(300000, 'x') + "\"")) ==
        "14: starts an event of more than 262144 bytes");
}

TEST_CASE("kineto-trace: cut off at each of its bytes, it reports that and keeps whole events") {
  const std::string whole = trace(kernel("gemm_one", "5") + kernel("gemm_two", "6"));
  for (std::size_t size = kHead.size(); size + 1 < whole.size(); ++size) {
    const Profile profile = read_profile_text(whole.substr(0, size));
    CAPTURE(size);
    CHECK(profile.format == "kineto-trace");
    CHECK(profile.skipped.count == 1);
    CHECK(profile.kernels.size() <= 2);
  }
}

TEST_CASE("kineto-trace: arguments of other types than expected lose no kernel") {
  const std::string bare =
      ",{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"nvjet_b\", \"dur\": 1, \"args\": null}";
  const Profile profile = read_profile_text(
      trace(kernel("nvjet_a", "1", "kernel", ", \"dtype\": null") + bare +
            kernel("nvjet_c", "1", "kernel", ", \"Collective name\": 7, \"Group size\": [1]")));
  CHECK(profile.skipped.count == 0);
  CHECK(profile.kernels.size() == 3);
  CHECK(profile.events == 4);
}

TEST_CASE("kineto-trace: steps are annotations with a length, and nothing else of their name") {
  const Profile profile =
      read_profile_text(trace(step(1) +
                              ",{\"ph\": \"i\", \"cat\": \"user_annotation\", \"name\": "
                              "\"ProfilerStep#2\"},{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": "
                              "\"ProfilerStep#3\"}" +
                              kernel("nvjet", "1")));
  CHECK(profile.steps == 1);
}

TEST_CASE("kineto-trace: FP8 travels as bytes, and kernels without a call are counted") {
  const auto call = [](std::string_view dtype) {
    return kernel("ncclDevKernel_X", "1", "kernel",
                  fmt::format(", \"Collective name\": \"_allgather_base\", \"In msg nelems\": 4, "
                              "\"Group size\": 8, \"dtype\": \"{}\"",
                              dtype));
  };
  const Profile profile =
      read_profile_text(trace(call("Float8_e4m3fn") + call("Float8_e5m2") + call("Unheard") +
                              kernel("ncclDevKernel_Y", "1") + kernel("nvjet", "1")));
  CHECK(profile.calls == CallCounts{{{NcclFunction::all_gather, 8, 1, 4}, 2}});
  CHECK(profile.unknown_calls == 2);
}

TEST_CASE("kineto-trace: the rank of the job is the outermost one, wherever it is") {
  const auto place = [](std::string_view info) {
    return read_profile_text(
               fmt::format(
                   R"({{"distributedInfo" : {},"traceEvents" : [{{"ph":"X","cat":"kernel","name":"a","dur":1}}]}})",
                   info))
        .place;
  };
  const auto found =
      place(R"({"pg_config": [{"rank": 5, "world_size": 9}], "world_size" : 8, "rank": 3})");
  REQUIRE(found);
  CHECK(found->rank == 3);
  CHECK(found->ranks == 8);
  CHECK(!place(R"({"pg_config": [{"rank": 5, "world_size": 9}]})"));
  CHECK(!place(R"({"rank": "3", "world_size": 8})"));
  CHECK(!place("7"));
  CHECK(!place("{"));
}

TEST_CASE("kineto-trace: a few kernels on another GPU make no second rank") {
  std::string own;
  for (int i = 0; i < 10; ++i) own += kernel("nvjet", "1");
  std::string stray = kernel("stray", "5");
  stray.replace(stray.find("\"device\": 0"), 11, "\"device\": 1");
  const Profile rank = read_profile_text(trace(own + stray + stray));
  CHECK(rank.gpus == 1);
  CHECK(rank.kernels.size() == 1);
  CHECK(rank.skipped.count == 2);
  CHECK(rank.skipped.reasons.begin()->first ==
        "is of another GPU than most kernel time of the rank");
  const std::string nobody = "[{\"ph\": \"M\"}" + own + stray + "]";
  const Profile node = read_profile_text(nobody);
  CHECK(node.gpus == 1);
  CHECK(node.kernels.size() == 2);
  CHECK(node.skipped.count == 0);
}

TEST_CASE("kineto-trace: what nests without end is read no further") {
  const std::string deep = trace(kernel("gemm", "5")) + std::string(1000010, '[') + "{";
  CHECK(skipped_line(read_profile_text(deep))
            .find("nests deeper than 1000000 levels; the rest is left out") != std::string::npos);
}

TEST_CASE("kineto-trace: a head that lacks a rank, or is broken, gives no rank and does no harm") {
  const std::string events = "\"traceEvents\": [" + kernel("nvjet", "5").substr(2) + "]}";
  const std::string whole =
      R"({"distributedInfo": {"backend": "nccl", "rank": 3, "world_size": 8}, )";
  CHECK(read_profile_text(whole + events).place->rank == 3);
  for (const std::string info :
       {R"({"distributedInfo": {"backend": "nccl", "world_size": 8}, )",
        R"({"distributedInfo": {"rank": 3}, )", R"({"distributedInfo": {}, )",
        R"({"distributedInfo": {"rank": -1, "world_size": 8}, )",
        R"({"distributedInfo": {"rank": "3", "world_size": 8}, )",
        R"({"distributedInfo": {"backend":)", R"({"distributedInfo": {"backend": {"a":)",
        R"({"distributedInfo": {"backend": {"a")",
        R"({"distributedInfo": {"backend": {"a":[1]},}, )"}) {
    CAPTURE(info);
    CHECK(!read_profile_text(info + events).place);
  }
  // One byte taken from the head, or put into it.
  for (std::size_t at = 1; at < whole.size(); ++at) {
    std::string shorter = whole;
    shorter.erase(at, 1);
    static_cast<void>(read_profile_text(shorter + events, "kineto-trace"));
    for (const char c : std::string_view("{}[]\",:")) {
      std::string longer = whole;
      longer.insert(at, 1, c);
      static_cast<void>(read_profile_text(longer + events, "kineto-trace"));
    }
  }
}

TEST_CASE("deep nesting is no way to break a reader") {
  const std::string open(100'000, '[');
  const std::string close(100'000, ']');
  const std::string events = "\"traceEvents\": [" + kernel("nvjet", "5").substr(2) + "]}";
  CHECK(read_profile_text("{\"a\": " + open + close + ", " + events).kernels.size() == 1);
  const Profile inside = read_profile_text(
      "{\"traceEvents\": [{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"k\", "
      "\"dur\": 5, \"args\": {\"device\": " +
      open + close + "}}]}");
  CHECK(inside.kernels.size() + static_cast<std::size_t>(inside.skipped.count) == 1);
  CHECK(read_profile_text("{\"traceEvents\": " + open).kernels.empty());
}

}  // namespace
}  // namespace simtrain::testing::kineto_trace_test
