#include <doctest/doctest.h>

#include "tests/measured/profiles.h"

namespace simtrain::testing::nccl_log_test {
namespace {

/// A line of NCCL 2.25.
std::string call_line(std::string_view function, std::int64_t count, int type,
                      std::string_view process = "node3:411:2207 [2]", int ranks = 8) {
  return fmt::format(
      "{} NCCL INFO {}: opCount 1f sendbuff 0x7f12c2000000 recvbuff 0x7f12c2000000 count {} "
      "datatype {} op 0 root 0 comm 0x55d0c3a1b2f0 [nranks={}] stream 0x55d0c2f0a1c0\n",
      process, function, count, type, ranks);
}

TEST_CASE("nccl-log: calls of a process by function, size of the group, type and count") {
  const Profile profile = read_profile_text(
      "node3:411:411 [2] NCCL INFO Bootstrap : Using eth0:10.0.0.3<0>\n" +
      call_line("AllReduce", 1048576, 9) + call_line("AllReduce", 1048576, 9) +
      call_line("AllGather", 1024, 1) + call_line("Send", 4096, 9, "node3:411:2309 [2]", 2) +
      call_line("AllToAll", 64, 7) + "loss 11.9\n");
  CHECK(profile.format == "nccl-log");
  CHECK(profile.skipped.count == 0);
  REQUIRE(profile.processes.size() == 1);
  const LoggedProcess& process = profile.processes[0];
  CHECK(process.name == "node3:411");
  CHECK(process.calls == CallCounts{{{NcclFunction::all_reduce, 8, 9, 1048576}, 2},
                                    {{NcclFunction::all_gather, 8, 1, 1024}, 1},
                                    {{NcclFunction::send, 0, 9, 4096}, 1},
                                    {{NcclFunction::all_to_all, 8, 7, 64}, 1}});
  CHECK(!process.place);
}

TEST_CASE("nccl-log: the largest communicator of a process gives its place") {
  const Profile profile = read_profile_text(
      "node3:411:480 [2] NCCL INFO ncclCommInitRankConfig comm 0x55d0c3a1b2f0 rank 26 nranks 64 "
      "cudaDev 2 nvmlDev 2 busId 4c000 commId 0x7a1f - Init COMPLETE\n"
      "node3:411:480 [2] NCCL INFO ncclCommSplit comm 0x55d0c3a1b2f1 rank 2 nranks 8 cudaDev 2 "
      "nvmlDev 2 busId 4c000 parent 0x55d0c3a1b2f0 color 1 key 2 commId 0x7a20 - Init COMPLETE\n" +
      call_line("Broadcast", 5, 4));
  REQUIRE(profile.processes.size() == 1);
  REQUIRE(profile.processes[0].place);
  CHECK(profile.processes[0].place->rank == 26);
  CHECK(profile.processes[0].place->ranks == 64);
}

TEST_CASE("nccl-log: RCCL's calls give the place of the process, and have names of their own") {
  const std::string banner =
      "node3:411:411 [2] NCCL INFO RCCL version : 2.22.3-HEAD:9ce4c9d\n"
      "HIP version  : 6.4.43482\nROCm version : 6.4.0.0\nHostname     : node3\n"
      "Librccl path : /opt/rocm/lib/librccl.so.1\n";
  const auto rccl = [](std::string_view function, int ranks, std::string_view behind) {
    return fmt::format(
        "node3:411:2207 [2] NCCL INFO {}: opCount 1f sendbuff 0x7f12c2000000 recvbuff "
        "0x7f12c2000000 acc (nil) count 64 datatype 9 op 0 root 0 comm 0x55d0c3a1b2f0 [nranks={}] "
        "stream 0x55d0c2f0a1c0 {}",
        function, ranks, behind);
  };
  const Profile profile =
      read_profile_text(banner + rccl("AllReduce", 16, "task 0 globalrank 13\n") +
                        rccl("AllReduceWithBias", 8, "task 0 globalrank 5\n") +
                        rccl("AllToAllPivot", 8, "task 0 globalrank 5\n"));
  CHECK(profile.skipped.count == 0);
  REQUIRE(profile.processes.size() == 1);
  CHECK(profile.processes[0].calls == CallCounts{{{NcclFunction::all_reduce, 16, 9, 64}, 1},
                                                 {{NcclFunction::all_reduce, 8, 9, 64}, 1},
                                                 {{NcclFunction::all_to_all, 8, 9, 64}, 1}});
  REQUIRE(profile.processes[0].place);
  CHECK(profile.processes[0].place->rank == 13);
  CHECK(profile.processes[0].place->ranks == 16);
  const Profile cut = read_profile_text(rccl("AllReduce", 16, "task 0 globalrank 1"));
  CHECK(!cut.processes[0].place);  // of 13, perhaps
}

TEST_CASE("nccl-log: launchers and time stamps may precede a line; processes are kept apart") {
  const Profile profile =
      read_profile_text("5: [2025-03-01 10:00:00] " + call_line("AllReduce", 1, 7) +
                        "[default1]:" + call_line("AllReduce", 1, 7, "node3:412:2208 [3]") +
                        call_line("AllReduce", 1, 7, "n:1:2"));
  REQUIRE(profile.processes.size() == 3);
  CHECK(profile.skipped.count == 0);
}

TEST_CASE("nccl-log: newer releases write the device before the call") {
  const Profile profile = read_profile_text(call_line("[2] AllGather", 1024, 1, "node3:411:2207") +
                                            call_line("AllGather", 1024, 1) +
                                            call_line("[2]", 1024, 1) + call_line("[", 1024, 1));
  REQUIRE(profile.processes.size() == 1);
  CHECK(profile.processes[0].calls == CallCounts{{{NcclFunction::all_gather, 8, 1, 1024}, 2}});
  CHECK(profile.skipped.count == 2);
}

TEST_CASE("nccl-log: calls that cannot be read are skipped by number") {
  const std::string good = call_line("AllReduce", 1048576, 9);
  const auto skipped = [&](const std::string& bad) {
    return skipped_line(read_profile_text(good + bad));
  };
  CHECK(skipped(good.substr(0, 90) + good) ==
        "2: holds two calls: another line was written into it");
  CHECK(skipped(good.substr(0, good.find("76 datatype"))) ==
        "2: its count is missing, cut off or no number");
  CHECK(skipped(call_line("AllReduce", -1, 9)) == "2: its count is missing, cut off or no number");
  CHECK(skipped(call_line("AllReduce", 1, 12)) ==
        "2: its datatype is missing, cut off or none of NCCL's");
  CHECK(skipped(call_line("AllReduce", 1, 9, "n:1:2", 0)) ==
        "2: its nranks are missing, cut off or no number");
  CHECK(skipped(call_line("AllSorts", 1, 9)) == "2: calls no function of NCCL that is known here");
  CHECK(skipped(call_line("AllReduce", 1, 9, "node3")) ==
        "2: is a call of no process (host:pid:tid)");
  CHECK(skipped("AllReduce: opCount 1 count 5 datatype 7\n") ==
        "2: is a call behind no 'NCCL INFO'");
  CHECK(skipped(call_line("AllReduce", 1, 9, std::string(257, 'h') + ":1:2")) ==
        "2: is of a process whose name is longer than 256 bytes");
  CHECK(skipped(std::string(300000, 'x') + "\n") == "2: is longer than 262144 bytes");
}

TEST_CASE("nccl-log: without its end, at each of its bytes, no call is made up") {
  const std::string first = call_line("AllReduce", 1048576, 9);
  const std::string whole = first + call_line("ReduceScatter", 33554432, 9);
  for (std::size_t size = first.size(); size < whole.size(); ++size) {
    CAPTURE(whole.substr(first.size(), size - first.size()));
    const Profile profile = read_profile_text(whole.substr(0, size), "", 7);
    REQUIRE(profile.processes.size() == 1);
    for (const auto& [shape, count] : profile.processes[0].calls)
      CHECK((shape.count == 1048576 || shape.count == 33554432));
  }
}

TEST_CASE("nccl-log: kinds of calls beyond a limit are skipped, and reported") {
  std::string log;
  for (std::size_t i = 0; i < 100010; ++i)
    log += call_line("AllReduce", static_cast<std::int64_t>(i), 7);
  const Profile profile = read_profile_text(log);
  CHECK(profile.skipped.count > 0);
  CHECK(profile.skipped.named[0].why == "is a call beyond the first 100000 kinds");
  CHECK(profile.incomplete);
  const Profile late = read_profile_text(
      log + "n:1:1 [0] NCCL INFO x comm 0x1 rank 0 nranks 8 cudaDev 0 Init COMPLETE\n");
  CHECK(late.skipped.count == profile.skipped.count + 1);
  CHECK(late.incomplete);
}

TEST_CASE("a call behind nothing but its device is of that device") {
  const std::string calls =
      call_line("AllReduce", 1, 9, "[7]") + call_line("AllReduce", 1, 9, "[3]");
  const Profile profile = read_profile_text(calls + calls);
  CHECK(profile.processes.size() == 2);
  CHECK(profile.skipped.count == 0);
}

}  // namespace
}  // namespace simtrain::testing::nccl_log_test
