// The charts of measured steps, of `simtrain metrics --report` and `simtrain compare --report`.

const orange = ["#c85a12", "#f0955c"];
const blue = ["#2f6fd6", "#6ea0f0"];

// A stroke from the shortest to the longest step of a stretch.
const stretchStroke = theme => (params, api) => {
  const [x, low] = api.coord([api.value(0), api.value(1)]);
  const high = api.coord([api.value(0), api.value(2)])[1];
  return {type: "rect", shape: {x: x - 1, y: high - 0.5, width: 2, height: low - high + 1},
          style: {fill: theme.pick(orange)}};
};

const stepTip = ([number, ...times]) => `step ${number}: ${times.map(time => seconds(time)).join(" to ")}`;

// Room for the interval, where there is one, and every step.
const timeRange = ({steps, low, high}) => {
  const times = [...(low === undefined ? [] : [low, high]), ...steps.flatMap(([, ...both]) => both)];
  const least = times.reduce((a, b) => Math.min(a, b));
  const most = times.reduce((a, b) => Math.max(a, b));
  const margin = Math.max((most - least) * 0.08, most * 1e-6);
  return {min: least - margin, max: most + margin};
};

// The predicted step as a line in the band of its interval.
const predictedMarks = ({predicted, low, high}, theme) => predicted === undefined ? {} : {
  markArea: {silent: true, itemStyle: {color: theme.pick(blue), opacity: 0.13}, data: [[{yAxis: low}, {yAxis: high}]]},
  markLine: {silent: true, symbol: "none", label: {show: false},
             lineStyle: {color: theme.pick(blue), type: "solid", width: 1.5}, data: [{yAxis: predicted}]},
};

const drawStepTimes = (id, chart) => {
  const {steps} = chart;
  const stretches = steps[0].length > 2;
  const {min, max} = timeRange(chart);
  const figure = apart([min, max]);
  draw(id, 262, theme => ({
    grid: {left: 74, right: 18, top: 12, bottom: 30},
    xAxis: {...axis(theme), type: "value", min: steps[0][0] - 1, max: steps[steps.length - 1][0] + 1, minInterval: 1,
            splitNumber: theme.narrow ? 3 : 8, splitLine: {show: false},
            axisLabel: {color: theme.soft, hideOverlap: true, showMinLabel: false, showMaxLabel: false,
                        formatter: value => `step ${value}`}},
    yAxis: {...axis(theme), type: "value", min, max, axisLine: {onZero: false, lineStyle: {color: theme.line}},
            axisLabel: {color: theme.soft, showMinLabel: false, showMaxLabel: false,
                        formatter: value => figure(value) + " s"}},
    tooltip: {...common(theme).tooltip, formatter: ({value}) => stepTip(value)},
    series: [{
      ...(stretches ? {type: "custom", renderItem: stretchStroke(theme), encode: {x: 0, y: [1, 2]}}
                    : {type: "scatter", symbolSize: 7, itemStyle: {color: theme.pick(orange), opacity: 0.85}}),
      data: steps, clip: false, ...predictedMarks(chart, theme),
    }],
  }));
};

const drawRuns = ({steps}) => steps.forEach((chart, i) => {
  if (chart.steps.length > 0) drawStepTimes("steps-" + i, chart);
});
