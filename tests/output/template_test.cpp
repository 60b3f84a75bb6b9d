#include "sim/output/html/template.h"

#include <set>

#include <doctest/doctest.h>

#include "sim/core/invariant.h"
#include "sim/output/html/html.h"
#include "sim/output/html/html_assets.h"
#include "tests/output/page.h"

namespace simtrain::testing::template_test {
namespace {

using testing::has;
using Json = nlohmann::ordered_json;

/// The content of a comparison of nothing.
Json no_runs(const std::string& title) {
  return {{"title", title},    {"one", nullptr},       {"several", nullptr},
          {"stacks", nullptr}, {"shortened", nullptr}, {"sections", Json::array()}};
}

TEST_CASE("A text for HTML has no markup and no control characters, and keeps its letters") {
  CHECK(html_text("a<b>&\"c\"") == "a&lt;b&gt;&amp;&quot;c&quot;");
  CHECK(html_text("x\x1b\n\x7f") == "x???");
  CHECK(html_text("Größe 数") == "Größe 数");
}

TEST_CASE("A template is filled with texts, numbers, lists and what may be missing") {
  const Json changes{
      {"changes",
       {{"from", {{"head", "Changed from a.yaml"}, {"keys", {"tp 1 -> 2", ""}}, {"gpus", ""}}},
        {"hardware", nullptr}}}};
  CHECK(filled("changes", changes)
            .starts_with("<p class=\"soft\">Changed from a.yaml<br>tp 1 -&gt; 2<br></p>\n"));
  CHECK(filled("room", {{"bad", false}, {"room", 12}}) == "12");
  CHECK(filled("room", {{"bad", true}, {"room", 0.5}}) == "<span class=\"bad\">0.5</span>");
}

TEST_CASE("What a value holds is no template, and no markup") {
  for (const std::string text : {"{{title}}", "{{{style}}}", "{{^a}}", "{{#a}}", "{{=| |=}}"})
    CHECK(filled("room", {{"bad", false}, {"room", text}}) == text);
  CHECK(filled("room", {{"bad", false}, {"room", "</td><script>\"'&\x01\xff"}}) ==
        "&lt;/td&gt;&lt;script&gt;&quot;'&amp;?\xff");
}

TEST_CASE("What a template names and its data lack is a fault, never a gap in a page") {
  CHECK_THROWS_WITH_AS(filled("room", {{"bad", false}}), doctest::Contains("room"), InternalError);
  CHECK_THROWS_AS(filled("room", {{"room", "fits"}}), InternalError);
  CHECK_THROWS_WITH_AS(filled("rooms", Json::object()), doctest::Contains("rooms"), InternalError);
  CHECK_THROWS_AS(static_cast<void>(web_file("none.css")), InternalError);
}

TEST_CASE("Templates take nothing unescaped but style, scripts, their data and drawings") {
  std::set<std::string> raw;
  for (const WebFile& file : web_files()) {
    if (!file.name.starts_with("templates/")) continue;
    const std::string text(file.text);
    CHECK(!has(text, "{{&"));
    for (std::size_t at = text.find("{{{"); at != std::string::npos; at = text.find("{{{", at + 1))
      raw.insert(text.substr(at + 3, text.find("}}}", at) - at - 3));
  }
  CHECK(raw == std::set<std::string>{"body", "data", "drawing", "echarts", "script", "style"});
}

TEST_CASE("A page is whole, knows light and dark, and needs no other file") {
  const std::string page = html_page("comparison", no_runs("T & t"));
  testing::check_whole(page);
  CHECK(is_own_page(page));
  CHECK(is_own_page(page.substr(0, page.find("T &amp; t"))));
  CHECK(!is_own_page("<!doctype html>\n<p>mine"));
  CHECK(has(page, "<title>T &amp; t</title>"));
  CHECK(has(page, "prefers-color-scheme:dark"));
  CHECK(has(page, "name=\"viewport\""));
  for (const char* outside : {"http:", "https:", "src=", "href=", "url(", "<script"})
    CHECK(!has(page, outside));
}

TEST_CASE(
    "A page carries its result, which cannot end its script, and says in its head what it is") {
  const std::string json = R"({"schema": "simtrain.goodput/1", "scenario": "</script>\\u003c",
    "step_time_s": 2.5, "nodes": 4, "spare_nodes": 1,
    "summary": {"elapsed_s": {"mean": 86400}, "goodput": {"mean": 0.5}}}
)";
  const std::string page = html_page("comparison", no_runs("t"), PageResult(json));
  testing::check_whole(page);
  CHECK(nlohmann::json::parse(testing::script_of(page, "result")) == nlohmann::json::parse(json));
  CHECK(has(page, "download=\"comparison.json\""));
  CHECK(testing::count(page, "</script>") == 2);
  const std::vector<ResultLine> lines = page_lines(page);
  REQUIRE(lines.size() == 1);
  CHECK(lines[0].title == "</script>\\u003c");
  CHECK(lines[0].step_s == 2.5);
  CHECK(!lines[0].mfu);
  CHECK(has(lines[0].says, "goodput 50.0 %"));
  CHECK(page.find("simtrain-says") < page.find("<style>"));
}

TEST_CASE("A head that does not say what simtrain writes there is refused; none is none") {
  const std::string page = html_page("comparison", no_runs("t"),
                                     PageResult(std::vector<ResultLine>{{"t", 1.0, 0.5, "s"}}));
  CHECK(page_lines(page).size() == 1);
  CHECK(!has(page, "id=\"result\""));
  CHECK(page_lines(html_page("comparison", no_runs("t"))).empty());
  const std::string good =
      "[{&quot;title&quot;:&quot;t&quot;,&quot;step_s&quot;:1.0,&quot;mfu&quot;:0.5,&quot;says&"
      "quot;:&quot;s&quot;}]";
  REQUIRE(has(page, good));
  for (const char* bad : {"[", "7", "{}", "[]", "[7]", "[{}]",
                          "[{&quot;title&quot;:7,&quot;step_s&quot;:1,&quot;mfu&quot;:1,&quot;says&"
                          "quot;:&quot;&quot;}]",
                          "[{&quot;title&quot;:&quot;&quot;,&quot;step_s&quot;:&quot;1&quot;,&quot;"
                          "mfu&quot;:1,&quot;says&quot;:&quot;&quot;}]"}) {
    CAPTURE(bad);
    std::string broken = page;
    broken.replace(broken.find(good), good.size(), bad);
    CHECK_THROWS_AS(page_lines(broken), nlohmann::json::exception);
  }
}

TEST_CASE("Data of charts cannot end their script") {
  const std::string page = html_chart_page("comparison", no_runs("t"),
                                           {{"steps", Json::array()}, {"a", "</script><b>"}});
  testing::check_whole(page);
  CHECK(has(page, "\\u003c/script>\\u003cb>"));
  CHECK(testing::count(page, "<script") == testing::count(page, "</script>"));
  CHECK(testing::data_of(page)["a"] == "</script><b>");
}

}  // namespace
}  // namespace simtrain::testing::template_test
