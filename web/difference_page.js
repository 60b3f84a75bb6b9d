// The chart of `simtrain run --against --report`.

const drawFall = ({against_s, run_s, parts}) => {
  const levels = [against_s, run_s, ...parts.flatMap(part => [part.from, part.to])];
  const [least, most] = [Math.min(...levels), Math.max(...levels)];
  // Small differences of long steps are seen only on an axis of their own.
  const spread = Math.max(most - least, most * 1e-3);
  const start = Math.max(0, least - spread * 0.5);
  if (start > 0)
    document.getElementById("fall-note").textContent = `The axis begins at ${seconds(start)}.`;
  const rows = [
    {name: "against", from: start, to: against_s, colour: ["#5a6575", "#a3afbf"], whole: true},
    ...parts.filter(part => part.from !== part.to),
    {name: "this run", from: start, to: run_s, colour: ["#1a7f4b", "#4cc38a"], whole: true},
  ];
  const label = row => row.whole
    ? seconds(row.to) : (row.to < row.from ? "" : "+") + seconds(row.to - row.from);
  draw("fall", 34 + 26 * rows.length, theme => ({
    grid: {left: theme.narrow ? 132 : 172, right: 84, top: 6, bottom: 28},
    xAxis: {...axis(theme), type: "value", min: start, max: most + spread * 0.1, splitNumber: theme.narrow ? 2 : 6,
            axisLabel: {color: theme.soft, hideOverlap: true, showMinLabel: false, showMaxLabel: false,
                        formatter: value => timeLabel(value, most)}},
    yAxis: {...axis(theme), type: "category", inverse: true, data: rows.map(row => row.name),
            axisTick: {show: false},
            axisLabel: {color: theme.ink, fontSize: theme.narrow ? 11 : 13,
                        width: theme.narrow ? 124 : 164, overflow: "truncate"}},
    tooltip: {...common(theme).tooltip, trigger: "axis", axisPointer: {type: "shadow"},
              formatter: ([point]) => {
                const row = rows[point.dataIndex];
                return `<b>${text(row.name)}</b> ${label(row)}` + (row.whole ? "" :
                  `<br>${seconds(row.against_s)} against ${seconds(row.run_s)} of this run`);
              }},
    series: [
      {type: "bar", stack: "fall", silent: true, itemStyle: {color: "transparent"},
       data: rows.map(row => Math.min(row.from, row.to))},
      {type: "bar", stack: "fall", barWidth: "68%",
       data: rows.map(row => ({value: Math.abs(row.to - row.from), itemStyle: {color: theme.pick(row.colour)}})),
       label: {show: true, position: "right", color: theme.ink, fontSize: 12,
               formatter: point => label(rows[point.dataIndex])}},
    ],
  }));
};

drawFall(page.fall);
