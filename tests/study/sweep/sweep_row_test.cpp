#include "sim/study/sweep/sweep_row.h"

#include <stdexcept>

#include <doctest/doctest.h>

#include "sim/run/simulate.h"
#include "tests/core/error_of.h"
#include "tests/study/sweep_question.h"

namespace simtrain::testing::sweep_row_test {

namespace {

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::string refusal(const std::vector<std::string>& varied,
                    const std::vector<std::string>& settings = {}) {
  return error_of([&] { static_cast<void>(small_question(varied, settings)); });
}

}  // namespace

TEST_CASE("a row is what simulate gives for its candidate") {
  const SweepQuestion question = small_question({"mbs=1,2", "gbs=128,256"});
  const SweepRow row = evaluate(question, 1);
  const Report report = simulate(question.source.scenario(
      question.data, question.row, {parse_setting("mbs=1"), parse_setting("gbs=256")}));
  CHECK(row.index == 1);
  CHECK(row.status == SweepStatus::ok);
  CHECK(row.step_time_s == report.step_time_s);
  CHECK(row.step_time_interval.high == report.step_time_interval().high);
  CHECK(row.mfu == report.mfu);
  CHECK(row.peak_bytes == report.peak_bytes());
  CHECK(row.breakdown == report.breakdown);
  CHECK(row.joules_per_token == report.energy.joules_per_token());
  CHECK(row.usd_per_1t_tokens == 0);
  CHECK(row.gpus == 8);
  CHECK(row.dp == 4);
  CHECK(row.reason.empty());
}

TEST_CASE("an illegal combination is a row with its reason, without the place of its words") {
  const SweepRow row = evaluate(small_question({"tp=1,3"}), 1);
  CHECK(row.status == SweepStatus::illegal);
  CHECK(row.reason ==
        "parallelism.tensor_model_parallel_size: 3 does not divide the attention heads (32)");
  CHECK(row.step_time_s == 0);
}

TEST_CASE("a plan without room is simulated, with what it needs") {
  const SweepRow row = evaluate(small_question({"mbs=1,16"}), 1);
  CHECK(row.status == SweepStatus::does_not_fit);
  CHECK(row.step_time_s > 0);
  CHECK(row.total_bytes > row.capacity_bytes);
  CHECK(holds(row.reason, "the fullest stage needs "));
}

TEST_CASE("a record gives the same row back, every bit of it") {
  const SweepQuestion question = small_question({"mbs=1,16", "tp=1,3"});
  for (std::uint64_t i = 0; i < question.grid.size(); ++i) {
    const SweepRow row = evaluate(question, i);
    const SweepRow back = row_of(record_of(row));
    CHECK(record_of(back) == record_of(row));
    CHECK(back.step_time_s == row.step_time_s);
    CHECK(back.fingerprint == row.fingerprint);
    CHECK(back.joules_per_token == row.joules_per_token);
    CHECK(back.reason == row.reason);
    CHECK(back.status == row.status);
  }
}

TEST_CASE("what is no record is refused") {
  for (const char* text : {"", "[]", "{}", "null", "[1,0,8,8,\"\",[]]", "[1,9,8,8,\"\",[]]",
                           "[-1,2,8,8,\"\",[]]", "[1,2,8,8,7,[]]", "[1,2,8,8,\"\",[1]]", "[1,2",
                           "[1.0,2,8,8,\"\",[]]", "[72004496255647763414782,2,8,8,\"\",[]]",
                           "[1,2,1e99,8,\"\",[]]", "[1,2,8,4294967296,\"\",[]]"}) {
    CAPTURE(text);
    CHECK_THROWS_AS(row_of(text), std::invalid_argument);
  }
}

TEST_CASE("values that can never be legal are refused before anything starts") {
  CHECK(holds(refusal({"tp=1,two"}), "two"));
  CHECK(holds(refusal({"tp=0:4"}), "out of range"));
  CHECK(holds(refusal({"precision=bf16,fp9"}), "'fp9' is not known here"));
  CHECK(holds(refusal({"model=llama3.1-8b,llama9"}), "'llama9' is not in scenarios/models"));
  CHECK(holds(refusal({"cluster.name=gcp-a5"}), "'gcp-a5' is not in hardware/clusters"));
  CHECK(holds(refusal({"software=none"}), "is not in hardware/software"));
  CHECK(holds(refusal({"tp=1"}, {"tp=2"}), "is varied, and set by --set"));
  CHECK(holds(refusal({}), "nothing to vary"));
}

TEST_CASE("the fingerprint distinguishes questions, not the ways of writing one") {
  const std::string one = small_question({"mbs=1,2"}).fingerprint;
  CHECK(small_question({"training.micro_batch_size=1:2"}).fingerprint == one);
  CHECK(small_question({"mbs=2,1"}).fingerprint != one);
  CHECK(small_question({"mbs=1,2,4"}).fingerprint != one);
  CHECK(small_question({"mbs=1,2", "tp=1"}).fingerprint != one);
  CHECK(small_question({"mbs=1,2"}, {"gbs=256"}).fingerprint != one);
}

}  // namespace simtrain::testing::sweep_row_test
