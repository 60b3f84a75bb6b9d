// The charts of `simtrain validate --report`.

const {groups, points} = page.errors;

// 1, 2 and 5 of each decade, or powers of two, from `least` to `most`.
const roundValues = (least, most, powersOfTwo) => {
  const digits = powersOfTwo ? [1] : [1, 2, 5];
  const base = powersOfTwo ? 2 : 10;
  const values = [];
  for (let power = Math.floor(Math.log(least) / Math.log(base)) - 1; base ** power <= most; ++power)
    values.push(...digits.map(digit => Number((digit * base ** power).toPrecision(10))));
  return values.filter(value => value >= least && value <= most);
};

// 5 % each way at least, in steps of 5 % or a tenth of the range.
const errorAxis = theme => {
  const errors = points.map(point => 100 * point.error);
  const min = 5 * Math.floor(Math.min(-5, ...errors) / 5 - 0.2);
  const max = 5 * Math.ceil(Math.max(5, ...errors) / 5 + 0.2);
  return {...axis(theme), type: "value", min, max, interval: Math.max(5, (max - min) / 10),
          axisLabel: {color: theme.soft, formatter: value => `${value > 0 ? "+" : ""}${Math.round(value)} %`}};
};

const pointTip = ({name, measured_s, predicted_s, error}) =>
  `<b>${text(name)}</b><br>measured ${measured_s.toFixed(3)} s, predicted ${predicted_s.toFixed(3)} s, ` +
  `${error > 0 ? "+" : ""}${percent(100 * error)}`;

// A stroke over the 90 % interval of each point.
const intervalStroke = theme => (params, api) => {
  const [x, low] = api.coord([api.value(0), api.value(1)]);
  const high = api.coord([api.value(0), api.value(2)])[1];
  return {type: "line", shape: {x1: x, y1: low, x2: x, y2: high}, style: {stroke: theme.soft, opacity: 0.6, lineWidth: 1}};
};

const drawGroups = theme => drawLegend(
  "errors-legend", groups.map(({name, colour}) => ({background: theme.pick(colour), label: name})), theme);

// Errors by a figure of the runs: circles are BF16, diamonds FP8, a colour a group.
const drawErrors = (id, name, figure, powersOfTwo, unit) => {
  const figures = points.map(figure);
  const least = Math.min(...figures) / 1.15;
  const most = Math.max(...figures) * 1.15;
  const values = roundValues(least, most, powersOfTwo);
  draw(id, 400, theme => (drawGroups(theme), {
    grid: {left: 56, right: 14, top: 14, bottom: 48},
    xAxis: {...axis(theme), type: "log", min: least, max: most, name, nameLocation: "middle", nameGap: 28,
            splitLine: {show: false}, axisLine: {onZero: false, lineStyle: {color: theme.line}},
            axisTick: {customValues: values, lineStyle: {color: theme.line}},
            axisLabel: {color: theme.soft, hideOverlap: true, customValues: values,
                        formatter: value => value + unit}},
    yAxis: errorAxis(theme),
    tooltip: {...common(theme).tooltip, formatter: ({data}) => pointTip(points[data.point])},
    series: [
      {type: "custom", silent: true, clip: true, renderItem: intervalStroke(theme),
       data: points.map(point => [figure(point), 100 * point.low, 100 * point.high]),
       markArea: {silent: true, itemStyle: {color: theme.soft, opacity: 0.1}, data: [[{yAxis: -5}, {yAxis: 5}]]},
       markLine: {silent: true, symbol: "none", label: {show: false}, lineStyle: {color: theme.soft, type: "solid"},
                  data: [{yAxis: 0}]}},
      {type: "scatter",
       data: points.map((point, i) => ({
         value: [figure(point), 100 * point.error], point: i, symbol: point.bf16 ? "circle" : "diamond",
         symbolSize: point.bf16 ? 9 : 12,
         itemStyle: {color: theme.pick(groups[point.group].colour), opacity: 0.85, borderColor: theme.paper, borderWidth: 1},
       }))},
    ],
  }));
};

if (points.length > 0) {
  drawErrors("errors-by-time", "measured step time", point => point.measured_s, false, " s");
  drawErrors("errors-by-gpus", "GPUs", point => point.gpus, true, "");
}
page.breakdowns.forEach((bars, i) => drawShareBars("breakdown-" + i, bars));
