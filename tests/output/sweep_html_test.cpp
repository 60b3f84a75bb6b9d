#include "sim/output/sweep/sweep_html.h"

#include <algorithm>
#include <limits>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "sim/core/files/text_file.h"
#include "sim/output/sweep/sweep_hdf5.h"
#include "sim/output/sweep/sweep_html_data.h"
#include "sim/output/sweep/sweep_rows.h"
#include "tests/cli/program.h"
#include "tests/core/error_of.h"
#include "tests/output/page.h"
#include "tests/study/sweep_question.h"

namespace simtrain::testing::sweep_html_test {
namespace {

using testing::count;
using testing::data_of;
using testing::has;
using testing::small_question;

/// Rows as they might come: of five, one is illegal, one does not fit.
SweepRow made_row(std::uint64_t index) {
  SweepRow row;
  row.index = index;
  if (index % 5 == 3) {
    row.status = SweepStatus::illegal;
    row.reason = fmt::format("training.global_batch_size: {} is no multiple, \"of\" 7", index);
    return row;
  }
  row.gpus = 8;
  row.dp = 4;
  const double step = 1.0 + static_cast<double>(index * 7919 % 1000) / 997.0;
  row.step_time_s = step;
  row.step_time_interval = {step * 0.97, step * 1.03};
  row.tokens_per_s = 131072 / step;
  row.tflops_per_gpu = 600 / step;
  row.mfu = 0.6 / step;
  row.peak_bytes = 5e10 + 0.25;
  row.total_bytes = 6e10 + static_cast<double>(index % 37) * 1e9 / 3;
  row.capacity_bytes = 8e10;
  row.breakdown[0] = step / 3;
  row.fingerprint = 0xabcdef0123456789U + index;
  if (index % 5 == 4) {
    row.status = SweepStatus::does_not_fit;
    row.reason = "the fullest stage needs more";
  }
  return row;
}

SweepTable made_table(const SweepQuestion& question) {
  SweepTable table{question, {}};
  for (std::uint64_t i = 0; i < question.grid.size(); ++i) table.rows.push_back(made_row(i));
  return table;
}

TEST_CASE("The page of a sweep is whole, forbids what lies outside and counts what there is") {
  const SweepQuestion question = small_question({"tp=1,2,4", "gbs=8:160:8"});
  const SweepTable table = made_table(question);
  const std::string page = sweep_html(table);
  CHECK(page == sweep_html(table));
  testing::check_whole(page);
  CHECK(has(page, "<b>60</b><span>candidates</span>"));
  CHECK(has(page, "<b>48</b><span>simulated</span>"));
  CHECK(has(page, "<b>36</b><span><span class=\"good\">fit</span></span>"));
  CHECK(has(page, "<b>12</b><span>do not fit</span>"));
  CHECK(has(unlabelled(page),
            "<tr><td>12</td><td class=\"text\">training.global_batch_size: N is no multiple, "
            "&quot;of&quot; 7</td></tr>"));
  CHECK(!has(page, "Stopped"));
  const SweepRow& best = *best_rows(table.rows, 1).front();
  CHECK(has(page, fmt::format("<b>{:.3f} s</b>", best.step_time_s)));
}

TEST_CASE("The data of a page are its rows, best first, its maps and its fronts") {
  const SweepQuestion question = small_question({"tp=1,2,4", "gbs=8:160:8"});
  const SweepTable table = made_table(question);
  const nlohmann::json data = data_of(sweep_html(table));
  CHECK(data["axes"][1]["name"] == "gbs");
  CHECK(data["axes"][1]["values"].size() == 20);
  CHECK(data["rows"].size() == 60);
  CHECK(data["listed"] == 60);
  CHECK(data["same_work"] == true);
  CHECK(data["rows"][0][0] == best_rows(table.rows, 1).front()->index);
  CHECK(data["rows"][0][1] == 0);
  CHECK(data["rows"][59][1] != 0);
  REQUIRE(data["maps"].size() == 1);
  CHECK(data["maps"][0]["cells"].size() == 60);
  CHECK(data["maps"][0]["cells"][3][0] == -1);
  CHECK(data["maps"][0]["cells"][4][0] == 0);
  CHECK(data["maps"][0]["cells"][5][0] == 1);
  CHECK(data["fronts"].size() == 1);
  const auto& front = data["fronts"]["memory"];
  REQUIRE(!front.empty());
  CHECK(front.back() == best_rows(table.rows, 1).front()->index);
}

TEST_CASE("Unlike work is noted, and fronts go by the time of a training run then") {
  const SweepQuestion question = small_question({"tp=1,2,4", "nodes=1,2"});
  SweepTable table = made_table(question);
  table.rows[1].gpus = 16;
  nlohmann::json data = data_of(sweep_html(table));
  CHECK(data["same_work"] == true);
  CHECK(data["fronts"].contains("gpu_hours"));
  table.rows[1].tokens_per_s *= 8;
  const std::string page = sweep_html(table);
  CHECK(has(page, "Steps train unlike numbers of tokens"));
  data = data_of(page);
  CHECK(data["same_work"] == false);
  CHECK(data["fronts"]["gpu_hours"][0] == 1);
}

TEST_CASE("A page of 10,000 candidates is below 5 MB; of more it lists the best, and notes it") {
  const SweepQuestion question = small_question({"tp=1,2,4,8", "gbs=8:20000:8"});
  const SweepTable table = made_table(question);
  REQUIRE(table.rows.size() == 10'000);
  const std::string page = sweep_html(table);
  CHECK(page.size() < 5'000'000);
  CHECK(!has(page, "hold all"));
  const SweepQuestion larger = small_question({"tp=1,2,4,8", "gbs=8:20000:8", "mbs=1,2"});
  const SweepTable large = made_table(larger);
  const std::string best = sweep_html(large);
  CHECK(best.size() < 5'000'000);
  CHECK(has(best, "Of 20000 candidates these are the 10000 fastest"));
  const nlohmann::json data = data_of(best);
  CHECK(data["listed"] == kMostPageRows);
  for (const auto& row : data["rows"]) CHECK(row[1] == 0);
  CHECK(data["maps"].size() == 3);
}

TEST_CASE("A page that cannot list all lists what does not fit before what is no legal job") {
  const SweepQuestion question = small_question({"tp=1,2,4,8", "gbs=8:20000:8", "mbs=1,2"});
  SweepTable table = made_table(question);
  for (SweepRow& row : table.rows) {
    if (row.status == SweepStatus::ok && row.index % 5 != 0) row = made_row(5 * row.index + 3);
  }
  for (std::uint64_t i = 0; i < table.rows.size(); ++i) table.rows[i].index = i;
  const std::vector<const SweepRow*> listed = page_rows(table.rows);
  REQUIRE(listed.size() == kMostPageRows);
  const auto status = [](const SweepRow* row) { return row->status; };
  std::vector<SweepStatus> statuses(listed.size());
  std::transform(listed.begin(), listed.end(), statuses.begin(), status);
  CHECK(std::is_sorted(statuses.begin(), statuses.end()));
  CHECK(std::count(statuses.begin(), statuses.end(), SweepStatus::ok) == 4000);
  CHECK(std::count(statuses.begin(), statuses.end(), SweepStatus::does_not_fit) == 4000);
}

TEST_CASE("A stopped sweep, one without a fit and one without a row have pages") {
  const SweepQuestion question = small_question({"tp=1,2,4", "mbs=1,2"});
  SweepTable table{question, {made_row(1)}};
  CHECK(has(sweep_html(table), "Stopped: 1 of 6 candidates are done"));
  table.rows = {made_row(3), made_row(4)};
  const std::string page = sweep_html(table);
  CHECK(has(page, "No candidate fits."));
  CHECK(!has(page, "id=\"front\""));
  CHECK(data_of(page)["fronts"]["memory"].empty());
  table.rows.clear();
  CHECK(has(sweep_html(table), "Stopped: 0 of 6"));
}

TEST_CASE("Values and reasons cannot break out of the page or its data") {
  const SweepQuestion question = small_question({"name='</script><i>x',y"});
  SweepTable table = made_table(question);
  table.rows[0].status = SweepStatus::illegal;
  table.rows[0].reason = "</script><b>\x01\xff";
  const std::string page = sweep_html(table);
  CHECK(!has(page, "<i>x"));
  CHECK(!has(page, "<b>\x01"));
  CHECK(data_of(page)["reasons"].size() == 1);
  CHECK(count(page, "<script") == count(page, "</script>"));
}

/// The file as one of the formats that a sweep writes.
void write_as(const std::string& format, const SweepTable& table, const std::string& path) {
  const std::string text = format == "h5"    ? sweep_hdf5(table)
                           : format == "csv" ? sweep_csv(table)
                                             : sweep_json(table);
  write_text_file(path, text);
}

TEST_CASE("A finished file gives its rows back, and the page of its sweep to the byte") {
  const SweepQuestion question = small_question({"tp=1,2,4", "gbs=8:160:8"});
  const SweepTable table = made_table(question);
  const testing::TempFolder folder;
  for (const std::string format : {"h5", "csv", "json"}) {
    CAPTURE(format);
    const std::string path = folder.file("t." + format);
    write_as(format, table, path);
    const SweepTable read{question, sweep_rows(path, question)};
    REQUIRE(read.rows.size() == table.rows.size());
    for (std::size_t i = 0; i < read.rows.size(); ++i) {
      CHECK(read.rows[i].step_time_s == table.rows[i].step_time_s);
      CHECK(read.rows[i].breakdown == table.rows[i].breakdown);
      CHECK(read.rows[i].fingerprint == table.rows[i].fingerprint);
      CHECK(read.rows[i].reason == table.rows[i].reason);
    }
    CHECK(sweep_html(read) == sweep_html(table));
  }
}

TEST_CASE("Rows that no sweep gives are refused in one line that names them") {
  const SweepQuestion question = small_question({"tp=1,2,4", "gbs=8:160:8"});
  const testing::TempFolder folder;
  using Change = void (*)(SweepRow&);
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  const std::vector<Change> changes{
      [](SweepRow& row) { row.step_time_s = 5e-324; },
      [](SweepRow& row) { row.tokens_per_s = 5e-324; },
      [](SweepRow& row) { row.tokens_per_s = kInfinite; },
      [](SweepRow& row) { row.mfu = std::numeric_limits<double>::quiet_NaN(); },
      [](SweepRow& row) { row.mfu = -0.1; },
      [](SweepRow& row) { row.tflops_per_gpu = kInfinite; },
      [](SweepRow& row) { row.total_bytes = row.capacity_bytes + 1; },
      [](SweepRow& row) { row.step_time_interval.low = row.step_time_s * 1.01; },
      [](SweepRow& row) { row.step_time_interval.high = row.step_time_s / 1.01; },
      [](SweepRow& row) { row.breakdown[1] = -0.5; },
      [](SweepRow& row) { row.gpus = 0; }};
  for (std::size_t i = 0; i < changes.size(); ++i) {
    SweepTable table = made_table(question);
    changes[i](table.rows[7]);
    CHECK(sweep_html(table).ends_with("</html>\n"));
    for (const std::string format : {"h5", "csv", "json"}) {
      CAPTURE(i);
      CAPTURE(format);
      const std::string path = folder.file("t." + format);
      write_as(format, table, path);
      const std::string message =
          testing::error_of([&] { static_cast<void>(sweep_rows(path, question)); });
      CHECK(message.starts_with(path + ": is damaged: row 7: "));
      CHECK(message.find('\n') == std::string::npos);
    }
  }
}

TEST_CASE("Cells of varied keys must be those of the grid, whatever they are") {
  const SweepQuestion question =
      small_question({"tp=1,2", "optimizer.bucket_size_mb=0.1,2.5,7", "name='a, \"b\"',c"});
  const testing::TempFolder folder;
  const SweepTable table = made_table(question);
  const SweepQuestion other =
      small_question({"tp=1,4", "optimizer.bucket_size_mb=0.1,2.5,7", "name='a, \"b\"',c"});
  for (const std::string format : {"h5", "csv", "json"}) {
    CAPTURE(format);
    const std::string path = folder.file("t." + format);
    write_as(format, table, path);
    CHECK(sweep_rows(path, question).size() == 12);
    CHECK_THROWS_WITH_AS(static_cast<void>(sweep_rows(path, other)),
                         doctest::Contains("is damaged: row 6: column 'tp' is not"), InputError);
  }
}

TEST_CASE("Files that are cut or edited are refused in one line") {
  const SweepQuestion question = small_question({"tp=1,2,4", "gbs=8:160:8"});
  const SweepTable table = made_table(question);
  const testing::TempFolder folder;
  for (const std::string format : {"h5", "csv", "json"}) {
    const std::string path = folder.file("t." + format);
    write_as(format, table, path);
    const std::string whole = testing::read_file(path);
    for (std::size_t cut = 1; cut < 40; ++cut) {
      CAPTURE(format);
      CAPTURE(cut);
      write_text_file(path, whole.substr(0, whole.size() * cut / 40));
      CHECK_THROWS_AS(static_cast<void>(sweep_rows(path, question)), InputError);
    }
    const SweepTable part{question, {made_row(0), made_row(1)}};
    write_as(format, part, path);
    CHECK_THROWS_AS(static_cast<void>(sweep_rows(path, question)), InputError);
  }
  const std::string json = folder.file("edited.json");
  for (const auto& [was, is] :
       {std::pair{"\"status\":\"ok\"", "\"status\":\"good\""},
        std::pair{"\"gpus\":8", "\"gpus\":[]"}, std::pair{"\"index\":7", "\"index\":8"},
        std::pair{"\"dp\":4", "\"dq\":4"}}) {
    const std::string& replaced = was;
    CAPTURE(replaced);
    write_text_file(json, testing::edited(sweep_json(table), was, is));
    CHECK_THROWS_WITH_AS(static_cast<void>(sweep_rows(json, question)),
                         doctest::Contains("is damaged: "), InputError);
  }
}

}  // namespace
}  // namespace simtrain::testing::sweep_html_test
