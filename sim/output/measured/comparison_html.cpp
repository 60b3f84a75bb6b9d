#include "sim/output/measured/comparison_html.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "sim/output/html/html.h"
#include "sim/output/html/step_chart.h"
#include "sim/output/text/changes.h"
#include "sim/output/text/text_report.h"
#include "sim/output/text/unit_text.h"

namespace simtrain {
namespace {

constexpr std::size_t kMostSections = 100;  // some 30 kB each

std::string signed_percent(double fraction) { return fmt::format("{:+.2f} %", fraction * 100); }

std::string inside_text(const Comparison& comparison) {
  return comparison.inside() ? "<span class=\"good\">inside</span>"
                             : "<span class=\"bad\">outside</span>";
}

std::string tiles(const std::vector<ComparedRun>& runs) {
  std::string out = "<div class=\"tiles\">";
  if (runs.size() == 1) {
    const Comparison& c = runs.front().comparison;
    out += html_tile(seconds_text(c.predicted_s),
                     fmt::format("predicted, 90 % interval {} to {}", seconds_text(c.interval.low),
                                 seconds_text(c.interval.high)));
    out += html_tile(
        seconds_text(c.measured_s.mean),
        fmt::format("measured, steps averaged: {}", runs.front().measured.run.steps.size()));
    out +=
        html_tile(signed_percent(c.error()), fmt::format("error, {} the interval", inside_text(c)));
    return out + "</div>\n";
  }
  const ComparedErrors all = summarize_errors(runs);
  out += html_tile(std::to_string(runs.size()), "runs");
  out += html_tile(fmt::format("{:.2f} %", all.mean_absolute * 100), "mean absolute error");
  out += html_tile(signed_percent(all.mean), "bias, predicted over measured");
  out += html_tile(fmt::format("{} of {}", all.inside, runs.size()), "inside their 90 % interval");
  return out + "</div>\n";
}

std::string runs_table(const std::vector<ComparedRun>& runs) {
  std::string rows;
  for (const ComparedRun& run : runs) {
    const Comparison& c = run.comparison;
    std::string name = html_text(run.measured.name);
    for (const std::string& caveat : caveats_of(run))
      name += "<br><span class=\"bad\">" + html_text(caveat) + "</span>";
    rows += html_row({name, std::to_string(run.report.gpus), seconds_text(c.predicted_s),
                      seconds_text(c.measured_s.mean), signed_percent(c.error()), inside_text(c)});
  }
  return html_table({"run", "GPUs", "predicted", "measured", "error", "90 % interval"}, rows);
}

std::string causes_section(const std::optional<CommonCauses>& causes) {
  std::string out = "<h2>Which one number of hardware/ would explain them all</h2>\n";
  if (!causes) {
    return out +
           "<p class=\"soft\">Runs of one plan cannot tell; whole logs of several plans on the "
           "same cluster can.</p>\n";
  }
  if (!causes->needed) {
    return out +
           fmt::format(
               "<p>None is needed: no plan is further off than equal runs differ, {:.2f} %.</p>\n",
               share_of(causes->noise) * 100);
  }
  out += fmt::format(
      "<p class=\"soft\">{} numbers tried, each as the only one that is wrong; {} have no effect "
      "on "
      "these runs. Errors are {:.2f} % now (root mean square); a plan counts as explained within "
      "{:.2f} %, which equal runs differ by.</p>\n",
      causes->tried, causes->without_effect, share_of(causes->before) * 100,
      share_of(causes->noise) * 100);
  if (causes->causes.empty())
    return out + "<p>None of them alone takes a tenth of the errors away.</p>\n";
  std::string rows;
  for (const CommonCause& cause : causes->causes) {
    rows += fmt::format(
        "<tr><td>{}</td><td>{}{}</td><td>{:.2f} %</td><td>{}</td><td class=\"text\">{}</td></tr>\n",
        html_text(name_of_cause(cause)), html_text(change_of_cause(cause)),
        cause.at_end ? " <span class=\"soft\">at its end</span>" : "", share_of(cause.left) * 100,
        cause.explains ? "<span class=\"good\">all explained</span>" : "not all",
        html_text(cause.source));
  }
  return out + html_table({"number", "holds, needed", "errors left", "", "source of what it holds"},
                          rows);
}

std::string stacks_section(const std::optional<OtherStacks>& stacks) {
  if (!stacks || !stacks->needed) return "";
  std::string out = "<h2>With another software stack</h2>\n";
  const std::vector<std::string> sentences = stack_sentences(*stacks);
  for (const std::string& sentence : sentences) out += "<p>" + html_text(sentence) + "</p>\n";
  if (sentences.empty()) out += "<p>None takes a tenth of the errors away.</p>\n";
  return out;
}

std::string explanations_table(const ComparedRun& run) {
  std::string rows;
  for (const GapExplanation& e : run.comparison.explanations) {
    rows += html_row({std::string(name_of(e.share)), seconds_text(e.predicted_s),
                      seconds_text(e.needed_s), fmt::format("{:.4g}", e.needed_s / e.predicted_s),
                      fmt::format("{:.3g}", e.deviations), std::string(name_of(e.plausibility))});
  }
  return html_table(
      {"share of the step", "predicted", "needed", "factor", "standard errors", "verdict"}, rows);
}

std::string run_section(const ComparedRun& run) {
  const MeasuredReport& measured = run.measured;
  std::string out = fmt::format(
      "<h2>{}</h2>\n<p class=\"soft\">{} against {}, {}</p>\n<p class=\"soft\">{} GPUs, {}</p>\n",
      html_text(measured.name), html_text(run.report.scenario), html_text(measured.run.path),
      html_text(window_text(measured.run)), run.report.gpus, html_text(run.report.layout));
  out += changes_html(changes_of(run.report));
  for (const std::string& caveat : caveats_of(run))
    out += fmt::format("<p class=\"bad\">{}</p>\n", html_text(caveat));
  out += step_chart(measured.run.steps, run.comparison);
  out += "<h3>What could explain the error, each share alone</h3>\n" + explanations_table(run);
  const std::string skipped = skipped_text(measured.run);
  if (!skipped.empty()) out += "<p class=\"soft\">" + html_text(skipped) + "</p>\n";
  return out;
}

}  // namespace

std::string comparison_html(const std::vector<ComparedRun>& runs, const ComparedCauses& causes) {
  std::string body =
      "<h1>Measured against predicted</h1>\n<p class=\"soft\">Errors are predicted over measured "
      "step time, less one.</p>\n" +
      tiles(runs);
  if (runs.size() > 1) body += runs_table(runs) + causes_section(causes.numbers);
  body += stacks_section(causes.stacks);
  for (std::size_t i = 0; i < std::min(runs.size(), kMostSections); ++i)
    body += run_section(runs[i]);
  if (runs.size() > kMostSections)
    body += fmt::format("<p class=\"soft\">The first {} runs have a section each.</p>\n",
                        kMostSections);
  return html_page("simtrain comparison", step_chart_style(), body);
}

}  // namespace simtrain
