// The charts of `simtrain profile --report`: two bars a kind of kernel, predicted above measured.

const drawKernels = ({id, rows}, colours) => {
  const longest = Math.max(...rows.map(row => Math.max(row.predicted + row.waiting, row.measured)));
  const bars = [
    {name: "predicted", key: "predicted", stack: "predicted"},
    {name: "waiting for others", key: "waiting", stack: "predicted"},
    {name: "measured", key: "measured", stack: "measured"},
  ];
  draw(id, 44 + 38 * rows.length, theme => {
    drawLegend(id + "-legend", bars.map(({name, key}) => ({background: theme.pick(colours[key]), label: name})), theme);
    return {
      grid: {left: theme.narrow ? 132 : 172, right: 22, top: 6, bottom: 30},
      xAxis: {...axis(theme), type: "value", splitNumber: theme.narrow ? 2 : 6,
              axisLabel: {color: theme.soft, hideOverlap: true, formatter: value => timeLabel(value, longest)}},
      yAxis: {...axis(theme), type: "category", inverse: true, data: rows.map(row => row.name), axisTick: {show: false},
              axisLabel: {color: theme.ink, fontSize: theme.narrow ? 11 : 13,
                          width: theme.narrow ? 124 : 164, overflow: "truncate"}},
      tooltip: {...common(theme).tooltip, trigger: "axis", axisPointer: {type: "shadow"}, valueFormatter: seconds},
      series: bars.map(({name, key, stack}) => ({
        type: "bar", name, stack, barMaxWidth: 13, barGap: "8%",
        itemStyle: {color: theme.pick(colours[key])}, data: rows.map(row => row[key]),
      })),
    };
  });
};

for (const kernels of page.kernels) drawKernels(kernels, page.colours);
