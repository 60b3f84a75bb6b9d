// The chart of `simtrain validate --nccl --report`.

const {groups, points} = page;

// Filled where parameters were fitted to the call.
const mark = ({group, fitted, bytes, error}, i, theme) => {
  const colour = theme.pick(groups[group].colour);
  return {value: [bytes, 100 * error], point: i,
          itemStyle: {color: fitted ? colour : "transparent", borderColor: colour, borderWidth: 1.5, opacity: 0.75}};
};

const errorText = value => `${value > 0 ? "+" : ""}${Math.round(value)} %`;

const drawErrors = () => draw("errors", 420, theme => {
  drawLegend("errors-legend", groups.map(({name, colour}) => ({background: theme.pick(colour), label: name})), theme);
  const sizes = sizeAxis(theme, points.map(({bytes}) => bytes));
  return {
    grid: {left: 60, right: 18, top: 14, bottom: 48},
    xAxis: {...sizes, axisLine: {onZero: false, lineStyle: {color: theme.line}}},
    yAxis: {...axis(theme), type: "value", axisLabel: {color: theme.soft, formatter: errorText}},
    tooltip: {...common(theme).tooltip, formatter: ({data}) => {
      const {group, bytes, error, how, times} = points[data.point];
      return `<b>${text(sizeText(bytes))}</b> ${text(groups[group].name)}<br>${text(how)}<br>${text(times)}, ${errorText(100 * error)}`;
    }},
    series: [
      {type: "scatter", symbolSize: 7, data: points.map((point, i) => mark(point, i, theme)),
       markLine: {silent: true, symbol: "none", label: {show: false}, lineStyle: {color: theme.soft, type: "solid"}, data: [{yAxis: 0}]}},
    ],
  };
}, "canvas");

if (points.length > 0) drawErrors();
