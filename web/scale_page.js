// The charts of `simtrain scale --report`.

const sizes = page.sizes;
const first = sizes[0];
const blue = ["#2f6fd6", "#6ea0f0"];
const green = ["#0f8a7c", "#3fbfae"];
// Sizes are as many places apart as there are, whatever lies between them.
const gpuAxis = theme => ({...axis(theme), type: "category", data: sizes.map(size => String(size.gpus)), name: "GPUs",
                           nameLocation: "middle", nameGap: 26});
const marks = theme => size => ({
  symbol: size.fits ? "circle" : "emptyCircle", symbolSize: 9, itemStyle: size.fits ? {} : {color: theme.soft}});

const inShort = value => (value >= 1e6 ? short(value / 1e6) + " M" : value >= 1e3 ? short(value / 1e3) + " k" : value);

draw("throughput", 320, theme => ({
  grid: {left: 76, right: 18, top: 14, bottom: 44},
  xAxis: gpuAxis(theme),
  yAxis: {...axis(theme), type: "log", logBase: 2, axisLabel: {color: theme.soft, hideOverlap: true,
          formatter: inShort}},
  tooltip: {...common(theme).tooltip, trigger: "axis", formatter: ([{dataIndex}]) => {
    const {gpus, tokens, fits} = sizes[dataIndex];
    return `<b>${gpus} GPUs</b>${fits ? "" : ": does not fit"}<br>${grouped(tokens)} tokens/s<br>` +
           `${(tokens / gpus).toFixed(1)} a GPU`;
  }},
  series: [
    {type: "line", data: sizes.map(({gpus}) => first.tokens / first.gpus * gpus), showSymbol: false,
     lineStyle: {type: "dashed", width: 1.5}, color: theme.soft},
    {type: "line", data: sizes.map(size => ({value: size.tokens, ...marks(theme)(size)})), color: theme.pick(blue)},
  ],
}));

draw("efficiency", 276, theme => (drawLegend("efficiency-legend", [
  {background: theme.pick(blue), label: "efficiency"}, {background: theme.pick(green), label: "MFU"}], theme), {
  grid: {left: 56, right: 18, top: 10, bottom: 44},
  xAxis: gpuAxis(theme),
  yAxis: {...axis(theme), type: "value", min: 0, axisLabel: {color: theme.soft, formatter: "{value} %"}},
  tooltip: {...common(theme).tooltip, trigger: "axis", valueFormatter: percent},
  series: [["efficiency", blue], ["mfu", green]].map(([figure, colour]) => ({
    type: "line", name: figure === "mfu" ? "MFU" : figure, color: theme.pick(colour),
    data: sizes.map(size => ({value: size[figure], ...marks(theme)(size)})),
  })),
}));

drawShareBars("shares", page.shares);
