// The charts of a training job, on the pages of `simtrain goodput` and `simtrain run --job`.

const jobBlue = ["#2f6fd6", "#6ea0f0"];
const jobGreen = ["#1a7f4b", "#4cc38a"];
const jobRed = ["#b42318", "#ff8579"];

const drawDays = ({from, width, counts, marks}) => draw("job-days", 260, theme => {
  const to = from + width * counts.length;
  const digits = Math.max(0, 1 - Math.floor(Math.log10(to - from)));
  return {
    grid: {left: 46, right: 18, top: 26, bottom: 44},
    xAxis: {...axis(theme), type: "value", min: from, max: to, name: "days", nameLocation: "middle", nameGap: 26,
            splitNumber: theme.narrow ? 4 : 8, splitLine: {show: false},
            axisLabel: {color: theme.soft, hideOverlap: true, showMinLabel: false, showMaxLabel: false,
                        formatter: value => value.toFixed(digits)}},
    yAxis: {...axis(theme), type: "value", minInterval: 1},
    tooltip: {...common(theme).tooltip, formatter: ({data: [start, count]}) =>
      `${start.toFixed(2)} to ${(start + width).toFixed(2)} days<br>${count} runs`},
    series: [{
      type: "custom", encode: {x: 0, y: 1}, data: counts.map((count, i) => [from + width * i, count]),
      renderItem: (params, api) => {
        const [left, top] = api.coord([api.value(0), api.value(1)]);
        const [right, bottom] = api.coord([api.value(0) + width, 0]);
        return {type: "rect", style: {fill: theme.pick(jobBlue)},
                shape: {x: left + 0.5, y: top, width: Math.max(right - left - 1, 0.5), height: bottom - top}};
      },
      markLine: {symbol: "none", silent: true, lineStyle: {color: theme.ink, type: "dashed"},
                 label: {color: theme.ink, position: "end", formatter: "{b}"},
                 data: marks.map(({name, days}) => ({name, xAxis: days}))},
    }],
  };
});

const drawUses = uses => draw("job-uses", 40 + 26 * uses.length, theme => ({
  grid: {left: 96, right: 76, top: 6, bottom: 26},
  xAxis: {...axis(theme), type: "value", splitNumber: theme.narrow ? 3 : 8,
          axisLabel: {color: theme.soft, hideOverlap: true, formatter: "{value} %"}},
  yAxis: {...axis(theme), type: "category", inverse: true, data: uses.map(use => use.name), axisTick: {show: false},
          axisLabel: {color: theme.ink}},
  tooltip: {...common(theme).tooltip, trigger: "axis", axisPointer: {type: "shadow"},
            formatter: ([{dataIndex}]) => {
              const {name, time, meaning} = uses[dataIndex];
              return `<b>${text(name)}</b><br>${time} of a run<br>${text(meaning)}`;
            }},
  series: [{type: "bar", barWidth: "64%", data: uses.map(use => use.percent), itemStyle: {color: theme.pick(jobBlue)},
            label: {show: true, position: "right", color: theme.ink, fontSize: 12,
                    formatter: ({value}) => percent(value)}}],
}));

// Three lines of one run: the mean, and what power swings between.
const drawPowerOfRun = ({part_days, mean, least, most}) => draw("job-power", 260, theme => {
  const line = (name, values, more) => ({
    name, type: "line", step: "end", showSymbol: false, color: theme.pick(jobBlue), lineStyle: {width: 1, ...more},
    data: values.map((value, i) => [(i + 1) * part_days, value])});
  return {
    grid: {left: 62, right: 18, top: 14, bottom: 44},
    xAxis: {...axis(theme), type: "value", min: 0, max: part_days * mean.length, name: "days", nameLocation: "middle",
            nameGap: 26, splitLine: {show: false},
            axisLabel: {color: theme.soft, hideOverlap: true, showMaxLabel: false}},
    yAxis: {...axis(theme), type: "value", min: 0, axisLabel: {color: theme.soft, formatter: "{value} MW"}},
    tooltip: {...common(theme).tooltip, trigger: "axis", formatter: ([{dataIndex}]) =>
      `day ${(dataIndex * part_days).toFixed(2)}<br>mean ${mean[dataIndex].toPrecision(4)} MW<br>` +
      `${least[dataIndex].toPrecision(4)} to ${most[dataIndex].toPrecision(4)} MW`},
    series: [line("most", most, {opacity: 0.4}), line("least", least, {opacity: 0.4}), line("mean", mean, {width: 2})],
  };
});

// Days saved by each change, pale where nobody can set it. On phones names have two lines.
const drawAdvice = rows => draw("job-advice", 56 + 30 * rows.length, theme => ({
  grid: {left: theme.narrow ? 136 : 330, right: 62, top: 6, bottom: 44},
  xAxis: {...axis(theme), type: "value", splitNumber: theme.narrow ? 3 : 8, name: "days saved",
          nameLocation: "middle", nameGap: 26, axisLabel: {color: theme.soft, hideOverlap: true}},
  yAxis: {...axis(theme), type: "category", inverse: true, data: rows.map(row => row.name), axisTick: {show: false},
          axisLine: {onZero: false, lineStyle: {color: theme.line}},
          axisLabel: {color: theme.ink, fontSize: theme.narrow ? 10 : 13, lineHeight: theme.narrow ? 11 : 14,
                      interval: 0, width: theme.narrow ? 128 : 320, overflow: "break"}},
  tooltip: {...common(theme).tooltip, trigger: "axis", axisPointer: {type: "shadow"},
            formatter: ([{dataIndex}]) => `<b>${text(rows[dataIndex].name)}</b><br>` +
                                          `${rows[dataIndex].days.toFixed(2)} days in all`},
  series: [{
    type: "bar", barWidth: "64%",
    data: rows.map(({saved, setting}) => ({
      value: saved, label: {opacity: 1},
      itemStyle: {color: theme.pick(saved < 0 ? jobRed : jobGreen), opacity: setting ? 1 : 0.35}})),
    label: {show: true, position: "right", color: theme.ink, fontSize: 12, formatter: ({value}) => value.toFixed(2)},
  }],
}));

// Of rows that are {value, goodput, days, gpu_hours}; `best` and `now` are values.
const triedTip = (unit, rows) => ([{dataIndex}]) => {
  const {value, goodput, days, gpu_hours} = rows[dataIndex];
  return `<b>${grouped(value)} ${unit}</b><br>goodput ${percent(goodput)}<br>${days.toFixed(2)} days<br>` +
         `${grouped(gpu_hours)} GPU hours`;
};
const marked = (theme, best) => row => row.value === best
  ? {symbolSize: 13, itemStyle: {color: theme.pick(jobGreen)}} : {};

const drawIntervals = ({rows, best, marks}) => draw("job-intervals", 300, theme => ({
  grid: {left: 62, right: 26, top: 40, bottom: 44},
  xAxis: {...axis(theme), type: "log", logBase: 2, min: rows[0].value, max: rows[rows.length - 1].value,
          name: "steps between checkpoints", nameLocation: "middle", nameGap: 26, splitLine: {show: false},
          axisLabel: {color: theme.soft, hideOverlap: true}},
  yAxis: {...axis(theme), type: "value", scale: true, axisLabel: {color: theme.soft, formatter: "{value} %"}},
  tooltip: {...common(theme).tooltip, trigger: "axis", formatter: triedTip("steps", rows)},
  series: [{
    type: "line", symbol: "circle", symbolSize: 7, color: theme.pick(jobBlue),
    data: rows.map(row => ({value: [row.value, row.goodput], ...marked(theme, best)(row)})),
    markLine: {symbol: "none", silent: true, lineStyle: {color: theme.ink, type: "dashed"},
               label: {color: theme.ink, position: "end", formatter: "{b}"},
               data: marks.map(({name, steps}) => ({name, xAxis: steps}))},
  }],
}));

// Without spares a job may take many times as long.
const daysAxis = rows => {
  const days = rows.map(row => row.days);
  return Math.max(...days) > 2 * Math.min(...days) ? {type: "log", logBase: 2} : {type: "value", scale: true};
};

const drawSpares = ({rows, best}) => draw("job-spares", 280, theme => ({
  grid: {left: 62, right: 26, top: 14, bottom: 44},
  xAxis: {...axis(theme), type: "category", data: rows.map(row => String(row.value)), name: "spare nodes",
          nameLocation: "middle", nameGap: 26},
  yAxis: {...axis(theme), ...daysAxis(rows), axisLabel: {color: theme.soft, hideOverlap: true,
          formatter: value => Number(value.toPrecision(4))},
          name: theme.narrow ? "" : "days", nameLocation: "middle", nameGap: 42},
  tooltip: {...common(theme).tooltip, trigger: "axis", formatter: triedTip("spare nodes", rows)},
  series: [{type: "line", symbol: "circle", symbolSize: 7, color: theme.pick(jobBlue),
            data: rows.map(row => ({value: row.days, ...marked(theme, best)(row)}))}],
}));

const drawJob = ({days, uses, power, advice, intervals, spares}) => {
  if (days) drawDays(days);
  drawUses(uses);
  drawPowerOfRun(power);
  if (advice.length > 0) drawAdvice(advice);
  if (intervals) drawIntervals(intervals);
  if (spares) drawSpares(spares);
};
